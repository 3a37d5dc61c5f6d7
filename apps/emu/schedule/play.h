// Simulation of a schedule on a target.
#pragma once

#include <string>

#include "base/failure.h"
#include "record/summary.h"
#include "schedule/schedule.h"
#include "target/target.h"

namespace emu::app::schedules {

// Records into the folder `trace`, unless it is empty. The ranks fit on the target. Fails if the job ends early, such
// as in a deadlock, whose message has ranks and lines.
Result<record::RunSummary> play(const Schedule& schedule, const target::Target& target,
                                const std::string& trace);

// As play(), with each rank on a fiber and with all features of libemu's ranks. play() uses schedule/machine.h if that
// is sufficient, which is faster.
Result<record::RunSummary> play_on_fibers(const Schedule& schedule, const target::Target& target,
                                          const std::string& trace);

}  // namespace emu::app::schedules
