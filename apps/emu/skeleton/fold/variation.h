// Variation of a step's work from one time to the next. Means alone would lose that a program waits for the slowest of
// its ranks, each time for another one: with work that was measured that is some per cent of its time.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

namespace emu::skeleton {

// Of all times that a step is come to, in order of their work: where each class ends, as a share of all. The longest few
// are finer, since a rare long time is what others wait for.
inline constexpr std::array<double, 11> class_ends = {0.125, 0.25,   0.375,   0.5,      0.625, 0.75,
                                                      0.875, 0.9375, 0.96875, 0.984375, 1};

struct Variation {
  std::vector<double> classes;  // the mean of each, in units of the mean of all; empty: it is always the same
  double together = 0;          // at which share of the times all ranks are in the same class

  bool none() const { return classes.empty(); }
};

// Of what the ranks' work was each time, in units of the rank's own mean. Little difference is none.
//
// Where the ranks' long times come together (the host was busy, or there was more to do for all), nobody waits for them.
// `together` is chosen so that the longest of the ranks is in the mean what it was.
class VariationOf {
 public:
  void add(float share);  // of one rank
  void end_of_time();     // of one time: all ranks that take part have been added
  Variation get() &&;

 private:
  std::vector<float> shares_;
  float longest_ = 0;
  std::size_t first_ = 0;  // of this time's
  double sum_of_longest_ = 0;
  std::size_t times_ = 0, of_several_ = 0;  // with two ranks or more, and their shares
};

}  // namespace emu::skeleton
