// The command `emu`: calls the function of the verb.
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <vector>

#include "common/log.h"
#include "common/shortage.h"
#include "verbs.h"

namespace emu::app {
namespace {

void print_help() {
  std::puts(
      "Usage: emu VERB [OPTIONS] ...\n\nPredicts the time of MPI programs on other clusters.\n\nVerbs:");
  for (const Verb& verb : verbs) std::printf("  %-9s %s\n", verb.name, verb.purpose);
  std::puts("\nOptions:\n  --help, --version\n\nemu VERB --help describes a verb.");
}

int dispatch(const std::vector<std::string>& args) {
  if (const auto log = start_log(""); !log) return refuse(log.error());
  if (args.empty()) {
    print_error("a verb is missing, such as emu run; see emu --help");
    return 2;
  }
  if (args[0] == "--help" || args[0] == "-h" || args[0] == "help") {
    print_help();
    return 0;
  }
  if (args[0] == "--version") {
    std::puts("emu " EMU_VERSION);
    return 0;
  }
  for (const Verb& verb : verbs)
    if (args[0] == verb.name) return verb.function({args.begin() + 1, args.end()});
  return refuse("unknown verb or option: \"" + args[0] + "\" (see emu --help)");
}

}  // namespace
}  // namespace emu::app

namespace {

// A closed standard file would become a file of the job, such as the memory that the ranks share, and the program would
// read or write that. Reading from and writing to these files fails, as if they were closed.
void occupy_standard_files() {
  for (const int file : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(file, F_GETFD) < 0) open("/dev/null", file == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

// Lost output is an error, unless its reader has closed the pipe: that reader has read all that it wanted.
int after_output(int code) {
  std::cout.flush();
  if ((std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout) || code != 0) return code;
  const std::string why = std::strerror(errno);
  pollfd reader{STDOUT_FILENO, 0, 0};
  if (poll(&reader, 1, 0) > 0 && (reader.revents & POLLERR) != 0) return code;
  emu::app::print_error("standard output: cannot be written: " + why);
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  occupy_standard_files();
  // When the reader of the output ends, the command ends too, but cleans up first: launch().
  sigset_t broken_pipe;
  sigemptyset(&broken_pipe);
  sigaddset(&broken_pipe, SIGPIPE);
  sigprocmask(SIG_BLOCK, &broken_pipe, nullptr);
  emu::app::expect_shortage();
  try {
    return after_output(emu::app::dispatch({argv + 1, argv + argc}));
  } catch (const std::bad_alloc&) {
    emu::app::report_shortage();
    return 1;
  } catch (const std::exception& error) {  // none is expected: expected failures are values
    std::fprintf(stderr, "emu: error: %s\n", error.what());
    return 1;
  }
}
