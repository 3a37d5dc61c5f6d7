#include "skeleton/fold/variation.h"

#include <algorithm>
#include <cmath>

namespace emu::skeleton {
namespace {

std::vector<double> value_classes(std::vector<float> values) {
  constexpr std::size_t few = 8;
  constexpr double alike = 0.005;
  if (values.size() < few) return {};
  std::sort(values.begin(), values.end());
  // Prefix sums: a class may begin and end within a value.
  std::vector<double> sums(values.size() + 1);
  for (std::size_t i = 0; i < values.size(); ++i) sums[i + 1] = sums[i] + static_cast<double>(values[i]);
  const auto sum_until = [&](double share) {
    const double place = share * static_cast<double>(values.size());
    const auto whole = std::min(static_cast<std::size_t>(place), values.size() - 1);
    return sums[whole] + (place - static_cast<double>(whole)) * static_cast<double>(values[whole]);
  };
  if (!(sums.back() > 0)) return {};
  std::vector<double> classes;
  double spread = 0, begin = 0;
  for (const double end : class_ends) {
    const double mean = (sum_until(end) - sum_until(begin)) / (end - begin) / sums.back();
    classes.push_back(std::max(0.0, mean));
    spread += (end - begin) * (mean - 1) * (mean - 1);
    begin = end;
  }
  return std::sqrt(spread) > alike ? classes : std::vector<double>{};
}

// The mean of the longest time of `ranks` independent ranks.
double longest_of(double ranks, const std::vector<double>& classes) {
  double sum = 0, begin = 0;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const double until = std::pow(class_ends[i], ranks);
    sum += (until - begin) * classes[i];
    begin = until;
  }
  return sum;
}

}  // namespace

void VariationOf::add(float share) {
  shares_.push_back(share);
  longest_ = std::max(longest_, share);
}

void VariationOf::end_of_time() {
  const std::size_t ranks = shares_.size() - first_;
  if (ranks > 1) {
    ++times_;
    of_several_ += ranks;
    sum_of_longest_ += static_cast<double>(longest_);
  }
  first_ = shares_.size();
  longest_ = 0;
}

Variation VariationOf::get() && {
  Variation result;
  result.classes = value_classes(std::move(shares_));
  if (result.none() || times_ == 0) return result;
  const auto times = static_cast<double>(times_);
  const double alone = longest_of(static_cast<double>(of_several_) / times, result.classes);
  if (alone > 1) result.together = std::clamp((alone - sum_of_longest_ / times) / (alone - 1), 0.0, 1.0);
  return result;
}

}  // namespace emu::skeleton
