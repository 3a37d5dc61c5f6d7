// Critical path of a recorded run, piece by piece: backwards from the last finish,
// along the rank to its last wait, then to the rank that sent the awaited message. This
// is the course of the path; its composition is known without a trace (record/path.h).
#pragma once

#include <vector>

#include "analysis/history.h"

namespace emu::analysis {

// The path is on `rank` from `from` to `until`, and after that in a message to the rank of the next piece, if any. If
// that rank polled, this message's part ends at the successful poll.
struct PathPiece {
  int rank = 0;
  Instant from, until;
};

struct CriticalPath {
  std::vector<PathPiece> pieces;  // in order of time
  // The path begins at a permanent failure of the first piece's node, an instant that the target sets.
  bool from_failure = false;
};

// The path to the finish of `rank`. It is shorter than the run if it begins with a failure, or if the record does
// not reach back to the start.
CriticalPath critical_path(const History& history, int rank);

}  // namespace emu::analysis
