// Run of a skeleton on fibers, without a C compiler or mpirun, in the times of its C program
// (skeleton/generate/generate.h).
#pragma once

#include <string>

#include "base/failure.h"
#include "record/summary.h"
#include "skeleton/generate/generate.h"
#include "skeleton/program/scale.h"
#include "skeleton/program/skeleton.h"
#include "target/target.h"

namespace emu::skeleton {

struct Played {
  record::RunSummary run;  // summary of the skeleton's run
  Outcome outcome;         // prediction for the program
};

// Records into the folder `trace` under `name`, unless `trace` is empty. The ranks fit on the target. Fails if the job
// ends early, such as in a deadlock.
Result<Played> play(const Skeleton& skeleton, const Scaling& scaling, const target::Target& target,
                    const std::string& name = "skeleton", const std::string& trace = {});

}  // namespace emu::skeleton
