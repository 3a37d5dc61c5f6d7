// Order of a study's runs, and its progress.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "study/curve.h"

namespace emu::app::studies {

class Schedule {
 public:
  Schedule(std::vector<int> ranks, bool search, int curves)
      : ranks_(std::move(ranks)), search_(search), curves_left_(curves) {}

  // The number of ranks to run next for `curve`; nothing when it is complete.
  std::optional<int> next(const Curve& curve);
  // Those that are expected after it, at most `most`.
  std::vector<int> ahead(const Curve& curve, std::size_t most) const;
  // `host_seconds`: how long it took; 0 if it did not have to run.
  void done(double host_seconds);

  std::string position() const;   // "[ 3/12] "; with a search the sum is an estimate
  std::string bar() const;        // "[####......] 3/12, 20 s left; "
  std::string time_left() const;  // ", about 20 s left"; empty where nothing is known or left

 private:
  // All that are expected to run, the next one first.
  std::vector<int> expected(const Known& known) const;
  int total() const { return done_ + left_; }

  std::vector<int> ranks_;
  bool search_;
  int curves_left_;  // that have not begun
  const Curve* current_ = nullptr;
  int done_ = 0;
  int left_ = 0;
  int ran_ = 0;  // of those done, as opposed to kept from before
  double host_seconds_ = 0;
};

}  // namespace emu::app::studies
