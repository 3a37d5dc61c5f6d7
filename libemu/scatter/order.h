// Order in which the root sends, and choice of the root.
#pragma once

#include <functional>
#include <vector>

#include "base/failure.h"
#include "scatter/problem.h"

namespace emu::scatter {

// The numbers of the processors by descending bandwidth, that is by the cost of sending an equal
// part, the root last; equal ones keep their order. For linear costs no order permits a smaller makespan, if
// items may be split (the paper's Theorem 3). For other costs it is the paper's policy.
std::vector<std::size_t> by_bandwidth(const std::vector<Processor>& processors, std::size_t root,
                                      Items items);
// In ascending order, the root last: it computes when it has sent everything, whatever its position.
std::vector<std::size_t> as_given(std::size_t processors, std::size_t root);

// `processors` in this order.
std::vector<Processor> in_order(const std::vector<Processor>& processors,
                                const std::vector<std::size_t>& order);

struct Root {
  std::size_t number = 0;
  Plan plan;
  Interval moved;  // before the scatter: all items move to the root
};

// The root with the earliest end, if the items have to move to it before it can
// deal them. `problem_of(i)`: the problem with root i; `move_to(i)`: the time
// of the move to it. Of several best roots, the one with the lowest number.
Result<Root> best_root(std::size_t processors, const std::function<Problem(std::size_t)>& problem_of,
                       const std::function<Interval(std::size_t)>& move_to);

}  // namespace emu::scatter
