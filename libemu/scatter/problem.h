// Balanced scatter: how many items for whom, so that all is done as early as possible.
//
// A root deals n items, which are independent and all alike, to p processors, itself one of them. It sends one
// message at a time (a single port), in the order in which the processors stand here; each computes when it
// has its items. With n_i items processor i ends at
//
//   T_i = sum over j <= i of Tcomm_j(n_j) + Tcomp_i(n_i),    and the makespan is the greatest T_i.
//
// S. Genaud, A. Giersch, F. Vivien, "Load-Balancing Scatter Operations for Grid Computing", IPDPS 2003, and
// Parallel Computing 30(8), 2004: equations 1 and 2. The root stands last there, with Tcomm = 0: it computes
// when it has sent everything, whatever its rank.
#pragma once

#include <string>
#include <vector>

#include "base/failure.h"
#include "scatter/cost.h"

namespace emu::scatter {

struct Processor {
  Cost send;     // Tcomm: how long its items keep the root
  Cost compute;  // Tcomp: from then on to its end
};

struct Problem {
  Items items = 0;
  std::vector<Processor> processors;  // in the order in which the root sends
};

inline constexpr Items most_items = 1'000'000'000'000'000;

// Failure if there is no processor, or costs or the number of items are none. Asks functions for all their
// values.
Result<void> check(const Problem& problem);
// The same, but functions are not asked.
Result<void> check_form(const Problem& problem);
// "the cost of sending to processor 3", or of computing on it.
std::string cost_name(bool sending, std::size_t processor);

// One processor's part of a plan.
struct Part {
  Items items = 0;
  Instant begun;     // the root begins to send to it
  Instant received;  // and is done with that
  Instant finished;  // it has computed
};

struct Plan {
  std::vector<Part> parts;  // one for each processor
  Interval makespan;

  std::vector<Items> counts() const;
};

// What becomes of `counts`, one for each processor. Times stop at too_long.
Plan plan(const Problem& problem, const std::vector<Items>& counts);
// The same, only the makespan.
Interval makespan(const Problem& problem, const std::vector<Items>& counts);

// Equal parts; the first ones get one more where n is no multiple of p.
std::vector<Items> uniform(Items items, std::size_t processors);

// What is said of plans that reach too_long.
tl::unexpected<Failure> takes_too_long(const Problem& problem);
// The plan, or a failure if it takes too long to be told.
Result<Plan> finished(const Problem& problem, const std::vector<Items>& counts);

}  // namespace emu::scatter
