// Masters and slaves. Their tasks are assigned at run time, so a recording does not determine the assignment. A farm
// remains a farm in the skeleton: a number of tasks that a master deals, the next one to the slave that returns a
// result.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "skeleton/recording/trace.h"

namespace emu::skeleton {

// Contents of the calls of a farm, equal on all ranks: `peer` is the master, `tag` the tag of tasks, `source_tag` that
// of results, `bytes` the size of a task, `slot` 1 if slaves request their first task; and in `list`
//   tasks, bytes of a result, work of the master for each task, work of the slaves' tasks ...
// Work is in picoseconds of the reference CPU. The tasks' work is in the order of dealing, in `phases` of equal
// numbers of tasks, and in each phase by size; a fixed number of tasks is replaced by their mean.
struct Farm {
  std::int64_t tasks = 0, result_bytes = 0;
  bool asks = false;
  double master_work = 0;         // seconds
  std::vector<double> task_work;  // seconds
  static constexpr std::size_t phases = 32, in_phase = 8;
};
// Nothing if the call's list does not describe a farm.
std::optional<Farm> farm_of(const Call& call);

// Execution of a farm with fewer tasks: `first` unchanged, then `rest` with `weight` each, `last` unchanged.
struct FarmScale {
  long first = 0, rest = 0, last = 0;
  double weight = 1;
  long tasks() const { return first + rest + last; }
};
// The first and last task of each slave fill and empty the farm; each has 16 or more between, or else all tasks run.
FarmScale scale_farm(const Farm& farm, int slaves, double scale);
// The work of each of these tasks, in the order of dealing. The mean is that of the farm.
std::vector<double> works_of(const Farm& farm, const FarmScale& scale);

// Replaces the events of a farm by one event on each rank. A farm must have one rank as
// the master and all others as slaves; nothing changes if the ranks' events disagree.
void fold_farms(Recording& recording);

}  // namespace emu::skeleton
