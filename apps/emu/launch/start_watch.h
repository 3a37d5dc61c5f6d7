// Supervision of mpirun's start. MPICH's mpirun waits for ever for hosts that do not answer, or whose remote shell has
// ended.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>

#include "base/failure.h"

namespace emu::app {

// Greatest duration of a start: EMU_START_LIMIT in seconds, by default a minute; 0: no limit.
Result<std::chrono::seconds> start_limit();

class StartWatch {
 public:
  // `process`: mpirun, just started.
  StartWatch(pid_t process, std::chrono::seconds limit);
  // To be called periodically. Returns true once the limit has passed without a start.
  bool failed();
  // The message in this case.
  std::string why() const;

 private:
  using Clock = std::chrono::steady_clock;
  // For every host mpirun has a process here, its proxy or a remote shell, and for every host that has started it has a
  // connection. If mpirun is not MPICH's process manager, nothing is known, and the start counts as complete.
  bool begun();

  const pid_t process_;
  const std::chrono::seconds limit_;
  const Clock::time_point since_ = Clock::now();
  bool begun_ = false;
  int connections_ = 0, helpers_ = 0;
};

}  // namespace emu::app
