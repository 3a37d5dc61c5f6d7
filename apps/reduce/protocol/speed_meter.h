// Recent speed at which a rank combines.
#pragma once

#include <cstdint>
#include <deque>

#include "reduce/protocol/plan.h"

namespace reduce {

class SpeedMeter {
 public:
  explicit SpeedMeter(int window) : window_(window) {}

  void combined(std::int64_t bytes) { bytes_ += bytes; }
  void took(double seconds) { seconds_ += seconds; }
  std::int64_t bytes() const { return bytes_; }  // since the last measurement was finished
  void finish_measurement() {
    if (seconds_ > 0) note(speed::from_rate(static_cast<double>(bytes_) / seconds_));
    bytes_ = 0;
    seconds_ = 0;
  }
  void note(int speed) {
    speeds_.push_back(speed);
    if (static_cast<int>(speeds_.size()) > window_ + 1) speeds_.pop_front();
  }
  // The latest speed, together with the speed `window` measurements before; 0: unknown.
  int seen() const {
    if (speeds_.empty()) return 0;
    const bool full = static_cast<int>(speeds_.size()) > window_;
    return speed::both({speeds_.back(), full ? speeds_.front() : 0});
  }

 private:
  const int window_;
  std::deque<int> speeds_;  // the latest is the last
  std::int64_t bytes_ = 0;
  double seconds_ = 0;
};

}  // namespace reduce
