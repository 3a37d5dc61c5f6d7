#include "scatter/answer.h"

#include "scatter/exact.h"
#include "scatter/heuristic.h"
#include "scatter/linear.h"
#include "scatter/on_target.h"
#include "scatter/order.h"

namespace emu::app::scatters {
namespace {

struct Question {
  scatter::Problem problem;
  std::vector<std::size_t> order;
};

Result<Question> question(const target::Target& target, int ranks, int root, const scatter::Work& work,
                          Order by) {
  const auto all = scatter::processors(target, ranks, root, work);
  if (!all) return tl::unexpected(all.error());
  const auto at = static_cast<std::size_t>(root);
  Question result;
  result.order = by == Order::bandwidth ? scatter::by_bandwidth(*all, at, work.items)
                                        : scatter::as_given(all->size(), at);
  result.problem = {work.items, scatter::in_order(*all, result.order)};
  return result;
}

Result<int> best_root(const target::Target& target, int ranks, const scatter::Work& work,
                      const Options& options) {
  std::vector<scatter::Problem> problems;
  for (int root = 0; root < ranks; ++root) {
    auto one = question(target, ranks, root, work, options.order);
    if (!one) return tl::unexpected(one.error());
    problems.push_back(std::move(one->problem));
  }
  const auto best = scatter::best_root(
      problems.size(), [&](std::size_t root) { return problems[root]; },
      [&](std::size_t root) {
        return options.data_at
                   ? scatter::moving(target, ranks, *options.data_at, static_cast<int>(root), work)
                   : Interval();
      });
  if (!best) return tl::unexpected(best.error());
  return static_cast<int>(best->number);
}

Result<scatter::Plan> planned(const scatter::Problem& problem, Answer& answer) {
  auto best = scatter::nearly_exact(problem);
  if (!best) return tl::unexpected(best.error());
  answer.least = best->least;
  answer.least_is_bound = !best->is_exact();
  switch (answer.method) {
    case Method::exact:
      if (best->is_exact()) return std::move(best->plan);
      break;
    case Method::heuristic: {
      auto found = scatter::heuristic(problem);
      if (!found) return tl::unexpected(found.error());
      answer.guarantee = found->guarantee;
      return std::move(found->plan);
    }
    case Method::closed:
      return scatter::closed_form(problem);
    case Method::uniform:
      // Equal parts are assigned to ranks, in any order.
      std::vector<scatter::Items> counts;
      const auto equal = scatter::uniform(problem.items, problem.processors.size());
      for (const int rank : answer.order) counts.push_back(equal[static_cast<std::size_t>(rank)]);
      return scatter::finished(problem, counts);
  }
  // The exact plan would take seconds more, or its failure contains advice.
  auto plan = scatter::exact(problem);
  if (plan) answer.least = plan->makespan;
  answer.least_is_bound = false;
  return plan;
}

// The starts of the items of each rank: in the order of the ranks, or in the order of sending.
std::vector<scatter::Items> begins(const Answer& answer) {
  const std::vector<scatter::Part> parts = answer.parts();
  std::vector<scatter::Items> result(parts.size());
  scatter::Items begin = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::size_t rank = answer.by == Order::bandwidth ? static_cast<std::size_t>(answer.order[i]) : i;
    result[rank] = begin;
    begin += parts[rank].items;
  }
  return result;
}

}  // namespace

std::vector<scatter::Part> Answer::parts() const {
  std::vector<scatter::Part> result(plan.parts.size());
  for (std::size_t i = 0; i < result.size(); ++i) result[static_cast<std::size_t>(order[i])] = plan.parts[i];
  return result;
}

double Answer::misses_by() const {
  return least > Interval() ? (plan.makespan - least).seconds() / least.seconds() : 0;
}

Result<Answer> answer(const target::Target& target, int ranks, const Options& options) {
  scatter::Work work{options.items, options.item_bytes, {}};
  if (options.item_seconds) {
    work.item_seconds = {*options.item_seconds};
  } else {
    auto seconds = item_seconds_of(options.trace, target, ranks, options);
    if (!seconds) return tl::unexpected(seconds.error());
    work.item_seconds = std::move(*seconds);
  }
  Answer result;
  result.target = target.name;
  result.items = options.items;
  result.item_bytes = options.item_bytes;
  result.method = options.method;
  result.by = options.order;
  if (options.root) {
    result.root = *options.root;
  } else {
    const auto root = best_root(target, ranks, work, options);
    if (!root) return tl::unexpected(root.error());
    result.root = *root;
  }
  if (options.data_at) result.moved = scatter::moving(target, ranks, *options.data_at, result.root, work);
  const auto asked = question(target, ranks, result.root, work, options.order);
  if (!asked) return tl::unexpected(asked.error());
  for (const std::size_t rank : asked->order) result.order.push_back(static_cast<int>(rank));
  auto plan = planned(asked->problem, result);
  if (!plan) return tl::unexpected(plan.error());
  result.plan = std::move(*plan);
  result.displacements = begins(result);
  const std::vector<int> nodes = target.place(ranks);
  for (int rank = 0; rank < ranks; ++rank) {
    const auto at = static_cast<std::size_t>(rank);
    result.item_seconds.push_back(work.item_seconds.size() == 1
                                      ? work.item_seconds[0] / target.nominal_speed(nodes[at], ranks)
                                      : work.item_seconds[at]);
  }
  return result;
}

}  // namespace emu::app::scatters
