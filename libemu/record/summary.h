// Summary of a finished run: one record per rank and totals. The library writes it at MPI_Finalize (rank 0, to the file
// that EMU_RECORD names); `emu run` reads it back and turns it into JSON.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/failure.h"
#include "base/time.h"
#include "record/doubts.h"
#include "record/path.h"

namespace emu::record {

// Where a rank's virtual time went. The seven sum up to the rank's finish exactly.
struct Breakdown {
  Interval compute;
  Interval send_overhead;
  Interval receive_overhead;
  Interval poll;       // Iprobe and Test that answered false
  Interval handshake;  // control messages of rendezvous: requests and answers
  Interval wait;       // blocked until something arrives
  Interval down;       // its node was down

  Interval busy() const { return compute + send_overhead + receive_overhead + poll + handshake; }
  Interval total() const { return busy() + wait + down; }
};

struct RankSummary {
  Instant finish;  // entry to MPI_Finalize
  Breakdown time;
  Path path;  // to the finish
  std::int64_t messages_sent =
      0;  // as the program sees them: no control messages; those of collectives count
  std::int64_t bytes_sent = 0;
  Doubts doubts;
  bool failed = false;  // its node failed for good, at `finish`, before it came to MPI_Finalize
};

// What a resource that messages share has carried.
struct ResourceUse {
  std::int32_t number = 0;  // as Path::resource
  std::string name;
  std::int64_t bytes = 0, messages = 0;
  Interval busy;               // with at least one message
  std::int32_t longest = 0;    // the most messages at once; 0: not known
  std::int32_t most_by = -1;   // the rank that sent most, if one sent over half
  Interval stretch;            // of time, from the start of the run
  std::vector<Interval> load;  // how long it was busy in each stretch
};

struct RunSummary {
  std::string target;  // the target's name
  std::vector<RankSummary> ranks;
  std::vector<ResourceUse> resources;  // those that carried anything

  Instant predicted() const;  // the latest finish; of those that did not fail, if there are any
  // The rank that finishes last, the first of several: its path is the run's critical path. -1: there is
  // none.
  int last() const;
  bool computes() const;  // any rank, for any time
};

// Where a trace has the summary of its run, if messages shared resources.
inline std::string summary_of_trace(const std::string& folder) { return folder + "/summary"; }

Result<void> write(const RunSummary& run, const std::string& path);
Result<RunSummary> read(const std::string& path);

}  // namespace emu::record
