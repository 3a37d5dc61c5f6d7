#include "study/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/units.h"

namespace emu::app::studies {

std::optional<int> Schedule::next(const Curve& curve) {
  if (current_ != &curve) {
    current_ = &curve;
    --curves_left_;
  }
  const std::vector<int> own = expected(curve.known());
  left_ = static_cast<int>(own.size() + static_cast<std::size_t>(curves_left_) * expected({}).size());
  if (own.empty()) return {};
  return own.front();
}

std::vector<int> Schedule::ahead(const Curve& curve, std::size_t most) const {
  std::vector<int> own = expected(curve.known());
  if (!own.empty()) own.erase(own.begin());
  own.resize(std::min(own.size(), most));
  return own;
}

std::vector<int> Schedule::expected(const Known& known) const {
  if (search_) return expected_of_search(ranks_, known, ranks_.size());
  std::vector<int> left;
  std::copy_if(ranks_.begin(), ranks_.end(), std::back_inserter(left),
               [&](int p) { return !known.contains(p); });
  return left;
}

void Schedule::done(double host_seconds) {
  ++done_;
  left_ = std::max(0, left_ - 1);
  if (host_seconds <= 0) return;
  ++ran_;
  host_seconds_ += host_seconds;
}

std::string Schedule::position() const { return fmt::format("[{:>2}/{}] ", done_, total()); }

std::string Schedule::bar() const {
  constexpr int width = 20;
  const int filled = total() == 0 ? 0 : width * done_ / total();
  return "[" + std::string(filled, '#') + std::string(width - filled, '.') +
         fmt::format("] {}/{}{}; ", done_, total(), time_left());
}

std::string Schedule::time_left() const {
  if (ran_ == 0 || left_ == 0) return "";
  const double seconds = host_seconds_ / ran_ * left_;
  return ", about " + format(Interval::seconds(seconds), 2) + " left";
}

}  // namespace emu::app::studies
