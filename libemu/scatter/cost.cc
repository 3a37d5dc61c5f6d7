#include "scatter/cost.h"

#include <algorithm>

namespace emu::scatter {

Cost Cost::affine(Interval fixed, Rate per_item) {
  Cost cost;
  cost.fixed_ = fixed;
  cost.per_item_ = per_item;
  return cost;
}

Cost Cost::table(std::vector<Interval> values) {
  Cost cost;
  cost.kind_ = Kind::table;
  for (std::size_t n = 0; n < values.size(); ++n) {
    if (values[n] < Interval() && cost.negative_ < 0) cost.negative_ = static_cast<Items>(n);
    if (n > 0 && values[n] < values[n - 1] && cost.decrease_ == 0) cost.decrease_ = static_cast<Items>(n);
  }
  cost.table_ = std::make_shared<const std::vector<Interval>>(std::move(values));
  return cost;
}

Cost Cost::function(Function function) {
  Cost cost;
  cost.kind_ = Kind::function;
  cost.function_ = std::move(function);
  return cost;
}

Interval Cost::other(Items n) const {
  return std::min(too_long, kind_ == Kind::table ? (*table_)[static_cast<std::size_t>(n)] : function_(n));
}

Interval Cost::large(Items n) const {
  __extension__ using Wide = __int128;
  const Wide ps = (static_cast<Wide>(per_item_.femtoseconds_per_byte()) * n + 500) / 1000;
  if (ps >= too_long.picoseconds()) return too_long;
  return plus(fixed_, Interval::picoseconds(static_cast<std::int64_t>(ps)));
}

tl::unexpected<Failure> negative(const std::string& what, Items n) {
  return fail(what + ": " + std::to_string(n) +
              " items cost less than nothing, or no number; a cost is 0 or more");
}

Result<void> Cost::check_form(Items n, const std::string& what) const {
  if (kind_ == Kind::affine) {
    if (per_item_.femtoseconds_per_byte() < 0 || (n > 0 && of(1) < Interval())) return negative(what, 1);
    return {};
  }
  if (kind_ == Kind::function) return {};
  if (static_cast<Items>(table_->size()) <= n)
    return fail(what + ": the table has " + std::to_string(table_->size()) + " values; for 0 to " +
                std::to_string(n) + " items it needs " + std::to_string(n + 1));
  if (negative_ >= 0 && negative_ <= n) return negative(what, negative_);
  return {};
}

Result<void> Cost::check(Items n, const std::string& what) const {
  if (kind_ != Kind::function) return check_form(n, what);
  for (Items k = 0; k <= n; ++k)
    if (of(k) < Interval()) return negative(what, k);
  return {};
}

Items Cost::first_decrease(Items n) const {
  if (kind_ == Kind::affine) return 0;
  if (kind_ == Kind::table) return decrease_ <= n ? decrease_ : 0;
  Interval before = of(0);
  for (Items k = 1; k <= n; ++k) {
    const Interval here = of(k);
    if (here < before) return k;
    before = here;
  }
  return 0;
}

}  // namespace emu::scatter
