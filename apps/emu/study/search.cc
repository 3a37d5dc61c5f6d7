#include "study/search.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>

namespace emu::app::studies {
namespace {

// Known times, by indices into `ranks`.
using KnownIndices = Known;
using Iterator = KnownIndices::const_iterator;

int last_index(const std::vector<int>& ranks) { return static_cast<int>(ranks.size()) - 1; }

// The ends and the doublings of the first number.
std::vector<int> coarse(const std::vector<int>& ranks) {
  std::vector<int> result;
  for (double p = ranks.front(); p < ranks.back(); p *= 2) {
    const auto at = std::lower_bound(ranks.begin(), ranks.end(), static_cast<int>(p));
    result.push_back(static_cast<int>(at - ranks.begin()));
  }
  result.push_back(last_index(ranks));
  return result;
}

// The middle of two indices that are not adjacent.
std::optional<int> middle(int a, int b) {
  if (std::abs(a - b) <= 1) return {};
  return (a + b) / 2;
}

double between(const Known& known, int p) {
  const auto above = known.lower_bound(p);
  if (above == known.end()) return known.empty() ? 1 : std::prev(above)->second;
  if (above == known.begin()) return above->second;
  const auto below = std::prev(above);
  const double share = static_cast<double>(p - below->first) / (above->first - below->first);
  return below->second + share * (above->second - below->second);
}

// True if a point between the two is higher than the higher one, `b`.
bool apart(const Known& known, const Known::value_type* a, const Known::value_type* b) {
  const auto [first, last] = std::minmax(a->first, b->first);
  return std::any_of(known.upper_bound(first), known.lower_bound(last),
                     [&](const auto& point) { return point.second > b->second * (1 + flat_share); });
}

KnownIndices indices_of(const std::vector<int>& ranks, const Known& known) {
  KnownIndices indices;
  for (int i = 0; i <= last_index(ranks); ++i)
    if (const auto at = known.find(ranks[i]); at != known.end()) indices.emplace(i, at->second);
  return indices;
}

Iterator least_of(const KnownIndices& indices) {
  return std::min_element(indices.begin(), indices.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; });
}

}  // namespace

std::optional<int> beside(const Known& known, int at) {
  const auto here = known.find(at);
  const int left = here == known.begin() ? at : std::prev(here)->first;
  const int right = std::next(here) == known.end() ? at : std::next(here)->first;
  return at - left > right - at ? middle(left, at) : middle(at, right);
}

std::optional<int> at_end_of_flat(const Known& known, int at, bool forward) {
  auto last = known.find(at);
  const double limit = last->second * (1 + flat_share);
  for (;;) {
    auto next = last;
    if (forward ? ++next == known.end() : next == known.begin()) return {};
    if (!forward) --next;
    // Also inside the flat region: a point between two of its points may be better than both.
    if (!(next->second <= limit)) return middle(last->first, next->first);
    last = next;
  }
}

std::vector<int> valleys(const Known& known) {
  std::vector<const Known::value_type*> order, lowest;
  for (const auto& point : known)
    if (std::isfinite(point.second)) order.push_back(&point);
  std::stable_sort(order.begin(), order.end(),
                   [](const auto* a, const auto* b) { return a->second < b->second; });
  for (const auto* point : order) {
    if (lowest.size() == most_valleys) break;
    if (std::all_of(lowest.begin(), lowest.end(), [&](const auto* low) { return apart(known, low, point); }))
      lowest.push_back(point);
  }
  std::vector<int> result;
  for (const auto* point : lowest) result.push_back(point->first);
  return result;
}

std::optional<int> next_of_search(const std::vector<int>& ranks, const Known& known) {
  for (int index : coarse(ranks))
    if (!known.contains(ranks[index])) return ranks[index];
  const KnownIndices indices = indices_of(ranks, known);
  const auto least = least_of(indices);
  if (!std::isfinite(least->second)) return {};  // all known points failed
  auto next = beside(indices, least->first);
  if (!next) next = at_end_of_flat(indices, least->first, false);
  if (!next) next = at_end_of_flat(indices, least->first, true);
  if (next) return ranks[*next];
  for (int valley : valleys(known)) {
    const auto place = std::lower_bound(ranks.begin(), ranks.end(), valley);
    if (const auto found = indices.find(static_cast<int>(place - ranks.begin())); found != indices.end())
      next = beside(indices, found->first);
    if (next) return ranks[*next];
  }
  return {};
}

std::optional<int> next_beside(const std::vector<int>& ranks, const Known& known) {
  const KnownIndices indices = indices_of(ranks, known);
  const auto least = least_of(indices);
  if (least == indices.end() || !std::isfinite(least->second)) return {};
  const auto next = beside(indices, least->first);
  if (!next) return {};
  return ranks[*next];
}

std::vector<int> expected_of_search(const std::vector<int>& ranks, Known known, std::size_t most) {
  std::vector<int> expected;
  while (expected.size() < most) {
    const auto next = next_of_search(ranks, known);
    if (!next) break;
    known.emplace(*next, between(known, *next));
    expected.push_back(*next);
  }
  return expected;
}

}  // namespace emu::app::studies
