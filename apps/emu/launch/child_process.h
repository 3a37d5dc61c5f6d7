// One command under way.
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
  // Starts it. `signals` has to outlive it.
  ChildProcess(Command command, const BlockedSignals& signals);
  // Ends it, if it has not ended.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // Its end, once that has come; to be called about ten times a second. Failure if it could not be started, or does not
  // come as far as to start what it is to start. A command that refuses is replaced by its other one.
  std::optional<Result<Ending>> look();
  // Passes on a signal that this process has taken up: as launch() says.
  void interrupt(const siginfo_t& info);

 private:
  using Clock = std::chrono::steady_clock;
  void begin();
  bool begins_otherwise();

  Command command_;
  const sigset_t mask_;
  std::optional<Failure> failure_;  // to start it
  pid_t process_ = 0;               // 0: it has ended
  std::optional<StartWatch> watch_;
  int interrupted_ = 0;  // the first signal; 0: none
  int interruptions_ = 0;
  Clock::time_point first_;  // of these
};

}  // namespace emu::app
