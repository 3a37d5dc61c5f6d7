// Starting one process and seeing it to its end.
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
  // The file that takes what it writes; then it has nothing to read. Empty: as this process.
  std::string output;
  // With `output`: another file that takes what it writes as errors. Empty: `output` takes that too.
  std::string errors;
  // The cores of this machine that it may use, with all that it starts; empty: as this process.
  std::vector<int> cores;
  // Every process that it starts lays its memory out in the same way, where the system permits that.
  bool same_addresses = false;
  // The file in which the command says why it cannot run in this way, if it cannot; empty: it does not say. Then
  // `otherwise` is run in its place.
  std::string refusal;
  std::shared_ptr<const Command> otherwise;
  // It is mpirun, which is ended if its start does not come about (start_watch.h).
  bool has_to_start = false;
};

struct Ending {
  int code = 0;         // as a shell says: the exit code, or 128 + signal
  int interrupted = 0;  // the first signal that came to this process meanwhile and was passed on; 0 if none
};

// Runs `command` to its end, calling `tick` about ten times a second. SIGINT, SIGTERM and SIGHUP are passed
// on to it (SIGHUP unless it is ignored), and SIGPIPE, which is to be blocked before, as SIGTERM; the third
// of them, or three seconds, kill it and all that it has started. If this process dies, the command gets
// SIGTERM. Failure if it cannot be started,
// or does not come as far as to start what it is to start. Call from a process without other threads.
Result<Ending> launch(const Command& command, const std::function<void()>& tick);

}  // namespace emu::app
