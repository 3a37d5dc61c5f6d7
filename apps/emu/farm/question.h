// A question about a task farm, and the simulation that answers it for one way to run it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "../strategies/groups.h"
#include "advice/chunks.h"
#include "base/failure.h"
#include "farm/roles.h"
#include "record/summary.h"
#include "target/target.h"

namespace emu::app::farms {

// One way to run a farm.
struct Policy {
  advice::Rule rule = advice::Rule::self;
  std::int32_t chunk = 1;  // tasks of a chunk; for rules other than `self` the least number
  int masters = 1;
  int prefetch = 1;
  friend bool operator==(const Policy&, const Policy&) = default;
};

struct Question {
  Job job;  // `prefetch`, `probe` and `turnaround` are set by the way
  double probe = 0.01;
  advice::Costs costs;  // for the rule fsc
  strategies::Dealing dealing = strategies::Dealing::scattered;
};

// Fails if the nodes of the first `ranks` ranks have features that a farm cannot simulate. `origin`: the name of the target's
// file.
Result<void> expressible(const target::Target& target, int ranks, const std::string& origin);
// Fails if the protocol does not support the way. The message names the option.
Result<void> possible(const Question& question, const Policy& way, const target::Target& target, int ranks);

// Simulates a run of the farm, by ranks that end where a program would enter MPI_Finalize.
Result<record::RunSummary> simulate(const Question& question, const Policy& way, const target::Target& target,
                                    int ranks);

}  // namespace emu::app::farms
