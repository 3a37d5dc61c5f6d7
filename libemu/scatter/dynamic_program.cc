#include <algorithm>

#include "scatter/exact.h"

namespace emu::scatter {
namespace {

constexpr double most_steps = 1e11;

std::vector<std::int64_t> tabulated(const Cost& cost, Items n) {
  std::vector<std::int64_t> values;
  for (Items k = 0; k <= n; ++k) values.push_back(cost.of(k).picoseconds());
  return values;
}

}  // namespace

Result<Plan> exact_any(const Problem& problem) {
  if (const auto good = check(problem); !good) return tl::unexpected(good.error());
  const std::size_t p = problem.processors.size();
  const std::size_t n = static_cast<std::size_t>(problem.items);
  if (static_cast<double>(p) * static_cast<double>(n) * static_cast<double>(n) > most_steps)
    return fail(std::to_string(n) + " items for " + std::to_string(p) +
                " processors, at costs that may decrease, are too many: p n^2 must be at most 10^11; plan "
                "packages of several items, or give costs that never decrease");
  // best[d]: the least time in which the processors from i on are done with d items. chosen[i][d]: how many of
  // them i gets.
  std::vector<std::int64_t> best, next(n + 1);
  std::vector<std::vector<std::uint32_t>> chosen(p, std::vector<std::uint32_t>(n + 1));
  for (std::size_t i = p; i-- > 0;) {
    const auto send = tabulated(problem.processors[i].send, problem.items);
    const auto compute = tabulated(problem.processors[i].compute, problem.items);
    for (std::size_t d = 0; d <= n; ++d) {
      std::size_t at = d;
      std::int64_t least = send[d] + (best.empty() ? compute[d] : std::max(compute[d], best[0]));
      for (std::size_t e = 0; e < d && !best.empty(); ++e) {
        const std::int64_t time = send[e] + std::max(compute[e], best[d - e]);
        if (time < least) least = time, at = e;
      }
      next[d] = std::min(least, too_long.picoseconds());
      chosen[i][d] = static_cast<std::uint32_t>(at);
    }
    best.resize(n + 1);
    best.swap(next);
  }
  std::vector<Items> counts;
  std::size_t left = n;
  for (std::size_t i = 0; i < p; ++i) {
    counts.push_back(chosen[i][left]);
    left -= chosen[i][left];
  }
  return finished(problem, counts);
}

}  // namespace emu::scatter
