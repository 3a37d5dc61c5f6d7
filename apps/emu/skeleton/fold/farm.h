// Masters and slaves: who gets which task is decided while the program runs, so it cannot be read off a recording. A farm
// is kept as what it is: a number of tasks that a master deals, the next one to whoever returns a result.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "skeleton/recording/trace.h"

namespace emu::skeleton {

// What the calls of a farm say, which are the same on all ranks: `peer` is the master, `tag` that of tasks, `source_tag`
// that of results, `bytes` those of a task, `slot` 1 if slaves ask for their first task; and in `list`
//   tasks, bytes of a result, work of the master for each task, work of the slaves' tasks ...
// Work is in picoseconds of the reference CPU. The tasks' work stands in the order in which they were dealt, in `phases`
// of the same number of tasks, and in each phase by size; so many tasks have become one that their means are left.
struct Farm {
  std::int64_t tasks = 0, result_bytes = 0;
  bool asks = false;
  double master_work = 0;         // seconds
  std::vector<double> task_work;  // seconds
  static constexpr std::size_t phases = 32, in_phase = 8;
};
// Nothing if the call's list is none of a farm.
std::optional<Farm> farm_of(const Call& call);

// How a farm of fewer tasks runs: `first` as they are, then `rest` that stand for `weight` each, `last` as they are.
struct FarmScale {
  long first = 0, rest = 0, last = 0;
  double weight = 1;
  long tasks() const { return first + rest + last; }
};
// The first and the last task of each slave fill and empty the farm; between, each has 16 or more, or else all run.
FarmScale scale_farm(const Farm& farm, int slaves, double scale);
// The work of each of so many tasks, in the order in which they are dealt. The mean is that of the farm.
std::vector<double> works_of(const Farm& farm, const FarmScale& scale);

// Replaces what belongs to a farm in the ranks' events by one event on each rank. The farms that there are in one rank's
// place of master and all others' place of slaves; nothing changes where the ranks do not agree on that.
void fold_farms(Recording& recording);

}  // namespace emu::skeleton
