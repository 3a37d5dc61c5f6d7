// Search space of the least makespan, with costs that never decrease: how many items each processor may get in a
// distribution that is done in time, and how many the processors from one on can take at most. Of costs that are not
// affine only some values are looked at, and more where it matters.
#pragma once

#include <vector>

#include "scatter/problem.h"
#include "scatter/relaxation.h"
#include "scatter/values.h"

namespace emu::scatter {

// A processor gets nothing, if it may, or least ... most items, if that is 1 or more numbers.
struct Row {
  explicit Row(const Processor& processor) : send(processor.send), compute(processor.compute) {}

  bool some() const { return least <= most; }
  Interval least_send() const { return send.of(none ? 0 : least); }
  Interval most_send() const { return send.of(some() ? most : 0); }

  Values send, compute;
  bool none = true;
  Items least = 1, most = 0;
  // What has been looked at: numbers of items, rising, from least (or less) to most (or more), and their costs.
  std::vector<Items> at;
  std::vector<Interval> send_at, compute_at;
  Envelope send_below, compute_below;
  Line send_line, compute_line;  // that touch these
};

class SearchSpace {
 public:
  explicit SearchSpace(const Problem& problem);

  // From now on only distributions that are done by `end` count. False if there is none, as far as is known.
  bool reach(Interval end);
  // Looks at so many values of each cost, of those that may still matter.
  void look(Items values);
  // Failure if values that have been looked at are negative, or decrease.
  Result<void> check() const;
  // Lines that touch the costs at `counts`, and what follows from them for ends from `least` on.
  void touch(const std::vector<Items>& counts, Interval least);
  // Leaves out numbers of items with which too few can be given in all. False if none remain.
  bool narrow();

  // No distribution is done earlier.
  Interval least_time() const;
  // To each in turn what promises most items in all by `end`. Fewer than all: they are not done.
  std::vector<Items> filled(Interval end, Items& left) const;
  // As many as processor i finishes within `time` of when the root begins to send to it, up to `most`; 0 if not
  // even its least number.
  Items fitting(std::size_t i, Interval time, Items most) const;

  const std::vector<Row>& rows() const { return rows_; }
  // What the processors from i on take at most.
  const Frontier& from(std::size_t i) const { return frontiers_[i]; }
  // If that is less than this, not all can be given; the rounding of bounds apart.
  long double wanted(Items left) const { return static_cast<long double>(left) - slack_; }
  bool all_affine() const { return all_affine_; }
  // The values that may still matter are more than have been looked at.
  bool coarse() const;
  // Of all costs: how many may still matter.
  long double width() const;
  // Asks for all values that may still matter, if they are not too many.
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
  std::vector<Frontier> frontiers_;  // [p]: of none
  Interval least_, end_;             // for which they hold
  long double slack_;
  bool all_affine_ = true;
};

}  // namespace emu::scatter
