#include "farm/question.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "../loops/advised.h"
#include "advice/c_loop.h"
#include "advice/on_target.h"
#include "base/units.h"
#include "model/collectives.h"
#include "model/two_level.h"

namespace emu::app::farms {
namespace {

// The tasks in order, in chunks by the rule.
class Counter {
 public:
  Counter(const Policy& way, std::int32_t tasks, int slaves, const advice::Costs& costs,
          loops::Adviser adviser)
      : way_(way), tasks_(tasks), slaves_(slaves), adviser_(std::move(adviser)) {
    if (way.rule != advice::Rule::weighted && way.rule != advice::Rule::advised)
      rule_ = advice::make_chunks(way.rule, tasks, slaves, {}, costs);
  }
  Note next(int slave) {
    const std::int32_t left = tasks_ - next_;
    if (left == 0) return {next_, 0};
    const std::int32_t count = rule_->next(slave, left);
    if (count == 0) return {-1, 0};
    const Note chunk{next_, std::min(left, std::max(way_.chunk, count))};
    next_ += chunk.count;
    return chunk;
  }
  void took(int slave, const Note& chunk) { rule_->took(slave, chunk.count, chunk.seconds); }
  // Speeds are the inverse of the times of the probes. A probe that took no time gives no information.
  void probed(const std::vector<double>& seconds) {
    std::vector<double> weights;
    for (const double one : seconds) weights.push_back(one > 0 ? 1 / one : 1);
    rule_ = advice::make_chunks(way_.rule, tasks_, slaves_, weights);
  }
  // The master has tried out the last tasks.
  void tried(double seconds) {
    const std::int32_t done = advice::tried_out(tasks_);
    tasks_ -= done;
    rule_ = std::make_unique<loops::Advised>(tasks_, slaves_, adviser_, seconds / done);
  }
  void clock(double now) { rule_->clock(now); }

