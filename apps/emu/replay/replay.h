// A recorded program on another target, without the program: each rank is a fiber that repeats the recorded requests.
#pragma once

#include <memory>
#include <string>

#include "base/failure.h"
#include "record/summary.h"
#include "replay/program_reader.h"
#include "target/target.h"

namespace emu::app::replay {

// A trace, as far as a replay needs it.
struct Recording {
  std::string folder;
  std::string program;  // its name
  std::string target;   // name of the target of the recording
  int ranks = 0;
};
// Returns true if the folder holds the record of a program.
bool is_recording(const std::string& path);
Result<Recording> open_recording(const std::string& folder);
// The record of a rank, which must be of the same run as the others.
Result<std::unique_ptr<ProgramReader>> open_rank(const Recording& recording, int rank);

// Succeeds if the program would make the same requests on the target: it makes no choice, and its collective operations
// have the same messages there. The failure names the first rank and call for which this is not so. Reads all files.
Result<void> can_replay(const Recording& recording, const target::Target& target);

// As schedules::play().
Result<record::RunSummary> play(const Recording& recording, const target::Target& target,
                                const std::string& trace);

}  // namespace emu::app::replay
