#include "process/process.h"

#include <pthread.h>
#include <sys/resource.h>

#include <algorithm>

#include "base/units.h"
#include "process/children.h"
#include "process/clocks.h"
#include "process/doubtful_calls.h"
#include "process/own_clock.h"
#include "wire/agent/agent.h"

namespace emu::mpi {

Process* process = nullptr;

// Nanoseconds of this process's other threads, without those of libemu: the agent, the watch, and threads that keep
// cores awake. The cost of the two readings is about the same each time, so it cancels in differences.
std::int64_t Process::cpu_of_others() const {
  const std::int64_t all = cpu_of_all();
  return all - host_nanoseconds(CLOCK_THREAD_CPUTIME_ID);
}

std::int64_t Process::cpu_of_all() const {
  std::int64_t all = host_nanoseconds(CLOCK_PROCESS_CPUTIME_ID);
  const auto without = [&](pthread_t thread) {
    clockid_t its;
    if (pthread_getcpuclockid(thread, &its) == 0) all -= host_nanoseconds(its);
  };
  if (transport.agent_thread.joinable())
    without(const_cast<std::thread&>(transport.agent_thread).native_handle());
  if (transport.watch) without(transport.watch->thread());
  if (transport.awake_cores)
    for (const std::thread& thread : transport.awake_cores->threads())
      without(const_cast<std::thread&>(thread).native_handle());
  if (shared_memory) without(shared_memory->thread());
  return all;
}

Process::Used Process::used() const {
  Used used;
  used.thread = host_nanoseconds(CLOCK_THREAD_CPUTIME_ID);
  used.others = cpu_of_others();
  rusage thread_usage{};
  getrusage(RUSAGE_THREAD, &thread_usage);
  used.switches = thread_usage.ru_nivcsw;
  return used;
}

record::Doubts Process::doubts_so_far() const {
  record::Doubts all = doubts;
  all.dated_seeds = dated_seed();
  add_children(all);
  if (threading.level < ThreadLevel::multiple) all.callers = 0;  // the program serialises the calls itself
  if (!metering.measured) return all;
  const Used now = used();
  all.cpu = now.thread - metering.before.thread;
  all.other_cpu = std::max<std::int64_t>(0, now.others - metering.before.others - threads().charged());
  all.switches = now.switches - metering.before.switches;
  all.readings = metering.measured->takes();
  all.taken_off = metering.measured->taken_off();
  all.asking = metering.measured->clock().asking();
  all.glancing = metering.measured->clock().glancing();
  return all;
}

// Returns when all ranks of the job have finished.
void Process::finish_together(record::RankSummary summary) {
  summary.doubts.cut_traces = doubts.cut_traces;  // the end of the trace has been written by now
  transport.wire->finish(summary);
  shared_memory.reset();
  transport.watch.reset();
  transport.awake_cores.reset();
  transport.wire->end_life();
  if (transport.agent_thread.joinable()) transport.agent_thread.join();
  transport.agent.reset();
}

[[gnu::hot]] void Process::stop_meter() {
  if (ThreadRegistry::several()) [[unlikely]]
    return threading.monitor ? stop_caller_meter() : stop_meters();
  if (!metering.meter->measures()) return;
  if (metering.readable) transport.wire->stopped();
  const Interval before = rank->clock().breakdown().compute, work = metering.meter->take();
  if (!rank->measured(work)) starve();
  if (recorder) record_system(rank->clock().breakdown().compute - before, work);
}

[[gnu::hot]] void Process::enter_library(bool with_meter) {
  ++caller.depth;
  lock_rank();
  if (caller.rank_locks > 0 && !caller.calls) [[unlikely]] {
    caller.calls = true;
    ++doubts.callers;
    if (threads().meets()) caller.resumed_at = rank->now();
  }
  if (shared_memory && !metering.meter->measures()) [[unlikely]]
    rank->computed_until(shared_memory->promised());
  if (with_meter) stop_meter();
}

// The depth changes last: a signal handler that interrupts this function is still below a call (process/signals.cc).
[[gnu::hot]] void Process::return_to_user() {
  if (!life.finished) {
    rank->leave();
    life.shown.store(rank->now().picoseconds(), std::memory_order_relaxed);
    start_meter();
  }
  unlock_rank();
  --caller.depth;
}

void Process::stop_clock() {
  life.ended = rank->now();
  life.finished.store(true, std::memory_order_release);
}

void Process::serve_threads(ThreadLevel wanted) {
  threading.level = wanted;
  if (threading.level < ThreadLevel::serialized) return;
  threads().disowns_unseen();
  threading.monitor.emplace(
      rank::Monitor::Threads{&ThreadRegistry::several, &ThreadRegistry::more,
                             [this] { return other_threads(); }, [] { return threads().rest(); }},
      [this] { transport.wire->wake(); });
  rank->share(*threading.monitor);
  transport.wire->shares(*threading.monitor);
}

// With measured compute, a thread is at least as far as its CPU time. With declared compute, its work costs nothing:
// a thread that has not called for a long time may be waiting, in a loop of its own, for another thread of the rank.
rank::Monitor::Others Process::other_threads() {
  constexpr std::int64_t patience = 1'000'000'000;  // CPU nanoseconds
  const ThreadRegistry::Others others = threads().others();
  if (others.asleep) return {true, true, {}};
  const bool some = !others.run_on.empty();
  Instant until = some || others.restless ? Instant::never() : Instant();
  for (const auto& [resumed_at, cpu] : others.run_on) {
    if (metering.meter->measures())
      until = std::min(until, rank->reaches(resumed_at, scaled(cpu)));
    else if (cpu < patience)
      until = Instant();
  }
  if (!metering.meter->measures() && some && until.is_never()) ++doubts.ran_on;
  return {false, others.still, until};
}

// In this mode, other processes do not read its CPU time.
void Process::start_caller_meter() {
  const bool measures = metering.meter->measures(), first = threading.main == this_thread();
  caller.resumed_at = threading.asked = rank->now();
  if (!measures) return threads().leaves(caller.resumed_at, ThreadRegistry::unknown);
  threads().resume(cpu_of_all());
  if (!first && !caller.meter) caller.meter = new clock::CpuMeter(*metering.measured);
  clock::CpuMeter* const own = first ? metering.measured : caller.meter;
  own->start();
  threads().leaves(caller.resumed_at, own->since());
}

void Process::stop_caller_meter() {
  const bool measures = metering.meter->measures();
  std::optional<Interval> own = Interval();
  if (measures && threading.main == this_thread())
    own = metering.meter->take();
  else if (measures)
    own = caller.meter ? std::optional(caller.meter->take()) : std::nullopt;
  const ThreadRegistry::Charge charge =
      threads().enters(own, measures ? cpu_of_all() : 0, target.host_speed, measures, self.cores);
  const Instant before = threading.asked;
  caller.came = rank->reaches(caller.resumed_at, charge.own);
  if (!rank->worked(caller.resumed_at, charge.own) || !rank->worked(before, charge.all)) starve();
  rank->computed_until(threading.monitor->promised());
  threading.asked = rank->now();
  if (measures) threads().resume(cpu_of_all());
}

void Process::stop_meters() {
  const bool measures = metering.meter->measures();
  if (metering.readable) transport.wire->stopped();
  const Interval before = rank->clock().breakdown().compute;
  const Interval own = measures ? metering.meter->take() : Interval();
  const Interval work = threads().take(own, measures ? cpu_of_others() : 0, target.host_speed, self.cores);
  if (!rank->measured(work)) starve();
  if (measures && recorder) record_system(rank->clock().breakdown().compute - before, work);
}

void Process::record_system(Interval computed, Interval work) {
  constexpr std::int64_t shortest = 20'000'000;  // some ticks of the kernel
  const double picoseconds = static_cast<double>(work.picoseconds()) / target.host_speed;
  const auto used = static_cast<std::int64_t>(picoseconds / 1000);
  if (used < shortest) return;
  const std::int64_t system = std::min(clock::thread_system_nanoseconds() - metering.system_since, used);
  const __int128 part = static_cast<__int128>(computed.picoseconds()) * system / used;
  recorder->system(Interval::picoseconds(static_cast<std::int64_t>(part)));
}

[[gnu::hot]] void Process::declare(double reference_seconds) {
  if (metering.readable) transport.wire->stopped();
  const Interval work = metering.meter->declare(reference_seconds);
  if (ThreadRegistry::several() && !threading.monitor) [[unlikely]]
    threads().declared(work);
  if (!rank->declared(work)) starve();
  if (shared_memory) [[unlikely]]
    rank->computed_until(shared_memory->promised());  // incl. measured work, which is replaced now
  if (recorder && metering.meter->measures()) metering.system_since = clock::thread_system_nanoseconds();
}

void Process::child_ended(Instant since, std::int64_t cpu) {
  if (!rank->worked(since, scaled(cpu))) starve();
}

void Process::declare_on_own_clock(double reference_seconds) {
  threads().declares(Interval::seconds(reference_seconds), metering.meter->measures());
  if (shown_time() == Time::own_clock) own_clock().declare(Interval::seconds(reference_seconds));
  if (!metering.meter->measures() || !threading.monitor) return;
  if (threading.main == this_thread())
    metering.meter->start();
  else if (caller.meter)
    caller.meter->start();
}

namespace {

std::string longest_time() {
  return format(Instant::last() - Instant::start(), 3) + " (53 days), the longest virtual time there is";
}

}  // namespace

void Process::starve() {
  const std::string computes = "starvation: rank " + std::to_string(self.number) + " computes from " +
                               format(rank->now() - Instant::start(), 9) +
                               " on, and the speed of its node, " + std::to_string(self.node);
  if (target.speed(self.node, self.size).stops().is_never())
    stop_job_in_turn(computes + ", is too low: that takes until after " + longest_time() +
                         "; in the target file, raise speed, or declare less work",
                     1);
  stop_job_in_turn(
      computes + ", stays 0; in the target file, end the event with speed 0 by `until`, or recover", 1);
}

void Process::overrun(Instant before) {
  stop_job_in_turn("rank " + std::to_string(self.number) + ", in " + calls.last + " at " +
                       format(before - Instant::start(), 9) + ": this action would end after " +
                       longest_time() + " (expected lower costs in the target, or less work)",
                   1);
}

[[gnu::hot]] void Process::start_meter() {
  if (threading.monitor && ThreadRegistry::several()) [[unlikely]]
    return start_caller_meter();
  if (!metering.meter->measures()) return;
  if (ThreadRegistry::several()) [[unlikely]]
    threads().start(cpu_of_others());
  if (recorder) metering.system_since = clock::thread_system_nanoseconds();
  metering.meter->start();
  if (metering.readable) transport.wire->computing(metering.readable->since());
}

}  // namespace emu::mpi
