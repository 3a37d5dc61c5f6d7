// Start of one process, and supervision until its end.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/failure.h"

namespace emu::app {

struct Command {
  std::vector<std::string> words;                  // the first is the executable's path
  std::map<std::string, std::string> environment;  // added to this process's own
  // File of its output; then its input is empty. Empty: as this process.
  std::string output;
  // With `output`: a separate file for its error output. Empty: `output` receives that, too.
  std::string errors;
  // Cores of this machine for it and all its descendants; empty: as this process.
  std::vector<int> cores;
  // All its processes have equal memory layouts, if the system permits that.
  bool same_addresses = false;
  // File in which the command reports that it cannot run in this way; empty: it does not report. If it does,
  // `otherwise` is run in its place.
  std::string refusal;
  std::shared_ptr<const Command> otherwise;
  // The command is mpirun, which is ended if it does not complete its start (start_watch.h).
  bool has_to_start = false;
};

struct Ending {
  int code = 0;         // the exit code, or 128 + signal, as in a shell
  int interrupted = 0;  // the first signal that came to this process meanwhile and was passed on; 0 if none
};

// Runs `command` to its end, calling `tick` about ten times a second. SIGINT, SIGTERM and
// SIGHUP are passed on to it (SIGHUP unless it is ignored), and SIGPIPE, which must be blocked
// before, is passed on as SIGTERM. The third signal, or three seconds, kill it and all its
// descendants. If this process dies, the command gets SIGTERM. Fails if the command cannot be
// started, or does not complete its start. To be called from a process without other threads.
Result<Ending> launch(const Command& command, const std::function<void()>& tick);

}  // namespace emu::app
