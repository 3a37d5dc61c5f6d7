#include "calibrate/regression.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_multifit.h>

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <memory>

namespace emu::app::calibration {
namespace {

struct Free {
  void operator()(gsl_matrix* m) const { gsl_matrix_free(m); }
  void operator()(gsl_vector* v) const { gsl_vector_free(v); }
  void operator()(gsl_multifit_robust_workspace* w) const { gsl_multifit_robust_free(w); }
};
template <class T>
using Owned = std::unique_ptr<T, Free>;

double least_scale(const std::vector<Row>& rows) {
  double least = rows.front().scale;
  for (const Row& row : rows) least = std::min(least, row.scale);
  return least;
}

double off(const std::vector<Row>& rows, const std::vector<Value>& coefficients) {
  std::vector<double> all;
  for (const Row& row : rows) {
    double fit = 0;
    for (std::size_t i = 0; i < row.x.size(); ++i) fit += coefficients[i].value * row.x[i];
    all.push_back(std::abs(row.y - fit) / row.scale);
  }
  std::nth_element(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2), all.end());
  return all[all.size() / 2];
}

// The columns are scaled by their largest entries, so that 1 and millions of bytes have similar sizes.
std::vector<double> column_sizes(const std::vector<Row>& rows) {
  std::vector<double> sizes(rows.front().x.size(), 0);
  for (const Row& row : rows)
    for (std::size_t i = 0; i < sizes.size(); ++i)
      sizes[i] = std::max(sizes[i], std::abs(row.x[i]) / row.scale);
  for (double& size : sizes)
    if (size == 0) size = 1;
  return sizes;
}

}  // namespace

Result<Line> regress(const std::vector<Row>& rows) {
  const std::size_t n = rows.size(), p = rows.empty() ? 0 : rows.front().x.size();
  if (n < p + 1) return fail("there are too few measurements");
  if (p == 0) return Line{{}, off(rows, {})};  // no coefficients; GSL has no matrix without columns
  gsl_set_error_handler_off();
  const Owned<gsl_matrix> x(gsl_matrix_alloc(n, p)), covariance(gsl_matrix_alloc(p, p));
  const Owned<gsl_vector> y(gsl_vector_alloc(n)), c(gsl_vector_alloc(p));
  const std::vector<double> sizes = column_sizes(rows);
  // Errors are relative to the scale. With weights of exactly 1 / y every right side would be 1, and GSL derives its
  // least estimate of noise from their differences; so the least scale is added.
  const double least = least_scale(rows);
  for (std::size_t row = 0; row < n; ++row) {
    const double weight = 1 / (rows[row].scale + least);
    gsl_vector_set(y.get(), row, rows[row].y * weight);
    for (std::size_t i = 0; i < p; ++i) gsl_matrix_set(x.get(), row, i, rows[row].x[i] * weight / sizes[i]);
  }
  const Owned<gsl_multifit_robust_workspace> work(
      gsl_multifit_robust_alloc(gsl_multifit_robust_bisquare, n, p));
  gsl_multifit_robust_maxiter(500, work.get());
  const int status = gsl_multifit_robust(x.get(), y.get(), c.get(), covariance.get(), work.get());
  // Without noise the weights may continue to change in the last digits.
  if (status != GSL_SUCCESS && status != GSL_EMAXITER)
    return fail(std::string("the regression failed: ") + gsl_strerror(status));
  const double t = boost::math::quantile(boost::math::students_t(static_cast<double>(n - p)), 0.975);
  Line line;
  for (std::size_t i = 0; i < p; ++i) {
    const double value = gsl_vector_get(c.get(), i) / sizes[i];
    const double half = t * std::sqrt(std::max(0.0, gsl_matrix_get(covariance.get(), i, i))) / sizes[i];
    if (!std::isfinite(value) || !std::isfinite(half)) return fail("the measurements do not determine it");
    line.coefficients.push_back({value, value - half, value + half});
  }
  line.off = off(rows, line.coefficients);
  return line;
}

Result<Line> regress_without_zeros(const std::vector<Row>& rows, const std::vector<bool>& droppable,
                                   double resolution) {
  auto line = regress(rows);
  if (!line) return line;
  const std::vector<double> sizes = column_sizes(rows);
  std::vector<bool> keep(droppable.size(), true);
  for (std::size_t i = 0; i < keep.size(); ++i) {
    const Value& v = line->coefficients[i];
    const bool negligible = std::abs(v.value) * sizes[i] < resolution;
    keep[i] = !droppable[i] || !(negligible || (v.low <= 0 && v.high >= 0));
  }
  if (std::find(keep.begin(), keep.end(), false) == keep.end()) return line;
  std::vector<Row> fewer = rows;
  for (Row& row : fewer) {
    std::size_t to = 0;
    for (std::size_t i = 0; i < keep.size(); ++i)
      if (keep[i]) row.x[to++] = row.x[i];
    row.x.resize(to);
  }
  const auto rest = regress(fewer);
  if (!rest) return rest;
  Line result;
  result.off = rest->off;
  std::size_t from = 0;
  for (std::size_t i = 0; i < keep.size(); ++i) {
    if (keep[i]) {
      result.coefficients.push_back(rest->coefficients[from++]);
    } else {  // 0, with the greatest possible distance from it
      result.coefficients.push_back({0, 0, std::max(0.0, line->coefficients[i].high)});
    }
  }
  return result;
}

}  // namespace emu::app::calibration
