// Balanced scatter: numbers of items for the processors with which the work ends as early as possible.
//
// A root deals n independent, equal items to p processors, itself one of them. It sends one
// message at a time (a single port), in the order in which the processors are listed; each computes when it
// has its items. With n_i items processor i ends at
//
//   T_i = sum over j <= i of Tcomm_j(n_j) + Tcomp_i(n_i),    and the makespan is the greatest T_i.
//
// S. Genaud, A. Giersch, F. Vivien, "Load-Balancing Scatter Operations for Grid Computing", IPDPS 2003, and
// Parallel Computing 30(8), 2004: equations 1 and 2. There the root is last, with Tcomm = 0: it computes
// when it has sent everything, whatever its rank.
#pragma once

#include <string>
#include <vector>

#include "base/failure.h"
#include "scatter/cost.h"

namespace emu::scatter {

struct Processor {
  Cost send;     // Tcomm: time for which its items occupy the root
  Cost compute;  // Tcomp: time from then on until its end
};

struct Problem {
  Items items = 0;
  std::vector<Processor> processors;  // in the order in which the root sends
};

inline constexpr Items most_items = 1'000'000'000'000'000;

// Fails if there is no processor, or if costs or the number of items are invalid. Calls functions for all their
// values.
Result<void> check(const Problem& problem);
// As check(), without calls of functions.
Result<void> check_form(const Problem& problem);
// "the cost of sending to processor 3", or of computing on it.
std::string cost_name(bool sending, std::size_t processor);

// One processor's part of a plan.
struct Part {
  Items items = 0;
  Instant begun;     // the root begins to send to it
  Instant received;  // the root has sent its items
  Instant finished;  // it has computed
};

struct Plan {
  std::vector<Part> parts;  // one for each processor
  Interval makespan;

  std::vector<Items> counts() const;
};

// The course of the distribution `counts`, with one count for each processor. Times saturate at too_long.
Plan plan(const Problem& problem, const std::vector<Items>& counts);
// Only the makespan of plan().
Interval makespan(const Problem& problem, const std::vector<Items>& counts);

// Equal parts; the first ones get one item more if n is not a multiple of p.
std::vector<Items> uniform(Items items, std::size_t processors);

// The message for plans that reach too_long.
tl::unexpected<Failure> takes_too_long(const Problem& problem);
// The plan; fails if it reaches too_long.
Result<Plan> finished(const Problem& problem, const std::vector<Items>& counts);

}  // namespace emu::scatter
