#include "skeleton/extrapolate/fit.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

namespace emu::skeleton {
namespace {

// Least squares of y = a + b x, weighted by 1 / y, because relative errors count, not seconds or bytes.
struct Line {
  double a = 0, b = 0;
};

double residual_of(const std::vector<double>& values, const std::function<double(std::size_t)>& law) {
  double most = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double off = std::abs(law(i) - values[i]);
    if (off > 0) most = std::max(most, off / std::max(std::abs(values[i]), 1e-300));
  }
  return most;
}

double weight_of(double value) {
  const double size = std::abs(value);
  return size > 0 ? 1 / (size * size) : 1;
}

double factor_of(const std::vector<double>& x, const std::vector<double>& y) {
  double above = 0, below = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    above += weight_of(y[i]) * x[i] * y[i];
    below += weight_of(y[i]) * x[i] * x[i];
  }
  return below > 0 ? above / below : 0;
}

std::optional<Line> line_of(const std::vector<double>& x, const std::vector<double>& y) {
  double w = 0, wx = 0, wy = 0, wxx = 0, wxy = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double weight = weight_of(y[i]);
    w += weight, wx += weight * x[i], wy += weight * y[i];
    wxx += weight * x[i] * x[i], wxy += weight * x[i] * y[i];
  }
  const double determinant = w * wxx - wx * wx;
  if (!(std::abs(determinant) > 1e-12 * w * wxx)) return {};
  const double b = (w * wxy - wx * wy) / determinant;
  return Line{(wy - b * wx) / w, b};
}

}  // namespace

std::vector<Basis> bases_of(const std::vector<int>& recorded, int asked) {
  const std::pair<const char*, double (*)(double)> functions[] = {
      {"1/P", [](double p) { return 1 / p; }},
      {"P", [](double p) { return p; }},
      {"1/P^(1/2)", [](double p) { return 1 / std::sqrt(p); }},
      {"P^(1/2)", [](double p) { return std::sqrt(p); }},
      {"1/P^(2/3)", [](double p) { return 1 / std::cbrt(p * p); }},
      {"1/P^(1/3)", [](double p) { return 1 / std::cbrt(p); }},
      {"P^(1/3)", [](double p) { return std::cbrt(p); }},
      {"log P", [](double p) { return std::log2(p); }},
      {"P - 1", [](double p) { return p - 1; }},
      {"1/P^2", [](double p) { return 1 / (p * p); }},
      {"P^2", [](double p) { return p * p; }},
  };
  std::vector<Basis> bases;
  for (const auto& [name, function] : functions) {
    Basis& basis = bases.emplace_back(Basis{name, {}, function(asked)});
    for (const int ranks : recorded) basis.recorded.push_back(function(ranks));
  }
  return bases;
}

std::optional<Fit> fit(const std::vector<Basis>& bases, const std::vector<std::size_t>& places,
                       const std::vector<double>& values, double tolerance, bool loosely) {
  std::vector<Fit> found;
  const auto add = [&](double value, std::string law, std::size_t free,
                       const std::function<double(std::size_t)>& function) {
    found.push_back({value, std::move(law), residual_of(values, function), values.size() > free});
  };
  const auto x_of = [&](const Basis& basis) {
    std::vector<double> x;
    for (const std::size_t place : places) x.push_back(basis.recorded[place]);
    return x;
  };
  const std::vector<double> ones(values.size(), 1);
  const double mean = factor_of(ones, values);
  add(mean, "constant", 1, [&](std::size_t) { return mean; });
  for (const Basis& basis : bases) {
    const std::vector<double> x = x_of(basis);
    const double factor = factor_of(x, values);
    add(factor * basis.asked, basis.name, 1, [&](std::size_t i) { return factor * x[i]; });
  }
  for (const Basis& basis : bases) {
    if (values.size() < 3) break;
    const std::vector<double> x = x_of(basis);
    // A law with a negative part may fit the recordings and be arbitrarily wrong elsewhere.
    if (const auto line = line_of(x, values); line && line->a >= 0 && line->b >= 0)
      add(line->a + line->b * basis.asked, "constant + " + basis.name, 2,
          [&](std::size_t i) { return line->a + line->b * x[i]; });
  }
  constexpr double rounding = 1e-4;
  const auto chosen = [&](Fit fit) {
    for (const Fit& other : found)
      if (fit.value > 0 && fit.residual > rounding && other.residual <= fit.residual && other.value >= 0)
        fit.doubt = std::max(fit.doubt, std::abs(other.value - fit.value) / fit.value);
    return fit;
  };
  for (const double most : {std::min(rounding, tolerance), tolerance})
    for (const Fit& each : found)
      if (each.residual <= most) return chosen(each);
  if (!loosely) return {};
  const auto sums = found.begin() + 1 + static_cast<std::ptrdiff_t>(bases.size());
  const auto nearest = [&](auto begin, auto end, double most) -> std::optional<Fit> {
    const auto best =
        std::min_element(begin, end, [](const Fit& a, const Fit& b) { return a.residual < b.residual; });
    if (best == end || best->residual > most || best->value < 0) return {};
    return chosen(*best);
  };
  if (auto simple = nearest(found.begin(), sums, 0.1)) return simple;
  return nearest(sums, found.end(), 2.5 * tolerance);
}

}  // namespace emu::skeleton
