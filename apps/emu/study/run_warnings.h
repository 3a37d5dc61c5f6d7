// Warnings of the runs of a study, each once with the numbers of ranks that it concerns.
#pragma once

#include <string>
#include <vector>

#include "launch/prepared_run.h"
#include "study/curve.h"

namespace emu::app::studies {

// In order of the first run that has it. `plan` knows which values of the target are uncalibrated.
std::vector<RunWarning> run_warnings(const Curve& curve, const PreparedRun& plan);

// "TEXT (with 4, 8 and 16 ranks)"
std::string in_words(const RunWarning& warning);

}  // namespace emu::app::studies
