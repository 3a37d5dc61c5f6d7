#include "skeleton/generate/expression.h"

#include <algorithm>

namespace emu::skeleton {
namespace {

constexpr std::size_t most_columns = 1024;  // of a grid that is searched for

// The first and the last rank for which it is true.
struct Range {
  std::size_t first, last;
};
std::optional<Range> range_of(const std::vector<bool>& holds) {
  const auto first = std::find(holds.begin(), holds.end(), true);
  if (first == holds.end()) return {};
  const auto last = std::find(holds.rbegin(), holds.rend(), true).base() - 1;
  return Range{static_cast<std::size_t>(first - holds.begin()),
               static_cast<std::size_t>(last - holds.begin())};
}

// `what` is in the range, out of 0 up to `end`.
std::string inside(const std::string& what, const Range& range, std::size_t end) {
  const std::string first = std::to_string(range.first), last = std::to_string(range.last);
  if (range.first == 0 && range.last + 1 == end) return {};
  if (range.first == range.last) return what + " == " + first;
  if (range.first == 0) return what + " < " + std::to_string(range.last + 1);
  if (range.last + 1 == end) return what + " >= " + first;
  return first + " <= " + what + " && " + what + " <= " + last;
}

}  // namespace

std::optional<std::string> condition(const std::vector<bool>& holds) {
  const std::size_t n = holds.size();
  const auto all = range_of(holds);
  if (!all) return "0";
  std::size_t count = 0;
  for (const bool each : holds) count += each;
  if (count == all->last - all->first + 1) return inside("rank", *all, n);
  // Rows of a grid: some columns, in some rows or from one rank to another.
  for (std::size_t columns = 2; columns < std::min(n, most_columns); ++columns) {
    std::vector<bool> column(columns);
    for (std::size_t rank = 0; rank < n; ++rank)
      if (holds[rank]) column[rank % columns] = true;
    const auto part = range_of(column);
    bool right = part && (part->first > 0 || part->last + 1 < columns);
    // Outside these columns, and beyond the first and last rank, the condition must be false.
    for (std::size_t rank = all->first; rank <= all->last && right; ++rank)
      right = holds[rank] == (rank % columns >= part->first && rank % columns <= part->last);
    if (!right) continue;
    // As wide as possible, which is shorter to read.
    Range rows = *all;
    const auto is_in = [&](std::size_t rank) {
      return rank % columns >= part->first && rank % columns <= part->last;
    };
    while (rows.first > 0 && !is_in(rows.first - 1)) --rows.first;
    while (rows.last + 1 < n && !is_in(rows.last + 1)) ++rows.last;
    const std::string in_columns = inside("rank % " + std::to_string(columns), *part, columns),
                      in_rows = inside("rank", rows, n);
    return in_rows.empty() ? in_columns : in_columns + " && " + in_rows;
  }
  // The complement of a set with a short condition.
  const auto others = [&] {
    std::vector<bool> inverse(n);
    for (std::size_t rank = 0; rank < n; ++rank) inverse[rank] = !holds[rank];
    return inverse;
  }();
  const auto gap = range_of(others);
  if (gap && gap->last - gap->first + 1 == n - count) return "!(" + inside("rank", *gap, n) + ")";
  return {};
}

std::optional<std::string> formula(const std::vector<std::int64_t>& values,
                                   const std::vector<bool>& matters) {
  const auto n = static_cast<std::int64_t>(values.size());
  const auto first =
      static_cast<std::size_t>(std::find(matters.begin(), matters.end(), true) - matters.begin());
  if (first == values.size()) return "0";
  const auto holds = [&](auto value_of) {
    for (std::size_t rank = 0; rank < values.size(); ++rank)
      if (matters[rank] && values[rank] != value_of(static_cast<std::int64_t>(rank))) return false;
    return true;
  };
  const std::int64_t value = values[first], rank = static_cast<std::int64_t>(first), distance = value - rank;
  if (holds([&](std::int64_t) { return value; })) return std::to_string(value);
  if (holds([&](std::int64_t r) { return r + distance; }))
    return distance == 0  ? "rank"
           : distance > 0 ? "rank + " + std::to_string(distance)
                          : "rank - " + std::to_string(-distance);
  const std::int64_t forward = ((distance % n) + n) % n;
  if (holds([&](std::int64_t r) { return (r + forward) % n; }))
    return "(rank + " + std::to_string(forward) + ") % " + std::to_string(n);
  if (value >= 0 && holds([&](std::int64_t r) { return r ^ (value ^ rank); }))
    return "rank ^ " + std::to_string(value ^ rank);
  return {};
}

}  // namespace emu::skeleton
