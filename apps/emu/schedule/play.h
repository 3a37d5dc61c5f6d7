// Plays a schedule on a target.
#pragma once

#include <string>

#include "base/failure.h"
#include "record/summary.h"
#include "schedule/schedule.h"
#include "target/target.h"

namespace emu::app::schedules {

// Records into the folder `trace` unless that is empty. The ranks fit on the target. Failure: a deadlock, with ranks and lines, or
// what else ends a job before its time.
Result<record::RunSummary> play(const Schedule& schedule, const target::Target& target,
                                const std::string& trace);

// The same, with each rank a fiber on which all is done that libemu's ranks do. play() takes schedule/machine.h where that is
// enough, which is faster.
Result<record::RunSummary> play_on_fibers(const Schedule& schedule, const target::Target& target,
                                          const std::string& trace);

}  // namespace emu::app::schedules
