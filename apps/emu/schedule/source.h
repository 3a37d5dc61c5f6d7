// Programs that are data, which emu carries out itself: a GOAL schedule, the trace of a program, the text of a
// skeleton.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/failure.h"
#include "record/summary.h"
#include "schedule/schedule.h"
#include "target/target.h"

namespace emu::app::schedules {

// Returns true if the path names a source.
bool is_source(const std::string& path);
// The files of a source. A trace has one for each rank.
std::vector<std::string> files_of(const std::string& path);
// "schedule", "recorded program", "skeleton".
const char* noun(const Source& source);
// `arguments`: those after the path: "--unit TIME" for a schedule, "--scale K" for a skeleton, or nothing.
Result<Source> read_any(const std::string& path, const std::vector<std::string>& arguments);

class Playable {
 public:
  virtual ~Playable() = default;
  // Records into the folder `trace`, unless it is empty. The ranks fit on the target. Fails if the job ends early, such
  // as in a deadlock.
  virtual Result<record::RunSummary> play(const target::Target& target, const std::string& trace) = 0;
};
// Fails if the source is invalid, or cannot be simulated on the target.
Result<std::unique_ptr<Playable>> open(const Source& source, const target::Target& target);

}  // namespace emu::app::schedules
