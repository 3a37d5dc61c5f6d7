// Warnings of the runs of a study, each once with its numbers of ranks.
#pragma once

#include <string>
#include <vector>

#include "launch/prepared_run.h"
#include "study/curve.h"

namespace emu::app::studies {

// In the order of their first runs. `plan` contains the uncalibrated values of the target.
std::vector<RunWarning> run_warnings(const Curve& curve, const PreparedRun& plan);

// "TEXT (with 4, 8 and 16 ranks)"
std::string in_words(const RunWarning& warning);

}  // namespace emu::app::studies
