// Programs that are data, which emu carries out by itself: a GOAL schedule, the trace of a program, the text of a skeleton.
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
// `arguments`: what follows the path. "--unit TIME" of a schedule, "--scale K" of a skeleton, or nothing.
Result<Source> read_any(const std::string& path, const std::vector<std::string>& arguments);

class Playable {
 public:
  virtual ~Playable() = default;
  // Records into the folder `trace` unless that is empty. The ranks fit on the target. Failure: a deadlock, or what else ends a
  // job before its time.
  virtual Result<record::RunSummary> play(const target::Target& target, const std::string& trace) = 0;
};
// Failure: it is wrong, or cannot be played on the target.
Result<std::unique_ptr<Playable>> open(const Source& source, const target::Target& target);

}  // namespace emu::app::schedules
