// Order of a study's runs, and its progress.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "study/plane/plane.h"

namespace emu::app::studies {

class Schedule {
 public:
  // `study` must outlive the object. Its points are those that ran.
  explicit Schedule(const Study& study);

  // The next run on a variation of the target; nothing when it is complete. Variations are processed one after another.
  std::optional<Request> next(std::size_t variation);
  // The runs expected after it, at most `most`.
  std::vector<Request> ahead(std::size_t variation, std::size_t most) const;
  // `host_seconds`: duration of the run; 0 if it was reused.
  void done(double host_seconds);

  int total() const { return done_ + left_; }  // of points; with a search an estimate
  std::string position() const;                // "[ 3/12] "
  std::string bar() const;                     // "[####......] 3/12, 20 s left; "
  std::string time_left() const;               // ", about 20 s left"; empty if unknown or complete

 private:
  // All expected runs on a variation, the next one first, at most `most`.
  std::vector<Request> expected(std::size_t variation, std::size_t most) const;

  const Study& study_;
  std::size_t of_each_;  // points of a variation that has not begun
  int done_ = 0;
  int left_ = 0;
  int ran_ = 0;  // of those done, without reused ones
  double host_seconds_ = 0;
};

}  // namespace emu::app::studies
