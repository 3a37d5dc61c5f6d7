#include "process/log.h"

#include <unistd.h>

#include <cstdio>

#include "process/process.h"

namespace emu::mpi {

void log(Level level, std::string_view text) {
  constexpr std::string_view names[] = {"", "warning: ", "error: "};
  std::string line = "libemu: ";
  line += names[static_cast<int>(level)];
  line += text;
  line += '\n';
  std::fflush(stderr);  // earlier output of the program comes first
  for (std::string_view rest = line; !rest.empty();) {
    const ssize_t written = write(STDERR_FILENO, rest.data(), rest.size());
    if (written <= 0) return;
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
}

std::string of_rank() { return "rank " + std::to_string(process->self.number) + ": "; }

std::string of_rank(std::string_view call) { return of_rank() + std::string(call) + ": "; }

}  // namespace emu::mpi
