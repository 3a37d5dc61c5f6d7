// Variation of a step's work between executions. Means alone would hide that a program waits for the slowest of
// its ranks, a different one each time: with measured work this is some percent of its time.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

namespace emu::skeleton {

// Upper ends of the classes of a step's executions, sorted by their work, as fractions of all executions.
// The classes of long executions are finer, because rare long executions are what other ranks wait for.
inline constexpr std::array<double, 11> class_ends = {0.125, 0.25,   0.375,   0.5,      0.625, 0.75,
                                                      0.875, 0.9375, 0.96875, 0.984375, 1};

struct Variation {
  std::vector<double> classes;  // the mean of each class, in units of the mean of all; empty: no variation
  double together = 0;          // fraction of the executions in which all ranks are in the same class

  bool none() const { return classes.empty(); }
};

// Variation of the ranks' work in each execution, in units of the rank's mean. Small variation counts as none.
//
// If the ranks' long executions coincide (the host was busy, or there was more to do for all), no rank
// waits for another. `together` is chosen so that the mean of the longest of the ranks is as recorded.
class VariationOf {
 public:
  void add(float share);  // of one rank
  void end_of_time();     // of one execution: all participating ranks have been added
  Variation get() &&;

 private:
  std::vector<float> shares_;
  float longest_ = 0;
  std::size_t first_ = 0;  // of this execution
  double sum_of_longest_ = 0;
  std::size_t times_ = 0, of_several_ = 0;  // with two ranks or more, and their parts
};

}  // namespace emu::skeleton
