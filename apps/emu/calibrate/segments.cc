#include "calibrate/segments.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace emu::app::calibration {
namespace {

// Below this relative error points are practically exact: more segments would describe the clock.
constexpr double least_deviation = 0.005;
// More sizes are grouped, by equal steps of their logarithms.
constexpr std::size_t most_points = 120;

struct Fitted {
  double fixed = 0, per_byte = 0, squares = 0;
};

// Prefix sums over the points, weighted by 1 / seconds^2, which give a line through any range directly.
class Sums {
 public:
  explicit Sums(const std::vector<Point>& points) : at_(points.size() + 1) {
    for (std::size_t i = 0; i < points.size(); ++i) {
      const double x = points[i].bytes, y = points[i].seconds, w = 1 / (y * y);
      at_[i + 1] = {at_[i].w + w,          at_[i].x + w * x,      at_[i].y + w * y,
                    at_[i].xx + w * x * x, at_[i].xy + w * x * y, at_[i].yy + w * y * y};
    }
  }
  // The line through the points [first, last). The fixed part is at least `least_fixed`, the part per byte at least 0.
  Fitted line(std::size_t first, std::size_t last, double least_fixed) const {
    const One &a = at_[first], &b = at_[last];
    const double w = b.w - a.w, x = b.x - a.x, y = b.y - a.y, xx = b.xx - a.xx, xy = b.xy - a.xy,
                 yy = b.yy - a.yy;
    Fitted f;
    const double determinant = w * xx - x * x;
    if (determinant > 1e-12 * w * xx) {
      f.per_byte = (w * xy - x * y) / determinant;
      f.fixed = (y - f.per_byte * x) / w;
    } else {
      f.fixed = y / w;
    }
    if (f.per_byte < 0) f = {y / w, 0, 0};
    if (f.fixed < least_fixed) f = {least_fixed, xx > 0 ? std::max(0.0, (xy - least_fixed * x) / xx) : 0, 0};
    f.squares = std::max(0.0, yy - 2 * f.fixed * y - 2 * f.per_byte * xy + f.fixed * f.fixed * w +
                                  2 * f.fixed * f.per_byte * x + f.per_byte * f.per_byte * xx);
    return f;
  }

