// Watch over mpirun's start. MPICH's waits for ever for hosts that do not answer, or whose remote shell has ended: so
// somebody else has to look.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>

#include "base/failure.h"

namespace emu::app {

// How long a start may take: EMU_START_LIMIT in seconds, a minute if it is not set; 0: for ever.
Result<std::chrono::seconds> start_limit();

class StartWatch {
 public:
  // `process`: mpirun, just started.
  StartWatch(pid_t process, std::chrono::seconds limit);
  // To be called now and then. True once the limit has passed without a start.
  bool failed();
  // What to say then.
  std::string why() const;

 private:
  using Clock = std::chrono::steady_clock;
  // Every host that mpirun asks to take part has a process here, its proxy or a remote shell, and every one that does
  // has a connection to mpirun. Where it is not MPICH's process manager, nothing is known, and nobody waits.
  bool begun();

  const pid_t process_;
  const std::chrono::seconds limit_;
  const Clock::time_point since_ = Clock::now();
  bool begun_ = false;
  int connections_ = 0, helpers_ = 0;
};

}  // namespace emu::app
