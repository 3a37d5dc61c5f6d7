// The clock of a thread that never calls MPI: what it reads in place of the host's clocks. It is never behind the rank's clock as of
// the rank's last call, and goes on with what the thread itself computes or declares, its sleeps and its readings. The rank's clock
// does not depend on it (process/thread_registry.h says what of the thread's work counts there).
#pragma once

#include <cstdint>

#include "base/time.h"

namespace emu::mpi {

class OwnClock {
 public:
  constexpr OwnClock() = default;

  Instant now();
  // The same, and asking has cost a poll, so that a thread which does nothing else sees the clock move.
  Instant read();
  // The thread slept.
  void pass(Interval d);
  // It did work, in time of the reference CPU, which replaces what was measured since it last said so.
  void declare(Interval work);
  // Never begun: what the rank's clock shows is all there is.
  bool begun() const { return begun_; }

 private:
  void go_on(Interval work);

  Instant at_;
  std::int64_t cpu_ = 0;  // the thread's CPU time then, in nanoseconds
  bool begun_ = false;
};

// The calling thread's.
OwnClock& own_clock();
// It slept, if it reads that clock.
void own_clock_passes(Interval d);
// The same, up to `instant`, unless it is there already.
void own_clock_comes(Instant instant);

}  // namespace emu::mpi
