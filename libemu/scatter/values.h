// Values of a cost that never decreases, as a search evaluates them: few of many, for a function.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "scatter/cost.h"

namespace emu::scatter {

class Values {
 public:
  explicit Values(const Cost& cost) : cost_(&cost) {}

  const Cost& cost() const { return *cost_; }

  Interval of(Items n) const {
    if (n >= first_ && n < first_ + static_cast<Items>(kept_.size()))
      return kept_[static_cast<std::size_t>(n - first_)];
    return ask(n);
  }
  // Evaluates all values from least to most once, and keeps them.
  void keep(Items least, Items most);

  // Fails if, of all values of a function that were evaluated, one is negative, or less than one of fewer
  // items. `what` is the beginning of the message.
  Result<void> check(const std::string& what) const;

 private:
  Interval ask(Items n) const;

  const Cost* cost_;
  Items first_ = 0;
  std::vector<Interval> kept_;
  mutable std::vector<std::pair<Items, Interval>> asked_;  // of a function
};

}  // namespace emu::scatter
