// A skeleton on fibers: no C compiler, no mpirun, and the same times as those of its C program (skeleton/generate/generate.h).
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
  record::RunSummary run;  // of the skeleton
  Outcome outcome;         // what it says of the program
};

// Records into the folder `trace` unless that is empty, under `name`. The ranks fit on the target. Failure: a deadlock, or what
// else ends a job before its time.
Result<Played> play(const Skeleton& skeleton, const Scaling& scaling, const target::Target& target,
                    const std::string& name = "skeleton", const std::string& trace = {});

}  // namespace emu::skeleton
