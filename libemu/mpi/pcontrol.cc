// MPI_Pcontrol(1, name) and (-1, name): named intervals, as in other profilers.

#include <mpi.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cctype>
#include <cstdarg>
#include <cstdint>
#include <string>

#include "process/intervals.h"

using namespace emu::mpi;

namespace {

// The text at `address`, if there is one: MPI_Pcontrol(1) without a name is a valid call, and the argument
// is then undefined.
std::string text_at(std::uintptr_t address) {
  std::string text;
  char c = 0;
  while (text.size() < 200) {
    const iovec here{&c, 1}, there{reinterpret_cast<void*>(address + text.size()), 1};
    if (process_vm_readv(getpid(), &here, 1, &there, 1, 0) != 1) return {};
    if (c == 0) return text;
    if (std::iscntrl(static_cast<unsigned char>(c))) return {};
    text += c;
  }
  return {};
}

}  // namespace

extern "C" int MPI_Pcontrol(const int level, ...) {
  if (!records_intervals() || (level != 1 && level != -1)) return MPI_SUCCESS;
  va_list arguments;
  va_start(arguments, level);
  const std::string name = text_at(va_arg(arguments, std::uintptr_t));
  va_end(arguments);
  if (name.empty()) return MPI_SUCCESS;
  (level == 1 ? begin_interval : end_interval)("MPI_Pcontrol", name);
  return MPI_SUCCESS;
}
