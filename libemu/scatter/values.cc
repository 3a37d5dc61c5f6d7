#include "scatter/values.h"

#include <algorithm>

namespace emu::scatter {
namespace {

constexpr std::size_t most_remembered = std::size_t{1} << 22;

}  // namespace

Interval Values::ask(Items n) const {
  const Interval value = cost_->of(n);
  if (cost_->is_function() && asked_.size() < most_remembered) asked_.emplace_back(n, value);
  return value;
}

void Values::keep(Items least, Items most) {
  if (cost_->is_affine()) return;
  kept_.clear();
  std::vector<Interval> values;
  for (Items n = least; n <= most; ++n) values.push_back(ask(n));
  kept_ = std::move(values);
  first_ = least;
}

Result<void> Values::check(const std::string& what) const {
  std::sort(asked_.begin(), asked_.end());
  for (std::size_t i = 0; i < asked_.size(); ++i) {
    if (asked_[i].second < Interval()) return negative(what, asked_[i].first);
    if (i > 0 && asked_[i].second < asked_[i - 1].second)
      return fail(what + ": " + std::to_string(asked_[i].first) + " items cost less than " +
                  std::to_string(asked_[i - 1].first) +
                  "; this method needs costs that never decrease; take the one for any costs");
  }
  return {};
}

}  // namespace emu::scatter
