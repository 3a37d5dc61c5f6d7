#include "scatter/order.h"

#include <algorithm>
#include <optional>

#include "scatter/exact.h"

namespace emu::scatter {

std::vector<std::size_t> as_given(std::size_t processors, std::size_t root) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < processors; ++i)
    if (i != root) order.push_back(i);
  order.push_back(root);
  return order;
}

std::vector<std::size_t> by_bandwidth(const std::vector<Processor>& processors, std::size_t root,
                                      Items items) {
  std::vector<std::size_t> order = as_given(processors.size(), root);
  const Items part = std::max<Items>(1, items / static_cast<Items>(processors.size()));
  const Items known = std::min(part, items);  // a table may have no more values
  std::stable_sort(order.begin(), order.end() - 1, [&](std::size_t a, std::size_t b) {
    return processors[a].send.of(known) < processors[b].send.of(known);
  });
  return order;
}

std::vector<Processor> in_order(const std::vector<Processor>& processors,
                                const std::vector<std::size_t>& order) {
  std::vector<Processor> result;
  for (const std::size_t i : order) result.push_back(processors[i]);
  return result;
}

Result<Root> best_root(std::size_t processors, const std::function<Problem(std::size_t)>& problem_of,
                       const std::function<Interval(std::size_t)>& move_to) {
  std::optional<Root> best;
  for (std::size_t i = 0; i < processors; ++i) {
    auto plan = exact(problem_of(i));
    if (!plan) return tl::unexpected(plan.error());
    Root root{i, std::move(*plan), move_to(i)};
    if (!best || plus(root.moved, root.plan.makespan) < plus(best->moved, best->plan.makespan))
      best = std::move(root);
  }
  if (!best) return fail("a scatter needs at least 1 processor");
  return std::move(*best);
}

}  // namespace emu::scatter
