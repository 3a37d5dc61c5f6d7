#include "process/own_clock.h"

#include <algorithm>

#include "clock/thread_clock.h"
#include "process/call_scope.h"
#include "process/clocks.h"

namespace emu::mpi {

namespace {

[[gnu::tls_model("initial-exec")]] constinit thread_local OwnClock own_time;

}  // namespace

OwnClock& own_clock() { return own_time; }

void own_clock_passes(Interval d) {
  if (shown_time() == Time::own_clock) own_time.pass(d);
}

void own_clock_comes(Instant instant) {
  if (shown_time() != Time::own_clock) return;
  if (const Instant now = own_time.now(); now < instant) own_time.pass(instant - now);
}

void OwnClock::go_on(Interval work) { at_ = std::min(process->rank->reaches(at_, work), Instant::last()); }

// A thread's work before its first reading counts from the rank's clock at the thread's start.
Instant OwnClock::now() {
  if (!begun_) {
    begun_ = true;
    at_ = caller.resumed_at;
    cpu_ = at_ > Instant::start() ? 0 : clock::thread_cpu_nanoseconds();
  }
  if (process->metering.meter->measures()) {
    const std::int64_t cpu = clock::thread_cpu_nanoseconds();
    go_on(process->scaled(cpu - cpu_));
    cpu_ = cpu;
  }
  at_ = std::max(at_, Instant::from_picoseconds(process->life.shown.load(std::memory_order_relaxed)));
  return at_;
}

Instant OwnClock::read() {
  const Instant read = now();
  pass(process->network->poll());
  return read;
}

void OwnClock::pass(Interval d) {
  const Instant before = now();
  at_ = d < Instant::last() - before ? before + d : Instant::last();
}

void OwnClock::declare(Interval work) {
  if (process->metering.meter->measures() && begun_) cpu_ = clock::thread_cpu_nanoseconds();
  now();
  go_on(work);
}

}  // namespace emu::mpi
