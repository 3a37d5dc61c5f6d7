#include "mpi/process.h"

#include <malloc.h>
#include <pthread.h>
#include <sys/resource.h>

#include <algorithm>
#include <climits>
#include <cstdio>
#include <fstream>
#include <limits>
#include <vector>

#include "base/units.h"
#include "match/checked_wire.h"
#include "process/children.h"
#include "process/clocks.h"
#include "process/cores.h"
#include "process/doubtful_calls.h"
#include "process/own_clock.h"
#include "process/start/fork_start.h"
#include "process/start/program_symbols.h"
#include "wire/agent/agent.h"
#include "wire/jitter.h"

namespace emu::mpi {

Process* process = nullptr;

Process::Process(Environment from) : environment(std::move(from)), number(job().number), size(job().size) {
  int found = 0;
  const int* largest = nullptr;
  PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &largest, &found);
  largest_tag = found ? *largest : INT_MAX;
  auto found_node = find_node(job(), environment);
  if (!found_node) stop_before_start("rank " + std::to_string(number) + ": " + found_node.error().message, 1);
  HostNode host = std::move(*found_node);
  agree(host);
  one_sided = one_sided || target.storage.shared;
  ForkedRank* const forked = forked_rank();
  if (forked && forked->one_sided == one_sided)
    network.emplace(std::move(*forked->network));
  else
    network.emplace(target.network, target.topology(size), one_sided);
  wire = std::make_unique<wire::SharedWire>(std::move(*host.region), host.node_map, number, *network,
                                            [](const std::string& message) { stop_job(message, 1); });
  wire->begin_life();
  if (host.node_map.several()) start_agent(host);
  start_watch();
  if (!environment.status.empty() && number == 0)
    std::ofstream(environment.status)
        << getpid() << ' ' << wire->region().fd() << ' ' << wire::Table::bytes(wire->node_map()) << '\n';
  checked = std::make_unique<match::CheckedWire<wire::SharedWire>>(
      *wire, match::Promises(number, size, network->lookahead()), [this](const match::Broken& broken) {
        const std::string other = broken.other < 0 ? "" : wire->waited_in(broken.other);
        stop_job(match::describe(broken, number, call, other), 1);
      });
  match::Wire* outermost = checked.get();
  if (environment.jitter) {
    jitter = std::make_unique<wire::Jitter>(*checked, *environment.jitter, number);
    outermost = jitter.get();
  }
  node = network->place(number).node;
  cores = target.nodes[static_cast<std::size_t>(target.group_of(node))].cores.value_or(Team::any_number);
  const model::Speed speed = target.speed(node, size);
  rank.emplace(
      number, size, *network, *outermost,
      rank::Node{speed, target.outages_of(node), target.failures(size), [this] { fail(); },
                 target.on_failure == target::OnFailure::error, [this](Instant before) { overrun(before); },
                 target.storage, !target.outages.empty()});
  if (cancels_sends) rank->begin_withdrawals();
  if (!environment.trace.empty()) open_trace();
  communicators.add_predefined(number, size);
  if (target.compute == target::Compute::declared) {
    meter = std::make_unique<clock::DeclaredMeter>();
  } else {
    auto measuring = std::make_unique<clock::CpuMeter>(target.host_speed);
    cpu_meter = measuring.get();
    // A program that declares may replace what was measured: nobody can count on its CPU time before it is
    // charged. Nor on that of a rank that is asked to give messages back meanwhile.
    if (!program_declares_compute() && !cancels_sends) {
      cpu = measuring.get();
      const double fastest = static_cast<double>(speed.fastest()) / static_cast<double>(model::one);
      wire->measures(target.host_speed / fastest);
    }
    meter = std::move(measuring);
  }
  if (environment.cores) {
    if (const auto shared = share_cores(*environment.cores); !shared) {
      if (number == 0) stop_job(shared.error().message, 2);
      for (;;) pause();  // the job ends
    }
  }
  // What MPICH has taken to start, and this to find the others, is free again: many ranks need the memory for more.
  // Of forked ranks these pages are shared.
  if (!forked_rank()) malloc_trim(0);
  // Last: all ranks are in MPI_Init, so no clock goes back on any of them.
  start_together();
  if (cpu_meter) learn_meter();
  used_before_ = used();
}

// Once all are there, so that it is done as they will run. What passes meanwhile is not charged: nobody may count
// on it.
void Process::learn_meter() {
  cpu_meter->learn([this] {
    if (!cpu) return;
    wire->computing(std::numeric_limits<std::int64_t>::max() / 2);
    wire->stopped();
  });
}

