// Construction of a process as an emulated rank: its parts in the order in which they need each other.

#include <malloc.h>
#include <unistd.h>

#include <fstream>
#include <limits>

#include "match/checked_wire.h"
#include "process/cores.h"
#include "process/fork/fork_start.h"
#include "process/log.h"
#include "process/process.h"
#include "process/start/program_symbols.h"
#include "process/upcalls.h"
#include "target/algorithms.h"
#include "wire/agent/agent.h"
#include "wire/jitter.h"

namespace emu::mpi {

Process::Process(Environment from) : environment(std::move(from)), self{job().number, job().size} {
  self.largest_tag = forked_rank() ? forked_rank()->largest_tag : largest_tag();
  auto found_node = find_node(job(), environment);
  if (!found_node)
    stop_before_start("rank " + std::to_string(self.number) + ": " + found_node.error().message, 1);
  HostNode host = std::move(*found_node);
  // Before the other ranks continue: a job that fails later has had libemu in it.
  if (!environment.status.empty() && self.number == 0)
    std::ofstream(environment.status)
        << getpid() << ' ' << host.region->fd() << ' ' << wire::Table::bytes(host.node_map) << '\n';
  agree(host);
  uses.one_sided = uses.one_sided || target.storage.shared;
  ForkedRank* const forked = forked_rank();
  if (forked && forked->one_sided == uses.one_sided)
    network.emplace(std::move(*forked->network));
  else
    network.emplace(target.network, target.topology(self.size), uses.one_sided);
  transport.wire =
      std::make_unique<wire::SharedWire>(std::move(*host.region), host.node_map, self.number, *network,
                                         [](const std::string& message) { stop_job(message, 1); });
  transport.wire->begin_life();
  if (host.node_map.several()) start_agent(host);
  start_watch();
  transport.checked = std::make_unique<match::CheckedWire<wire::SharedWire>>(
      *transport.wire, match::Invariants(self.number, self.size, network->lookahead()),
      [this](const match::Violation& broken) {
        const std::string other = broken.other < 0 ? "" : transport.wire->waited_in(broken.other);
        stop_job(match::describe(broken, self.number, calls.last, other), 1);
      });
  match::Wire* outermost = transport.checked.get();
  if (environment.jitter) {
    transport.jitter = std::make_unique<wire::Jitter>(*transport.checked, *environment.jitter, self.number);
    outermost = transport.jitter.get();
  }
  self.node = network->place(self.number).node;
  self.cores = target.nodes[static_cast<std::size_t>(target.group_of(self.node))].cores.value_or(
      ThreadRegistry::any_number);
  const model::Speed speed = target.speed(self.node, self.size);
  rank.emplace(
      self.number, self.size, *network, *outermost,
      rank::Node{speed, target.outages_of(self.node), target.failures(self.size), [this] { fail(); },
                 target.on_failure == target::OnFailure::error, [this](Instant before) { overrun(before); },
                 target.storage, !target.outages.empty()});
  if (uses.cancels_sends) rank->begin_withdrawals();
  if (!environment.trace.empty()) open_trace();
  if (target.compute == target::Compute::declared) {
    metering.meter = std::make_unique<clock::DeclaredMeter>();
  } else {
    auto measuring = std::make_unique<clock::CpuMeter>(target.host_speed);
    metering.measured = measuring.get();
    // A program that declares may replace measured values, so other ranks cannot count on its CPU time before it is
    // charged. They cannot count on it either if other ranks may cancel messages meanwhile.
    if (!program_declares_compute() && !uses.cancels_sends) {
      metering.readable = measuring.get();
      const double fastest = static_cast<double>(speed.fastest()) / static_cast<double>(model::one);
      transport.wire->measures(target.host_speed / fastest);
    }
    metering.meter = std::move(measuring);
  }
  if (environment.cores) {
    if (const auto shared = share_cores(*environment.cores); !shared) {
      if (self.number == 0) stop_job(shared.error().message, 2);
      for (;;) pause();  // until the job ends
    }
  }
  keep_awake();
  // The memory that the start of MPICH and of libemu has used is returned: with many ranks, the sum matters.
  // Forked ranks share these pages.
  if (!forked_rank()) malloc_trim(0);
  // Last, when all ranks are in MPI_Init: no rank's clock goes back after that.
  start_together();
  if (metering.measured) learn_meter();
  metering.before = used();
}

// One process of a host does so; where ranks are forked, it is their supervisor.
void Process::keep_awake() {
  const bool first = transport.wire->node_map().slot_of(self.number) == 0;
  if (forked_rank() || !first || self.size < 2 || !metering.measured || !environment.awake_cores) return;
  if (environment.division.nodes_per_machine != 1) return;  // several such processes
  transport.awake_cores = keep_cores_awake({}, [wire = transport.wire.get()] { return wire->any_waits(); });
}

// Done when all ranks are present, so that the conditions are those of the run. The time is not charged, so other ranks
// must not count on it.
void Process::learn_meter() {
  metering.measured->learn([this] {
    if (!metering.readable) return;
    transport.wire->computing(std::numeric_limits<std::int64_t>::max() / 2);
    transport.wire->stopped();
  });
}

void Process::open_trace() {
  const record::Header header{
      self.number, self.size,
      target.name, program_invocation_short_name,
      self.node,   target.nodes[static_cast<std::size_t>(target.group_of(self.node))].name};
  const auto cut = [this](const std::string& message) {
    log(Level::error, of_rank() + message);
    ++doubts.cut_traces;
  };
  auto opened = record::Recorder::create(environment.trace, header, cut);
  if (!opened) stop_job(opened.error().message, 2);
  recorder = std::move(*opened);
  const model::Outages outages = target.outages_of(self.node);
  for (const model::Outage& outage : outages.list())
    if (!outage.for_good()) recorder->outage(outage.from, outage.until);
  rank->record(*recorder);
  auto kept =
      record::ProgramWriter::create(environment.trace,
                                    {self.number, self.size, target.name, program_invocation_short_name,
                                     target::ways_of_collectives(target, self.size)},
                                    cut);
  if (!kept) stop_job(kept.error().message, 2);
  program = std::move(*kept);
  rank->keep(*program);
}

}  // namespace emu::mpi
