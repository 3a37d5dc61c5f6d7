#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "skeleton/fold/farm.h"
#include "skeleton/fold/merge.h"
#include "skeleton/fold/regularise.h"
#include "skeleton/program/balance.h"
#include "skeleton/program/skeleton.h"

namespace emu::skeleton {

Function Step::function() const {
  for (const Call& call : calls)
    if (call.function != Function::nothing) return call.function;
  return Function::nothing;
}

std::size_t steps_in(const std::vector<Node>& nodes) {
  std::size_t sum = 0;
  for (const Node& node : nodes) sum += node.is_loop() ? steps_in(node.body) : 1;
  return sum;
}

namespace {

// Sums over all executions of a step.
struct Sums {
  struct OfRank {
    const Call* first = nullptr;
    std::uint64_t times = 0;
    double work = 0, squares = 0, inside = 0, bytes = 0;
    std::vector<double> list;  // if it is not always equal
    bool same_list = true;
  };
  std::vector<OfRank> ranks;
  bool differ = false;  // the work of executions differs
  VariationOf variation;
};

void add(Sums::OfRank& to, const Call& call, double work, double inside) {
  if (!to.first) to.first = &call;
  if (to.same_list && call.list != to.first->list && call.function != Function::wait) {
    to.same_list = false;
    to.list.assign(to.first->list.begin(), to.first->list.end());
    for (double& each : to.list) each *= static_cast<double>(to.times);
  }
  if (!to.same_list)
    for (std::size_t i = 0; i < to.list.size() && i < call.list.size(); ++i)
      to.list[i] += static_cast<double>(call.list[i]);
  ++to.times;
  to.work += work;
  to.squares += work * work;
  to.inside += inside;
  to.bytes += static_cast<double>(call.bytes);
}

// The mean in whole elements; a message that was not empty does not become empty.
std::int64_t mean_bytes(double sum, std::uint64_t times, std::int32_t unit) {
  const double elements = sum / static_cast<double>(times) / unit;
  return static_cast<std::int64_t>(sum > 0 ? std::max(1.0, std::round(elements)) : 0) * unit;
}

Step step_of(const Sums& sums) {
  Step step;
  step.calls.resize(sums.ranks.size());
  step.work.resize(sums.ranks.size());
  double taking_part = 0;
  for (std::size_t rank = 0; rank < sums.ranks.size(); ++rank) {
    const Sums::OfRank& of = sums.ranks[rank];
    if (!of.first) continue;
    const auto times = static_cast<double>(of.times);
    Call& call = step.calls[rank] = *of.first;
    call.bytes = mean_bytes(of.bytes, of.times, call.unit);
    if (!of.same_list)
      for (std::size_t i = 0; i < of.list.size(); ++i)
        call.list[i] = mean_bytes(of.list[i], of.times, call.unit);
    step.work[rank] = of.work / times;
    step.inside += of.inside / times;
    step.times = std::max(step.times, of.times);
    ++taking_part;
  }
  if (taking_part > 0) step.inside /= taking_part;
  return step;
}

// Walks through the columns as the loops define, and adds up the events at each place.
class Describing {
 public:
  Describing(const Recording& recording, const Columns& columns) : recording_(recording), columns_(columns) {}

  std::vector<Node> run(const std::vector<LoopNode>& loops) {
    go(
        loops,
        [](Sums& sums, std::size_t rank, const RankTrace& trace, std::size_t event) {
          add(sums.ranks[rank], trace.calls[trace.call[event]], static_cast<double>(trace.work[event]),
              static_cast<double>(trace.inside[event]));
        },
        [](Sums&) {});
    for (Sums& sums : sums_) sums.differ = std::any_of(sums.ranks.begin(), sums.ranks.end(), differs);
    // Each rank's work is compared with its own mean, which is known now.
    go(
        loops,
        [](Sums& sums, std::size_t rank, const RankTrace& trace, std::size_t event) {
          const Sums::OfRank& of = sums.ranks[rank];
          if (sums.differ && of.work > 0)
            sums.variation.add(static_cast<float>(static_cast<double>(trace.work[event]) *
                                                  static_cast<double>(of.times) / of.work));
        },
        [](Sums& sums) { sums.variation.end_of_time(); });
    return nodes_of(loops);
  }

 private:
  static bool differs(const Sums::OfRank& of) {
    // Rounded squares of floats do not count as a difference.
    return of.squares * static_cast<double>(of.times) > (1 + 1e-6) * of.work * of.work;
  }

