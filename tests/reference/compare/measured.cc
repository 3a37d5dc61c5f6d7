#include "reference/compare/measured.h"

#include <utility>
#include <vector>

#include "analysis/trace_reader.h"
#include "reference/program/generate.h"

namespace emu::reference {
namespace {

// A call with events, as a trace contains it. Other calls take no time.
struct Call {
  Instant begin, end;
};

// The call of each operation; nothing if it took no time. In the trace, an interval follows each operation.
Result<std::vector<std::optional<Call>>> read_calls(const std::string& path) {
  auto reader = analysis::Reader::open(path);
  if (!reader) return tl::unexpected(reader.error());
  std::vector<std::optional<Call>> calls;
  std::optional<Call> call;
  analysis::Event e;
  for (;;) {
    const auto more = (*reader)->next(e);
    if (!more) return tl::unexpected(more.error());
    if (!*more) break;
    if (e.kind == record::Record::enter) call = {e.now, e.now};
    if (e.kind == record::Record::leave && call) call->end = e.now;
    if (e.kind == record::Record::begin) calls.push_back(std::exchange(call, std::nullopt));
  }
  if (!(*reader)->complete()) return fail((*reader)->cut());
  return calls;
}

// Actions of a rank, according to its trace and its log.
struct Done {
  std::vector<std::optional<Call>> calls;
  Log log;
  std::size_t next = 0;  // of the calls
  Instant now;
};

Operation compute(Interval work) { return {.action = Action::compute, .picoseconds = work.picoseconds()}; }

// The operations of one rank with its work: three operations for each. The player reads the clock after each operation,
// so the time outside the call, between two readings, is work. The place of a call that took no time does not
// matter: all receives that one rank has posted at a time accept the same messages.
//
// The exception is an iprobe that found a message and took no time. It began when the message was there, and handled
// nothing. A message that arrived between its call and the reading of the clock must not be handled, so the earliest
// place is the right one: a probe that waits for the message.
std::vector<Operation> with_work(const Program& program, std::size_t rank, Done& done) {
  std::vector<Operation> result;
  const std::vector<Outcome>& outcomes = done.log[program.seed];
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    Operation o = program.ranks[rank][i];
    const Instant read = Instant::from_picoseconds(outcomes[i].clock);
    const std::optional<Call> traced = done.calls[done.next++];
    const Call call = traced.value_or(Call{done.now, done.now});
    const bool found = o.action == Action::iprobe && outcomes[i].answer && !traced;
    if (found) o.action = Action::probe;
    result.push_back(compute(call.begin - done.now));
    result.push_back(o.action == Action::compute ? compute(Interval()) : o);
    result.push_back(found ? Operation{.action = Action::compute, .end = read.picoseconds()}
                           : compute(read - call.end));
    done.now = read;
  }
  return result;
}

std::vector<Outcome> of_operations(const std::vector<Outcome>& outcomes) {
  std::vector<Outcome> result;
  for (std::size_t i = 1; i + 1 < outcomes.size(); i += 3) {
    result.push_back(outcomes[i]);
    result.back().clock = outcomes[i + 1].clock;
  }
  return result;
}

}  // namespace

Batch measuring(Batch batch) {
  Cluster& c = batch.cluster;
  c.measured = true;
  c.profiles.clear();
  c.events.clear();
  c.loads.clear();
  c.outages.clear();
  // In the trace, work of a collective looks like work of the program.
  c.network.reduce_per_byte = c.network.copy_per_byte = c.network.temporary_per_byte = Rate();
  for (Cluster::Group& group : c.groups) {
    group.speed = 1000;
    group.with.clear();
  }
  return batch;
}

Chain unplayed(const Batch& batch, std::uint64_t first, std::uint64_t count) {
  Chain chain{.batch = batch, .first = first, .count = count};
  chain.programs.push_back(setup(batch.ranks));
  for (std::uint64_t seed = first; seed < first + count; ++seed)
    chain.programs.push_back(generate_measured(seed, batch));
  return chain;
}

std::optional<Difference> compare_measured(Chain& chain, const std::string& logs, const std::string& folder) {
  std::vector<Done> done;
  for (int rank = 0; rank < chain.batch.ranks; ++rank) {
    auto calls = read_calls(record::file_of(folder, rank));
    if (!calls) return Difference{chain.first, calls.error().message + "\n"};
    done.push_back({std::move(*calls), read_log(logs + "." + std::to_string(rank))});
  }
  Simulator simulator(chain.batch.cluster, chain.batch.ranks);
  std::vector<Program> with_their_work;
  for (const Program& program : chain.programs) {
    with_their_work.push_back(program);
    for (std::size_t rank = 0; rank < done.size(); ++rank) {
      const std::size_t count = program.ranks[rank].size();
      if (done[rank].log[program.seed].size() != count || done[rank].calls.size() < done[rank].next + count)
        return Difference{program.seed, "rank " + std::to_string(rank) + " did not come to its end\n"};
      with_their_work.back().ranks[rank] = with_work(program, rank, done[rank]);
    }
  }
  if (simulator.run(in_a_row(with_their_work)) != Simulator::End::finished)
    return Difference{chain.first, "with the work that was measured it does not end\n"};
  for (const auto& program : parts_of(simulator.outcomes(), with_their_work)) {
    chain.expected.emplace_back();
    for (const auto& outcomes : program) chain.expected.back().push_back(of_operations(outcomes));
  }
  chain.coverage = simulator.coverage();
  return compare(chain, logs);
}

}  // namespace emu::reference