// Nanoseconds of this process's threads but this one; what the agent and the watch of this node use is libemu's own.
// What the two readings take is about the same each time, and in none of the differences.
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
  if (agent_thread.joinable()) without(const_cast<std::thread&>(agent_thread).native_handle());
  if (watch) without(watch->thread());
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

record::Doubts Process::noticed() const {
  record::Doubts all = doubts;
  all.dated_seeds = dated_seed();
  add_children(all);
  if (level < MPI_THREAD_MULTIPLE) all.callers = 0;  // the program sees to their order
  if (!cpu_meter) return all;
  const Used now = used();
  all.cpu = now.thread - used_before_.thread;
  all.other_cpu = std::max<std::int64_t>(0, now.others - used_before_.others - team().charged());
  all.switches = now.switches - used_before_.switches;
  all.readings = cpu_meter->takes();
  all.taken_off = cpu_meter->taken_off();
  all.asking = cpu_meter->clock().asking();
  all.glancing = cpu_meter->clock().glancing();
  return all;
}

// Until all ranks of the job have finished.
void Process::finish_together(const record::RankSummary& summary) {
  wire->finish(summary);
  shared_memory.reset();
  watch.reset();
  wire->end_life();
  if (agent_thread.joinable()) agent_thread.join();
  agent.reset();
}

void Process::open_trace() {
  const record::Header header{
      number,      size,
      target.name, program_invocation_short_name,
      node,        target.nodes[static_cast<std::size_t>(target.group_of(node))].name};
  const auto warn = [](const std::string& message) {
    std::fprintf(stderr, "libemu: warning: %s\n", message.c_str());
  };
  auto opened = record::Recorder::create(environment.trace, header, warn);
  if (!opened) stop_job(opened.error().message, 2);
  recorder = std::move(*opened);
  const model::Outages outages = target.outages_of(node);
  for (const model::Outage& outage : outages.list())
    if (!outage.for_good()) recorder->outage(outage.from, outage.until);
  rank->record(*recorder);
}

[[gnu::hot]] void Process::stop_meter() {
  if (Team::several()) [[unlikely]]
    return turns ? stop_caller() : stop_team();
  if (!meter->measures()) return;
  if (cpu) wire->stopped();
  const Interval before = rank->clock().breakdown().compute, work = meter->take();
  if (!rank->measured(work)) starve();
  if (recorder) record_system(rank->clock().breakdown().compute - before, work);
}

[[gnu::hot]] void Process::come_in(bool with_meter) {
  ++caller.depth;
  take_turn();
  if (caller.turns > 0 && !caller.calls) [[unlikely]] {
    caller.calls = true;
    ++doubts.callers;
    if (team().meets()) caller.left = rank->now();
  }
  if (shared_memory && !meter->measures()) [[unlikely]]
    rank->computed_until(shared_memory->promised());
  if (with_meter) stop_meter();
}

// The depth comes last: a signal handler that interrupts this is below a call (process/signals.cc).
[[gnu::hot]] void Process::go_out() {
  if (!finished) {
    rank->leave();
    shown.store(rank->now().picoseconds(), std::memory_order_relaxed);
    start_meter();
  }
  give_turn();
  --caller.depth;
}

void Process::stop_clock() {
  ended = rank->now();
  finished.store(true, std::memory_order_release);
}

void Process::serve_threads(int wanted) {
  level = wanted;
  if (level < MPI_THREAD_SERIALIZED) return;
  team().disowns_unseen();
  turns.emplace(rank::Turns::Threads{&Team::several, &Team::more, [this] { return threads_beside(); },
                                     [] { return team().rest(); }},
                [this] { wire->wake(); });
  rank->share(*turns);
  wire->shares(*turns);
}

// Measured, a thread is at least as far as its CPU time. Declared, what it does costs nothing: one that has not called for so
// long may be waiting, in a loop of its own, for what another one of the rank does.
rank::Turns::Beside Process::threads_beside() {
  constexpr std::int64_t patience = 1'000'000'000;  // CPU nanoseconds
  const Team::Others others = team().others();
  if (others.asleep) return {true, true, {}};
  const bool some = !others.run_on.empty();
  Instant until = some || others.restless ? Instant::never() : Instant();
  for (const auto& [left, cpu] : others.run_on) {
    if (meter->measures())
      until = std::min(until, rank->reaches(left, scaled(cpu)));
    else if (cpu < patience)
      until = Instant();
  }
  if (!meter->measures() && some && until.is_never()) ++doubts.ran_on;
  return {false, others.still, until};
}

