// The event loop of a rank: it drains the wire, decides whether a step is certain, and sleeps.
#pragma once

#include "rank/scheduler.h"

namespace emu::rank {

// A thread that continues within its call acts no earlier than a thread that calls: see Monitor::steps().
inline void catch_up(clock::Clock& clock, const Monitor& monitor) {
  const Instant until = monitor.stepped();
  if (until <= clock.now()) return;
  record::Path path = clock.path();
  path.compute += until - clock.now();
  clock.wait_until(until, path);
}

// A Wait has these members:
//   bool begins()             a round begins; false: the loop is over
//   Decision least()          the least step that counts, given the messages taken in
//   bool carried_out(const Decision&)   the step is certain, and has been carried out, except for an event, which the
//                             Wait handles or keeps; true: the loop is over
//   Rest rests(const Decision&, std::optional<int>& blocker, seen)   the step is not certain, because of `blocker` if
//                             any, or there is none; publishes a bound, and may name another blocker
template <class Wait>
void Scheduler::run(Wait& wait) {
  while (wait.begins()) {
    const std::uint64_t seen = drain();
    Decision d = wait.least();
    if (d.heads) let_head_pass_first(d);
    std::optional<int> blocker;
    if (!d.open) blocker = blocking_rank(d, seen);
    if (blocker == number_) continue;  // more has come in
    if (!blocker && !d.open && d.kind != Decision::Kind::nothing) {
      if (d.kind != Decision::Kind::event) carry_out(d);
      if (wait.carried_out(d)) return;
      continue;
    }
    switch (wait.rests(d, blocker, seen)) {
      case Rest::over:
        return;
      case Rest::again:
        break;
      case Rest::sleep:
        bounds_.sleep(seen, blocker ? match::Bounds::WakeUp::bound : match::Bounds::WakeUp::announcement);
    }
  }
}

}  // namespace emu::rank