  // Calls `each` for all events, place by place, and `done` after those of one column.
  template <class Each, class Done>
  void go(const std::vector<LoopNode>& loops, Each each, Done done) {
    column_ = 0;
    next_.assign(recording_.ranks.size(), 0);
    walk(loops, [&](const LoopNode& leaf) { visit(leaf, each, done); });
  }

  template <class Each, class Done>
  void visit(const LoopNode& leaf, Each each, Done done) {
    const auto [known, first] = place_.emplace(&leaf, sums_.size());
    if (first) sums_.push_back({std::vector<Sums::OfRank>(recording_.ranks.size()), false, {}});
    Sums& sums = sums_[known->second];
    for (std::size_t rank = 0; rank < recording_.ranks.size(); ++rank) {
      const RankTrace& trace = recording_.ranks[rank];
      std::size_t& event = next_[rank];
      if (event == trace.size() || columns_.of_event[rank][event] != column_) continue;
      each(sums, rank, trace, event);
      ++event;
    }
    done(sums);
    ++column_;
  }

  std::vector<Node> nodes_of(const std::vector<LoopNode>& loops) {
    std::vector<Node> nodes;
    for (const LoopNode& loop : loops) {
      Node node;
      if (loop.is_loop()) {
        node.body = nodes_of(loop.body);
        double sum = 0;
        for (const std::uint32_t times : loop.times) sum += times;
        node.times = sum / static_cast<double>(loop.times.size());
        node.varies = loop.times.size() > 1;
      } else {
        Sums& sums = sums_[place_.at(&loop)];
        node.step = step_of(sums);
        node.step.variation = std::move(sums.variation).get();
      }
      nodes.push_back(std::move(node));
    }
    return nodes;
  }

  const Recording& recording_;
  const Columns& columns_;
  std::uint32_t column_ = 0;
  std::vector<std::size_t> next_;  // next event of each rank
  std::vector<Sums> sums_;
  std::unordered_map<const LoopNode*, std::size_t> place_;
};

// Converts `columns` with these loops.
Result<Compressed> describe(const Recording& recording, const Columns& columns,
                            const std::vector<LoopNode>& loops) {
  Compressed result;
  result.columns = columns.count;
  result.symbols = symbols_in(loops);
  result.structure = text_of(loops);
  // Except for the sums of each step on each rank, all costs are linear in the events.
  if (static_cast<double>(result.symbols) * static_cast<double>(recording.ranks.size()) > most_calls)
    return fail("no repetition found: " + std::to_string(columns.count) + " events on " +
                std::to_string(recording.ranks.size()) + " ranks fold to " + std::to_string(result.symbols) +
                " steps (a larger --tolerance may help)");
  Skeleton& skeleton = result.skeleton;
  skeleton.program = recording.facts.program;
  skeleton.target = recording.facts.target;
  skeleton.ranks = static_cast<int>(recording.ranks.size());
  skeleton.seconds = recording.seconds();
  for (const RankTrace& rank : recording.ranks)
    skeleton.work_per_second = std::max(skeleton.work_per_second, rank.work_per_second);
  skeleton.nodes = Describing(recording, columns).run(loops);
  return result;
}

Result<Compressed> folded(const Recording& recording, const CompressOptions& options,
                          const Columns& columns) {
  constexpr std::size_t most = std::size_t{1} << 29;
  if (columns.count >= most)
    return fail("the recording has " + std::to_string(columns.count) +
                " events; up to 536870912 are possible");
  const auto with = [&](const LoopOptions& how) {
    return describe(recording, columns, fold(columns.symbol, columns.symbols, how));
  };
  auto result = with({options.tolerance});
  if (result && !even_where_counts_vary(result->skeleton)) result = with({0, false});
  return result;
}

}  // namespace

Result<Compressed> compress(Recording recording, const CompressOptions& options) {
  const std::size_t events = recording.events();
  fold_farms(recording);
  for (RankTrace& rank : recording.ranks) regularise(rank);
  auto result = folded(recording, options, merge(recording.ranks, options.tolerance));
  // A program with many steps has lost its loops, or has none: the alignment may be wrong.
  constexpr std::size_t many = 100;
  if (!result || result->symbols > many)
    if (const auto columns = merge_by_loops(recording.ranks, options.tolerance))
      if (auto other = folded(recording, options, *columns);
          other && (!result || other->symbols < result->symbols))
        result = std::move(other);
  if (result) result->skeleton.events = events;
  return result;
}

}  // namespace emu::skeleton
