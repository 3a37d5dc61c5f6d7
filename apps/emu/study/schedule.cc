#include "study/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/units.h"

namespace emu::app::studies {

namespace {

constexpr std::size_t all = std::numeric_limits<std::size_t>::max();

}  // namespace

Schedule::Schedule(const Study& study) : study_(study), of_each_(expected(0, all).size()) {
  left_ = static_cast<int>(of_each_ * study.variations());
}

std::optional<Request> Schedule::next(std::size_t variation) {
  const std::vector<Request> own = expected(variation, all);
  left_ = static_cast<int>(own.size() + (study_.variations() - variation - 1) * of_each_);
  if (own.empty()) return {};
  return own.front();
}

std::vector<Request> Schedule::ahead(std::size_t variation, std::size_t most) const {
  std::vector<Request> own = expected(variation, most + 1);
  if (!own.empty()) own.erase(own.begin());
  return own;
}

std::vector<Request> Schedule::expected(std::size_t variation, std::size_t most) const {
  std::vector<Request> requests;
  for (const Plane& plane : planes_of(study_, variation)) {
    const std::vector<Request> own = plane.expected(most - requests.size());
    requests.insert(requests.end(), own.begin(), own.end());
    if (requests.size() >= most) break;
  }
  return requests;
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