 private:
  const Policy way_;
  std::int32_t tasks_;  // end of the tasks that it deals
  const int slaves_;
  const loops::Adviser adviser_;
  std::unique_ptr<advice::Chunks> rule_;
  std::int32_t next_ = 0;
};

Next counting(const std::shared_ptr<Counter>& counter) {
  return [counter](int slave) { return counter->next(slave); };
}

Next dealing(const strategies::Share& share) {
  return [dealer = strategies::Dealer(share)](int) mutable {
    const strategies::Range chunk = dealer.next();
    return Note{chunk.first, chunk.count};
  };
}

model::Schedule broadcast(const target::Target& target, int rank, int ranks) {
  constexpr model::Bytes integer = 4;
  const model::AlgorithmQuery asked{model::Collective::bcast, integer, ranks};
  const model::AlgorithmChoice way = target.algorithms.of(asked);
  if (way.algorithm == model::Algorithm::mpich && target.shares_nodes()) {
    const model::Places places = target.places(ranks);
    const model::NodeGroups groups(rank, ranks,
                                   [&](int i) { return places[static_cast<std::size_t>(i)].node; });
    if (model::takes_nodes(groups, asked)) return model::bcast_by_nodes(groups, 0, integer);
  }
  return model::bcast(rank, ranks, 0, integer, way);
}

using Parts = std::vector<std::unique_ptr<Process>>;

// One rank's part of a farm with one master, rank 0.
Parts of_one_master(const Job& job, const target::Target& target, int rank, int ranks,
                    const std::shared_ptr<Counter>& counter) {
  Parts parts;
  const bool requests = job.protocol == Protocol::request;
  if (requests) parts.push_back(collective(rank, broadcast(target, rank, ranks)));
  if (ranks == 1 && requests)
    parts.push_back(alone(job, rank, dealing(strategies::whole({0, job.costs.tasks()}, job.costs.tasks()))));
  else if (ranks == 1)
    parts.push_back(alone(job, rank, counting(counter)));
  else if (rank > 0)
    parts.push_back(requests ? request_slave(job, rank, 0) : deal_slave(job, rank, 0));
  else if (requests)
    parts.push_back(
        request_master(job, rank, ranks - 1, counting(counter),
                       {[counter](int slave, const Note& chunk) { counter->took(slave, chunk); },
                        [counter](const std::vector<double>& seconds) { counter->probed(seconds); },
                        [counter](double seconds) { counter->tried(seconds); },
                        [counter](double now) { counter->clock(now); }}));
  else
    parts.push_back(deal_master(job, rank, ranks - 1, counting(counter)));
  return parts;
}

// One rank's part of a farm with several masters. Before the first task, ranks do the MPI operations of
// apps/strategies/multiple_masters.cc: a broadcast, and a communicator for each group.
Parts of_several_masters(const Question& question, const Job& job, const Policy& way,
                         const target::Target& target, int rank, int ranks) {
  constexpr model::Bytes color_and_key = 8;
  constexpr model::Reduction contexts{65, 4, true, true};
  const auto begin = [&](int group) { return strategies::begin_of(ranks, way.masters, group); };
  const auto share = [&](int group) {
    return strategies::share_of(group, way.masters, question.dealing, way.chunk, {0, job.costs.tasks()});
  };
  const auto results = [&](int group) {
    model::Bytes bytes = 0;
    strategies::Dealer dealer(share(group));
    for (auto chunk = dealer.next(); chunk.count != 0; chunk = dealer.next())
      bytes += chunk.count * job.bytes.result;
    return bytes;
  };
  Parts parts;
  parts.push_back(collective(rank, broadcast(target, rank, ranks)));
  parts.push_back(collective(rank, model::allgather(rank, ranks, color_and_key)));
  parts.push_back(collective(rank, model::allreduce(rank, ranks, contexts)));
  const int group = strategies::group_of(rank, ranks, way.masters);
  const int master = begin(group), slaves = begin(group + 1) - master - 1;
  if (rank != master)
    parts.push_back(deal_slave(job, rank, master));
  else if (slaves == 0)
    parts.push_back(alone(job, rank, dealing(share(group))));
  else
    parts.push_back(deal_master(job, rank, slaves, dealing(share(group))));
  if (rank == master && rank != 0) parts.push_back(send_results(rank, results(group)));
  if (rank == 0) {
    std::vector<std::pair<int, model::Bytes>> masters;
    for (int other = 1; other < way.masters; ++other) masters.emplace_back(begin(other), results(other));
    parts.push_back(collect_results(std::move(masters)));
  }
  return parts;
}

// Advice, as from emu_advise for a master on rank 0.
loops::Adviser adviser_on(const target::Target& target, int ranks) {
  const auto network = std::make_shared<model::Network>(target.network, target.topology(ranks));
  return [network](const emu_loop& loop, emu_advice& found) {
    const std::vector<int> slaves(loop.ranks, loop.ranks + loop.workers);
    found =
        advice::advise(loop, advice::workers_of(*network, 0, slaves, {loop.request_bytes, loop.chunk_bytes}));
    return true;
  };
}

// The nodes of the first `ranks` ranks, without repetition.
std::vector<int> nodes_of(const target::Target& target, int ranks) {
  std::vector<int> nodes = target.place(ranks);
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

}  // namespace

Result<void> expressible(const target::Target& target, int ranks, const std::string& origin) {
  for (const int node : nodes_of(target, ranks))
    if (const model::Outages outages = target.outages_of(node); !outages.list().empty())
      return fail(fmt::format(
          "{}: [[event]] of kind \"fail\": node {} fails at {} (expected a target whose nodes do not "
          "fail: a farm cannot continue without a rank)",
          origin, node, format(outages.list().front().from - Instant::start(), 6)));
  const model::Network network(target.network, target.topology(ranks));
  if (network.any_sends_whole())
    return fail(origin + ": send_returns: \"sent\" (expected \"copied\": a farm's sends return at once)");
  if (network.any_gets())
    return fail(origin + ": rendezvous: \"get\" (expected \"put\": a farm's handshakes send the data)");
  return {};
}

Result<void> possible(const Question& question, const Policy& way, const target::Target& target, int ranks) {
  const bool requests = question.job.protocol == Protocol::request;
  if (advice::needs_times(way.rule) && !requests)
    return fail("--rule " + advice::rule_names()[static_cast<std::size_t>(way.rule)] +
                ": needs the slaves' times, which only requests carry (expected --protocol request)");
  if (requests && way.masters > 1)
    return fail(fmt::format("--masters {}: expected 1 with --protocol request", way.masters));
  if (requests && way.prefetch > 1)
    return fail(fmt::format("--prefetch {}: expected 1 with --protocol request", way.prefetch));
  if (way.masters > 1 && way.rule != advice::Rule::self)
    return fail(fmt::format("--masters {}: expected 1, or --rule self", way.masters));
  if (way.masters > ranks)
    return fail(fmt::format("--masters {}: expected at most the number of ranks, {}", way.masters, ranks));
  if (way.prefetch == 1) return {};
  // With prefetching, a slave may send a result while the master sends it a task: two handshakes would wait for each
  // other.
  const model::Network network(target.network, target.topology(ranks));
  const model::Bytes task = question.job.bytes.task + std::int64_t{way.chunk} * question.job.bytes.input;
  const auto master_of = [&](int rank) {
    return strategies::begin_of(ranks, way.masters, strategies::group_of(rank, ranks, way.masters));
  };
  for (int rank = 0; rank < ranks; ++rank)
    if (!network.eager(master_of(rank), rank, task))
      return fail(fmt::format(
          "--prefetch {}: tasks of {} are longer than network.eager_limit of the target (expected "
          "shorter ones, or --prefetch 1)",
          way.prefetch, format_bytes(task)));
  return {};
}

Result<record::RunSummary> simulate(const Question& question, const Policy& way, const target::Target& target,
                                    int ranks) {
  Job job = question.job;
  job.prefetch = way.prefetch;
  job.turnaround = advice::needs_turnaround(way.rule);
  job.probe = way.rule == advice::Rule::weighted ? question.probe : 0;
  job.tries = way.rule == advice::Rule::advised && ranks > 1;
  const auto counter =
      std::make_shared<Counter>(way, job.costs.tasks(), std::max(1, ranks - 1), question.costs,
                                job.tries ? adviser_on(target, ranks) : loops::Adviser());
  std::vector<std::unique_ptr<Process>> programs;
  for (int rank = 0; rank < ranks; ++rank)
    programs.push_back(in_sequence(way.masters > 1
                                       ? of_several_masters(question, job, way, target, rank, ranks)
                                       : of_one_master(job, target, rank, ranks, counter)));
  return Machine(target, ranks).run(std::move(programs));
}

}  // namespace emu::app::farms
