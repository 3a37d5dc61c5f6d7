#include <algorithm>

#include "scatter/exact.h"

namespace emu::scatter {
namespace {

constexpr double most_iterations = 1e11;
constexpr double most_table = 3e7;
constexpr std::int64_t most_table_steps = 20'000'000'000;

std::vector<std::int64_t> tabulated(const Cost& cost, Items n) {
  std::vector<std::int64_t> values;
  for (Items k = 0; k <= n; ++k) values.push_back(cost.of(k).picoseconds());
  return values;
}

std::vector<Items> followed(const std::vector<std::vector<std::uint32_t>>& chosen, std::size_t n) {
  std::vector<Items> counts;
  for (const auto& row : chosen) {
    counts.push_back(row[n]);
    n -= row[n];
  }
  return counts;
}

}  // namespace

Result<Plan> exact_any(const Problem& problem) {
  if (const auto good = check(problem); !good) return tl::unexpected(good.error());
  const std::size_t p = problem.processors.size();
  const std::size_t n = static_cast<std::size_t>(problem.items);
  if (static_cast<double>(p) * static_cast<double>(n) * static_cast<double>(n) > most_iterations)
    return fail(std::to_string(n) + " items for " + std::to_string(p) +
                " processors, at costs that may decrease, are too many: p n^2 must be at most 10^11; plan "
                "packages of several items, or give costs that never decrease");
  // best[d]: the least time in which the processors from i on process d items. chosen[i][d]: how many of
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
  return finished(problem, followed(chosen, n));
}

// As above. With e items or more, where Tcomp(e) exceeds the time of the later processors for the rest, the time only
// grows with e: so the least such e is tried, and below it those e for which the rest alone does not exceed the best
// time.
Result<Plan> exact_table(const Problem& problem) {
  if (const auto good = check_never_decreases(problem); !good) return tl::unexpected(good.error());
  const std::size_t p = problem.processors.size();
  const std::size_t n = static_cast<std::size_t>(problem.items);
  if (static_cast<double>(p) * static_cast<double>(n) > most_table)
    return fail(
        std::to_string(n) + " items for " + std::to_string(p) +
        " processors are too many for a table: p n must be at most 3 * 10^7; plan packages of several items");
  std::vector<std::int64_t> best, next(n + 1);
  std::vector<std::vector<std::uint32_t>> chosen(p, std::vector<std::uint32_t>(n + 1));
  std::int64_t steps = 0;
  for (std::size_t i = p; i-- > 0;) {
    const auto send = tabulated(problem.processors[i].send, problem.items);
    const auto compute = tabulated(problem.processors[i].compute, problem.items);
    const bool last = best.empty();
    if (last) best.assign(n + 1, too_long.picoseconds()), best[0] = 0;
    std::size_t enough = 0;  // it never falls from d to d + 1
    for (std::size_t d = 0; d <= n; ++d) {
      if (steps > most_table_steps)
        return fail("too many distributions are nearly as good as the best; plan packages of several items");
      while (enough < d && compute[enough] < best[d - enough]) ++enough, ++steps;
      std::size_t at = enough;
      std::int64_t least = send[at] + std::max(compute[at], best[d - at]);
      for (std::size_t e = enough; e-- > 0 && best[d - e] < least; ++steps)
        if (const std::int64_t time = send[e] + best[d - e]; time < least) least = time, at = e;
      next[d] = std::min(least, too_long.picoseconds());
      chosen[i][d] = static_cast<std::uint32_t>(at);
    }
    best.resize(n + 1);
    best.swap(next);
  }
  return finished(problem, followed(chosen, n));
}

}  // namespace emu::scatter