 private:
  struct One {
    double w = 0, x = 0, y = 0, xx = 0, xy = 0, yy = 0;
  };
  std::vector<One> at_;
};

std::vector<Point> grouped(const std::vector<Point>& points) {
  if (points.size() <= most_points) return points;
  const double low = std::log(points.front().bytes), high = std::log(points.back().bytes);
  std::vector<std::vector<Point>> groups(most_points);
  for (const Point& p : points) {
    const double share = (std::log(p.bytes) - low) / (high - low);
    groups[std::min(most_points - 1, static_cast<std::size_t>(share * most_points))].push_back(p);
  }
  std::vector<Point> result;
  for (auto& group : groups) {
    if (group.empty()) continue;
    const auto middle = group.begin() + static_cast<std::ptrdiff_t>(group.size() / 2);
    std::nth_element(group.begin(), middle, group.end(),
                     [](const Point& a, const Point& b) { return a.seconds < b.seconds; });
    result.push_back(*middle);
  }
  std::sort(result.begin(), result.end(), [](const Point& a, const Point& b) { return a.bytes < b.bytes; });
  return result;
}

// The ends of the segments, as indices of points, for the number of segments with the least criterion.
std::vector<std::size_t> limits(const std::vector<Point>& points, std::size_t most, double least_fixed) {
  const std::size_t n = points.size(), least = n >= 40 ? 4 : n >= 20 ? 3 : 2;
  const Sums sums(points);
  const double none = std::numeric_limits<double>::infinity();
  // best[m][i]: the first i points in m + 1 segments.
  std::vector<std::vector<double>> best(most, std::vector<double>(n + 1, none));
  std::vector<std::vector<std::size_t>> from(most, std::vector<std::size_t>(n + 1, 0));
  for (std::size_t i = least; i <= n; ++i) best[0][i] = sums.line(0, i, least_fixed).squares;
  for (std::size_t m = 1; m < most; ++m)
    for (std::size_t i = (m + 1) * least; i <= n; ++i)
      for (std::size_t k = m * least; k + least <= i; ++k) {
        const double squares = best[m - 1][k] + sums.line(k, i, least_fixed).squares;
        if (squares < best[m][i]) {
          best[m][i] = squares;
          from[m][i] = k;
        }
      }
  const auto count = static_cast<double>(n);
  const auto criterion = [&](std::size_t m) {
    const double parameters =
        3 * static_cast<double>(m) + 2;  // two parameters of each line, and the limits between them
    return count * std::log(best[m][n] / count + least_deviation * least_deviation) +
           parameters * std::log(count);
  };
  std::size_t chosen = 0;
  for (std::size_t m = 1; m < most; ++m)
    if (best[m][n] < none && criterion(m) < criterion(chosen)) chosen = m;
  std::vector<std::size_t> ends;
  for (std::size_t end = n, m = chosen;; end = from[m][end], --m) {
    ends.insert(ends.begin(), end);
    if (m == 0) break;
  }
  return ends;
}

// The line with the intervals of its two parameters. Its fixed part is at least `least_fixed`.
Segment segment(const std::vector<Point>& points, std::size_t first, std::size_t last, double least_fixed) {
  const Fitted plain = Sums(points).line(first, last, least_fixed);
  Segment result;
  result.up_to = points[last - 1].bytes;
  result.fixed = {plain.fixed, plain.fixed, plain.fixed};
  result.per_byte = {plain.per_byte, plain.per_byte, plain.per_byte};
  const auto regressed = [&](bool bound) {
    std::vector<Row> rows;
    for (std::size_t i = first; i < last; ++i) {
      const Point& p = points[i];
      Row row{{}, p.seconds - (bound ? least_fixed : 0), p.seconds};
      if (!bound) row.x.push_back(1);
      if (plain.per_byte > 0) row.x.push_back(p.bytes);
      rows.push_back(row);
    }
    return regress(rows);
  };
  bool bound = plain.fixed <= least_fixed;
  auto line = regressed(bound);
  if (line && !bound && line->coefficients.front().value < least_fixed) line = regressed(bound = true);
  if (!line) return result;
  result.fixed = bound ? Value{least_fixed, least_fixed, least_fixed} : line->coefficients.front();
  if (plain.per_byte > 0) result.per_byte = line->coefficients.back();
  if (result.per_byte.value < 0) result.per_byte = {0, 0, std::max(0.0, result.per_byte.high)};
  result.off = line->off;
  return result;
}

}  // namespace

std::vector<Point> medians(std::vector<Point> points) {
  std::sort(points.begin(), points.end(), [](const Point& a, const Point& b) {
    return a.bytes != b.bytes ? a.bytes < b.bytes : a.seconds < b.seconds;
  });
  std::vector<Point> result;
  for (std::size_t i = 0; i < points.size();) {
    std::size_t end = i;
    while (end < points.size() && points[end].bytes == points[i].bytes) ++end;
    const std::size_t middle = (i + end) / 2;
    const bool even = (end - i) % 2 == 0;
    result.push_back({points[i].bytes, even ? (points[middle - 1].seconds + points[middle].seconds) / 2
                                            : points[middle].seconds});
    i = end;
  }
  return result;
}

Result<std::vector<Segment>> segments(const std::vector<Point>& points, int most, double least_share) {
  const std::vector<Point> all = medians(points);
  if (all.size() < 2) return fail("two sizes or more are needed");
  const std::vector<Point> few = grouped(all);
  const auto fitted = [&](double least_fixed) {
    std::vector<Segment> result;
    std::size_t first = 0;
    for (const std::size_t end : limits(few, static_cast<std::size_t>(most), least_fixed)) {
      // The line uses all points of the range.
      const double limit = few[end - 1].bytes;
      std::size_t last = first;
      while (last < all.size() && (end == few.size() || all[last].bytes <= limit)) ++last;
      result.push_back(segment(all, first, last, least_fixed));
      first = last;
    }
    return result;
  };
  std::vector<Segment> free = fitted(0);
  if (least_share == 0) return free;
  double shortest = free.front().fixed.value;
  for (const Point& p : all) shortest = std::min(shortest, p.seconds);
  return fitted(least_share * shortest);
}

const Segment& segment_of(const std::vector<Segment>& segments, double bytes) {
  for (const Segment& s : segments)
    if (bytes <= s.up_to) return s;
  return segments.back();
}

}  // namespace emu::app::calibration
