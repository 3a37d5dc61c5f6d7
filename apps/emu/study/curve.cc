#include "study/curve.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <numeric>

#include "prediction/uncertainty.h"

namespace emu::app::studies {
namespace {

std::vector<double> times(const Point& point) {
  std::vector<double> result;
  for (const record::RunSummary& run : point.runs) result.push_back(run.predicted().seconds());
  return result;
}

// The least and greatest number of ranks around `center`, for which and between which `holds` is true.
template <class Holds>
std::pair<int, int> around(const std::vector<const Point*>& points, std::size_t center, Holds holds) {
  std::size_t first = center, last = center;
  while (first > 0 && holds(*points[first - 1])) --first;
  while (last + 1 < points.size() && holds(*points[last + 1])) ++last;
  return {points[first]->ranks, points[last]->ranks};
}

Known known_of(const std::vector<Point>& points) {
  Known known;
  for (const Point& point : points)
    known[point.ranks] = point.good() ? point.seconds() : std::numeric_limits<double>::infinity();
  return known;
}

}  // namespace

double Point::seconds() const {
  const std::vector<double> all = times(*this);
  if (all.size() == 1) return all.front();
  return std::accumulate(all.begin(), all.end(), 0.0) / static_cast<double>(all.size());
}

double Point::spread() const {
  const std::vector<double> all = times(*this);
  if (all.size() < 2) return 0;
  const double mean = seconds(), n = static_cast<double>(all.size());
  double squares = 0;
  for (double time : all) squares += (time - mean) * (time - mean);
  const double t = boost::math::quantile(boost::math::students_t(n - 1), 0.975);
  return t * std::sqrt(squares / (n - 1) / n);
}

std::optional<double> Point::metric() const {
  if (metrics.empty()) return {};
  return std::accumulate(metrics.begin(), metrics.end(), 0.0) / static_cast<double>(metrics.size());
}

const record::RunSummary& Point::typical() const {
  std::vector<const record::RunSummary*> order;
  for (const record::RunSummary& run : runs) order.push_back(&run);
  std::stable_sort(order.begin(), order.end(),
                   [](const auto* a, const auto* b) { return a->predicted() < b->predicted(); });
  return *order[(order.size() - 1) / 2];
}

std::string Curve::label() const {
  const std::string of_target = variation.label(), of_program = setting.label();
  return of_target + (of_target.empty() || of_program.empty() ? "" : " ") + of_program;
}

Known Curve::known() const { return known_of(points); }

Known Corner::known() const { return known_of(points); }

const Point* Corner::least() const {
  const Point* least = nullptr;
  for (const Point& point : points)
    if (point.good() && (!least || point.seconds() < least->seconds())) least = &point;
  return least;
}

std::pair<int, int> Corner::possible() const {
  const Point* const best = least();
  std::pair<int, int> result{best->ranks, best->ranks};
  for (const Point& point : points) {
    if (!point.good() || point.seconds() - best->seconds() > std::hypot(point.spread(), best->spread()))
      continue;
    result.first = std::min(result.first, point.ranks);
    result.second = std::max(result.second, point.ranks);
  }
  return result;
}

const Point* Curve::at(int ranks) const {
  for (const Point& point : points)
    if (point.ranks == ranks) return &point;
  return nullptr;
}

std::optional<Seconds> Curve::interval(const Point& point) const {
  const double of_target = uncertainty(point.typical(), target.uncertainties).likely;
  if (point.runs.size() < 2 && of_target == 0) return {};
  const double half = std::hypot(point.spread(), of_target), mean = point.seconds();
  return Seconds{mean - half, mean + half};
}

std::vector<int> Curve::as_good_elsewhere(const Optimum& optimum) const {
  std::vector<int> ranks;
  for (const Point& point : points)
    if (point.good() && (point.ranks < optimum.flat.first || point.ranks > optimum.flat.second) &&
        point.seconds() <= optimum.point->seconds() * (1 + flat_share))
      ranks.push_back(point.ranks);
  return ranks;
}

std::vector<int> Curve::certain_valleys() const {
  std::vector<int> certain;
  const auto certainly_apart = [this](int valley, int lower) {
    const auto [first, last] = std::minmax(valley, lower);
    return std::any_of(points.begin(), points.end(), [&, this](const Point& hill) {
      return hill.ranks > first && hill.ranks < last && (!hill.good() || !may_be_less(hill, *at(valley)));
    });
  };
  for (const int valley : valleys(known()))
    if (std::all_of(certain.begin(), certain.end(),
                    [&](int lower) { return certainly_apart(valley, lower); }))
      certain.push_back(valley);
  return certain;
}

bool Curve::may_be_less(const Point& point, const Point& than) const {
  const double of_target =
      uncertainty_of_difference(point.typical(), than.typical(), target.uncertainties).likely;
  const double half =
      std::sqrt(point.spread() * point.spread() + than.spread() * than.spread() + of_target * of_target);
  return point.seconds() - than.seconds() <= half;
}

std::optional<Optimum> optimum(const Curve& curve) {
  std::vector<const Point*> good;
  for (const Point& point : curve.points)
    if (point.good()) good.push_back(&point);
  if (good.empty()) return {};
  const auto least = std::min_element(
      good.begin(), good.end(), [](const Point* a, const Point* b) { return a->seconds() < b->seconds(); });
  const auto index = static_cast<std::size_t>(least - good.begin());
  Optimum result;
  result.point = *least;
  const double limit = result.point->seconds() * (1 + flat_share);
  result.flat = around(good, index, [&](const Point& p) { return p.seconds() <= limit; });
  const auto widen = [](std::pair<int, int>& range, int first, int last) {
    range = {std::min(range.first, first), std::max(range.second, last)};
  };
  result.first_order = {result.point->ranks, result.point->ranks};
  for (const Point* point : good)
    if (curve.may_be_less(*point, *result.point)) widen(result.first_order, point->ranks, point->ranks);
  result.possible = result.first_order;
  for (const Corner& corner : curve.corners) {
    if (!corner.least()) continue;
    const auto [first, last] = corner.possible();
    widen(result.possible, first, last);
  }
  return result;
}

}  // namespace emu::app::studies
