// Search space of the least makespan, for costs that never decrease: the numbers of items that each processor may get
// in a distribution that ends in time, and upper bounds of the items that the processors from a given one on can take.
// Only some values of a cost that is not affine are evaluated, with more of them where they matter.
#pragma once

#include <vector>

#include "scatter/problem.h"
#include "scatter/relaxation.h"
#include "scatter/values.h"

namespace emu::scatter {

// A processor gets nothing, if that is possible, or least ... most items, if that range is not empty.
struct Row {
  explicit Row(const Processor& processor) : send(processor.send), compute(processor.compute) {}

  bool some() const { return least <= most; }
  Interval least_send() const { return send.of(none ? 0 : least); }
  Interval most_send() const { return send.of(some() ? most : 0); }

  Values send, compute;
  bool none = true;
  Items least = 1, most = 0;
  // Evaluated values: numbers of items, ascending, from least (or less) to most (or more), and their costs.
  std::vector<Items> at;
  std::vector<Interval> send_at, compute_at;
  Envelope send_below, compute_below;
  Line send_line, compute_line;  // lines that touch these costs
};

class SearchSpace {
 public:
  explicit SearchSpace(const Problem& problem);

  // From now on only distributions that end by `end` count. Returns false if there is none, as far as is known.
  bool reach(Interval end);
  // Evaluates `values` values of each cost, in the range that may still matter.
  void look(Items values);
  // Fails if evaluated values are negative, or decrease.
  Result<void> check() const;
  // Makes lines that touch the costs at `counts`, and their consequences for ends from `least` on.
  void touch(const std::vector<Items>& counts, Interval least);
  // Removes numbers with which fewer than all items can be given. Returns false if none remain.
  bool narrow();

  // No distribution ends earlier.
  Interval least_time() const;
  // Gives each processor in turn the number that promises most items in all by `end`. `left`: the items that remain;
  // more than 0: the counts are not feasible.
  std::vector<Items> filled(Interval end, Items& left) const;
  // The greatest number, up to `most`, that processor i finishes within `time` of the start of its sending; 0 if not
  // even its least number fits.
  Items fitting(std::size_t i, Interval time, Items most) const;

  const std::vector<Row>& rows() const { return rows_; }
  // Upper bound of the items that the processors from i on take.
  const Frontier& from(std::size_t i) const { return frontiers_[i]; }
  // If this bound is below the returned value, not all items can be given. Allows for the rounding of bounds.
  long double wanted(Items left) const { return static_cast<long double>(left) - slack_; }
  bool all_affine() const { return all_affine_; }
  // True if more values may still matter than have been evaluated.
  bool coarse() const;
  // Number of values of all costs that may still matter.
  long double width() const;
  // Evaluates all values that may still matter, if they are not too many.
  void keep();

 private:
  struct Times {
    long double least, most;
  };
  std::vector<Times> times_left(Interval least, Interval end) const;
  bool narrow_row(std::size_t i, const Capacity& here, const Capacity& behind, const Times& left,
                  long double slack);

  const Items n_;
  std::vector<Row> rows_;
  std::vector<Frontier> frontiers_;  // [p]: of no processor
  Interval least_, end_;             // the times for which they are valid
  long double slack_;
  bool all_affine_ = true;
};

}  // namespace emu::scatter
