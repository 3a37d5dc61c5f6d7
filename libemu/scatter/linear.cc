#include "scatter/linear.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace emu::scatter {

std::vector<Items> rounded(const std::vector<long double>& shares, Items items) {
  std::vector<Items> counts(shares.size());
  std::vector<std::size_t> left(shares.size());
  std::iota(left.begin(), left.end(), 0);
  Items given = 0;
  long double over = 0;  // excess of the rounded numbers over their shares
  while (left.size() > 1) {
    // Distance of a share to the whole number that it may become, and that number.
    const auto to = [&](std::size_t i) {
      return over < 0 ? std::ceil(shares[i]) : over > 0 ? std::floor(shares[i]) : std::round(shares[i]);
    };
    const auto nearest = std::min_element(left.begin(), left.end(), [&](std::size_t a, std::size_t b) {
      return std::abs(to(a) - shares[a]) < std::abs(to(b) - shares[b]);
    });
    const std::size_t i = *nearest;
    const long double whole = to(i);
    counts[i] = std::clamp<Items>(static_cast<Items>(whole), 0, items - given);
    given += counts[i];
    over += whole - shares[i];
    if (std::abs(over) < 1e-9L) over = 0;  // except for rounding
    left.erase(nearest);
  }
  counts[left.front()] = items - given;
  return counts;
}

Result<Shares> shares(const Problem& problem) {
  if (const auto good = check(problem); !good) return tl::unexpected(good.error());
  const auto& processors = problem.processors;
  const std::size_t p = processors.size();
  for (std::size_t i = 0; i < p; ++i)
    if (!processors[i].send.is_linear() || !processors[i].compute.is_linear())
      return fail("the closed form is for linear costs, without a fixed part; those of processor " +
                  std::to_string(i) +
                  " (in the order of sending) are not. Take the heuristic or the exact method");
  // A processor without any costs takes all items, in time 0.
  const long double never = 1e-30L;
  std::vector<long double> rate(p + 1, 0.0L);  // D
  for (std::size_t i = p; i-- > 0;) {
    const long double a = processors[i].send.per_item(), b = processors[i].compute.per_item();
    const long double weight = 1 - a * rate[i + 1];
    rate[i] = rate[i + 1] + (weight > 0 ? weight / std::max(a + b, never) : 0.0L);
  }
  Shares result;
  const long double n = static_cast<long double>(problem.items);
  long double left = n / rate[0];  // remaining time
  const long double most = static_cast<long double>(too_long.picoseconds());
  result.makespan = Interval::picoseconds(static_cast<std::int64_t>(std::min(left, most)));
  for (std::size_t i = 0; i < p; ++i) {
    const long double a = processors[i].send.per_item(), b = processors[i].compute.per_item();
    const bool worth = a * rate[i + 1] < 1;
    result.items.push_back(worth ? left / std::max(a + b, never) : 0.0L);
    left -= a * result.items.back();
  }
  return result;
}

Result<Plan> closed_form(const Problem& problem) {
  const auto split = shares(problem);
  if (!split) return tl::unexpected(split.error());
  return finished(problem, rounded(split->items, problem.items));
}

}  // namespace emu::scatter
