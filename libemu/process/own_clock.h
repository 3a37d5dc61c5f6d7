// Clock of a thread that never calls MPI, which it reads in place of the host's clocks. It is never before the rank's
// clock at the end of the rank's last call. It advances by the thread's own computation or declarations, sleeps and
// readings. The rank's clock does not depend on it (process/threads/thread_registry.h defines which work of the thread
// counts there).
#pragma once

#include <cstdint>

#include "base/time.h"

namespace emu::mpi {

class OwnClock {
 public:
  constexpr OwnClock() = default;

  Instant now();
  // As now(); reading costs a poll, so that a thread that only reads sees the clock move.
  Instant read();
  // The thread has slept.
  void pass(Interval d);
  // The thread declares work, in time of the reference CPU, in place of the work measured since its last declaration.
  void declare(Interval work);
  // False if the thread has read the rank's clock only.
  bool begun() const { return begun_; }

 private:
  void go_on(Interval work);

  Instant at_;
  std::int64_t cpu_ = 0;  // the thread's CPU time at that instant, in nanoseconds
  bool begun_ = false;
};

// The clock of the calling thread.
OwnClock& own_clock();
// The calling thread has slept: its own clock advances, if it has been read.
void own_clock_passes(Interval d);
// As above, up to `instant`, unless the clock is later.
void own_clock_comes(Instant instant);

}  // namespace emu::mpi