// Nobody may read its CPU time from outside then.
void Process::start_caller() {
  const bool measures = meter->measures(), first = thread == this_thread();
  caller.left = asked_ = rank->now();
  if (!measures) return team().leaves(caller.left, Team::unknown);
  team().goes_on(cpu_of_all());
  if (!first && !caller.meter) caller.meter = new clock::CpuMeter(*cpu_meter);
  clock::CpuMeter* const own = first ? cpu_meter : caller.meter;
  own->start();
  team().leaves(caller.left, own->since());
}

void Process::stop_caller() {
  const bool measures = meter->measures();
  std::optional<Interval> own = Interval();
  if (measures && thread == this_thread())
    own = meter->take();
  else if (measures)
    own = caller.meter ? std::optional(caller.meter->take()) : std::nullopt;
  const Team::Asked asked =
      team().enters(own, measures ? cpu_of_all() : 0, target.host_speed, measures, cores);
  const Instant before = asked_;
  caller.came = rank->reaches(caller.left, asked.own);
  if (!rank->worked(caller.left, asked.own) || !rank->worked(before, asked.all)) starve();
  rank->computed_until(turns->promised());
  asked_ = rank->now();
  if (measures) team().goes_on(cpu_of_all());
}

void Process::stop_team() {
  const bool measures = meter->measures();
  if (cpu) wire->stopped();
  const Interval before = rank->clock().breakdown().compute;
  const Interval own = measures ? meter->take() : Interval();
  const Interval work = team().take(own, measures ? cpu_of_others() : 0, target.host_speed, cores);
  if (!rank->measured(work)) starve();
  if (measures && recorder) record_system(rank->clock().breakdown().compute - before, work);
}

void Process::record_system(Interval computed, Interval work) {
  constexpr std::int64_t shortest = 20'000'000;  // some ticks
  const double picoseconds = static_cast<double>(work.picoseconds()) / target.host_speed;
  const auto used = static_cast<std::int64_t>(picoseconds / 1000);
  if (used < shortest) return;
  const std::int64_t system = std::min(clock::thread_system_nanoseconds() - system_since_, used);
  const __int128 part = static_cast<__int128>(computed.picoseconds()) * system / used;
  recorder->system(Interval::picoseconds(static_cast<std::int64_t>(part)));
}

[[gnu::hot]] void Process::declare(double reference_seconds) {
  if (cpu) wire->stopped();
  const Interval work = meter->declare(reference_seconds);
  if (Team::several() && !turns) [[unlikely]]
    team().declared(work);
  if (!rank->declared(work)) starve();
  if (shared_memory) [[unlikely]]
    rank->computed_until(shared_memory->promised());  // of what was measured, which this replaces
  if (recorder && meter->measures()) system_since_ = clock::thread_system_nanoseconds();
}

void Process::child_ended(Instant since, std::int64_t cpu) {
  if (!rank->worked(since, scaled(cpu))) starve();
}

void Process::declare_beside(double reference_seconds) {
  team().declares(Interval::seconds(reference_seconds), meter->measures());
  if (shown_time() == Time::beside) own_clock().declare(Interval::seconds(reference_seconds));
  if (!meter->measures() || !turns) return;
  if (thread == this_thread())
    meter->start();
  else if (caller.meter)
    caller.meter->start();
}

namespace {

std::string longest_time() {
  return format(Instant::last() - Instant::start(), 3) + " (53 days), the longest virtual time there is";
}

}  // namespace

void Process::starve() {
  const std::string computes = "starvation: rank " + std::to_string(number) + " computes from " +
                               format(rank->now() - Instant::start(), 9) +
                               " on, and the speed of its node, " + std::to_string(node);
  if (target.speed(node, size).stops().is_never())
    stop_job_in_turn(computes + ", is too low: that takes until after " + longest_time() +
                         "; in the target file, raise speed, or declare less work",
                     1);
  stop_job_in_turn(computes + ", stays 0; in the target file, let what makes it 0 end by `until`, or recover",
                   1);
}

void Process::overrun(Instant before) {
  stop_job_in_turn("rank " + std::to_string(number) + ", in " + call + " at " +
                       format(before - Instant::start(), 9) + ": what it does would end after " +
                       longest_time() + "; in the target file let that cost less, or let the program do less",
                   1);
}

[[gnu::hot]] void Process::start_meter() {
  if (turns && Team::several()) [[unlikely]]
    return start_caller();
  if (!meter->measures()) return;
  if (Team::several()) [[unlikely]]
    team().start(cpu_of_others());
  if (recorder) system_since_ = clock::thread_system_nanoseconds();
  meter->start();
  if (cpu) wire->computing(cpu->since());
}

}  // namespace emu::mpi
