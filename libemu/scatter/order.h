// In which order the root sends, and who is the root.
#pragma once

#include <functional>
#include <vector>

#include "base/failure.h"
#include "scatter/problem.h"

namespace emu::scatter {

// The numbers of the processors by descending bandwidth, that is by what it costs to send a processor an equal
// part, the root last; equal ones stay as they are. For linear costs no order allows a smaller makespan, if
// items may be split (the paper's Theorem 3). For others it is the paper's policy.
std::vector<std::size_t> by_bandwidth(const std::vector<Processor>& processors, std::size_t root,
                                      Items items);
// As they are, the root last: it computes when it has sent all, wherever it stands.
std::vector<std::size_t> as_given(std::size_t processors, std::size_t root);

// `processors` in this order.
std::vector<Processor> in_order(const std::vector<Processor>& processors,
                                const std::vector<std::size_t>& order);

struct Root {
  std::size_t number = 0;
  Plan plan;
  Interval moved;  // before: all items come to it
};

// The root with which all is done first, if the items have to come to it before it can deal them.
// `problem_of(i)`: what is to be solved with root i; `move_to(i)`: how long the items take to it. The one with
// the lowest number, if several are as good.
Result<Root> best_root(std::size_t processors, const std::function<Problem(std::size_t)>& problem_of,
                       const std::function<Interval(std::size_t)>& move_to);

}  // namespace emu::scatter
