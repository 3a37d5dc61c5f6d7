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

// Parts of a rank's virtual time. The sum of the seven is exactly the rank's finish.
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
      0;  // messages of the program, with those of collectives, without control messages
  std::int64_t bytes_sent = 0;
  Doubts doubts;
  bool failed = false;  // its node failed for good, at `finish`, before MPI_Finalize
};

// Use of a shared resource.
struct ResourceUse {
  std::int32_t number = 0;  // as Path::resource
  std::string name;
  std::int64_t bytes = 0, messages = 0;
  Interval busy;               // time with at least one message
  std::int32_t longest = 0;    // the greatest number of messages at once; 0: unknown
  std::int32_t most_by = -1;   // the rank that sent most bytes, if more than half; otherwise -1
  Interval stretch;            // length of an interval of `load`, from the start of the run
  std::vector<Interval> load;  // busy time in each interval
};

struct RunSummary {
  std::string target;  // the target's name
  std::vector<RankSummary> ranks;
  std::vector<ResourceUse> resources;  // those with any use

  Instant predicted() const;  // the latest finish; of ranks that did not fail, if there are any
  // The rank that finishes last, the first of several: its path is the run's critical path. -1: no
  // ranks.
  int last() const;
  bool computes() const;  // any rank, for any time
};

// File with the summary of a trace's run, if messages shared resources.
inline std::string summary_of_trace(const std::string& folder) { return folder + "/summary"; }

Result<void> write(const RunSummary& run, const std::string& path);
Result<RunSummary> read(const std::string& path);

}  // namespace emu::record
