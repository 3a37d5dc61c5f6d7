// One running command.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <csignal>
#include <optional>

#include "base/failure.h"
#include "launch/blocked_signals.h"
#include "launch/launch.h"
#include "launch/start_watch.h"

namespace emu::app {

class ChildProcess {
 public:
  // Starts the command. `signals` must outlive the object.
  ChildProcess(Command command, const BlockedSignals& signals);
  // Ends the command, if it is still running.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // The command's end, or nothing while it runs; to be called about ten times a second. Fails if the command could
  // not be started, or does not complete its start. A command that refuses to run is replaced by its alternative.
  std::optional<Result<Ending>> look();
  // Passes on a signal that this process has handled, as launch() defines.
  void interrupt(const siginfo_t& info);

 private:
  using Clock = std::chrono::steady_clock;
  void begin();
  bool begins_otherwise();

  Command command_;
  const sigset_t mask_;
  std::optional<Failure> failure_;  // of the start
  pid_t process_ = 0;               // 0: ended
  std::optional<StartWatch> watch_;
  int interrupted_ = 0;  // the first signal; 0: none
  int interruptions_ = 0;
  Clock::time_point first_;  // of these signals
};

}  // namespace emu::app
