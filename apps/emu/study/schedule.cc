#include "study/schedule.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/units.h"

namespace emu::app::studies {

std::optional<int> Schedule::next(const Curve& curve) {
  if (current_ != &curve) {
    current_ = &curve;
    --curves_left_;
  }
  left_ =
      left(curve) + curves_left_ * (search_ ? left_of_search(ranks_, {}) : static_cast<int>(ranks_.size()));
  const Known known = curve.known();
  if (search_) return next_of_search(ranks_, known);
  for (int ranks : ranks_)
    if (!known.contains(ranks)) return ranks;
  return {};
}

int Schedule::left(const Curve& curve) const {
  const Known known = curve.known();
  return search_ ? left_of_search(ranks_, known) : static_cast<int>(ranks_.size() - known.size());
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
