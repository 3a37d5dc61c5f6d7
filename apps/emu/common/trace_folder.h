// Folder of a trace that is being recorded.
#pragma once

#include <string>
#include <vector>

#include "base/failure.h"
#include "record/summary.h"

namespace emu::app {

// Checks that `folder` can be used: it does not exist, is empty, or contains an older trace.
Result<void> can_record(const std::string& folder);
// The files of the trace in `folder`, if there is one.
std::vector<std::string> files_of_trace(const std::string& folder);
// Creates the folder, and removes an older trace from it.
Result<void> prepare_recording(const std::string& folder);
// Fails if some rank of `run` could not write its part. The ranks have named the files and the reasons.
Result<void> check_recording(const record::RunSummary& run, const std::string& folder);

}  // namespace emu::app
