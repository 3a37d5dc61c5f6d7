// The critical path of a recorded run, piece by piece: backwards from the last finish, along the rank up to
// the last thing that it had to wait for, then over to who sent that. Where the path goes; what it is made of
// is known without a trace (record/path.h).
#pragma once

#include <vector>

#include "analysis/history.h"

namespace emu::analysis {

// The path is on `rank` from `from` to `until`, and then on its way to the next piece, if there is one: where that rank polled,
// until it looked.
struct PathPiece {
  int rank = 0;
  Instant from, until;
};

struct CriticalPath {
  std::vector<PathPiece> pieces;  // in order of time
  // It begins where the node of the first piece's rank fails for good, an instant that the target sets.
  bool from_failure = false;
};

// The path to the finish of `rank`. Shorter than the run if it begins with a failure, or if the record does
// not reach back to the start.
CriticalPath critical_path(const History& history, int rank);

}  // namespace emu::analysis
