// Events of a trace that are needed together, because the time of a rank depends on other ranks: sends, computation,
// waits, starts and ends of collective calls.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "analysis/folder.h"
#include "analysis/spans.h"
#include "record/summary.h"

namespace emu::analysis {

struct SentMessage {
  Instant begin, left;      // start and end of the overhead
  Instant arrival;          // without delay by other messages
  std::uint64_t event = 0;  // index among the rank's events
  bool start = false;       // a send or an operation of the program, not an answer or data of a handshake
  bool gap = false;         // it had to wait for the gap g
};

struct Waited {
  Instant from, until;  // for polling: from the arrival to the successful poll
  std::uint64_t event = 0;
  record::Hop hop;   // the awaited message, if any
  bool gap = false;  // it waited for g, since the preceding send
  int failure = -1;  // it waited for the failure of this rank's node for good
  Instant fails;     // the instant of that failure
};

// A collective operation, over all its members.
struct Collective {
  Instant last_begin, last_end;
  int members = 0;
};

struct RankHistory {
  std::vector<SentMessage> sent;        // by sequence number
  std::vector<SentMessage> operations;  // on other ranks' memory, by sequence number
  std::vector<Waited> waited;           // in order
  Spans compute;
  Instant finish;
  std::uint64_t finish_event = 0;
  bool failed = false;  // the finish is the failure of its node for good
  record::Breakdown time;
  record::Path path;                     // to the finish; empty if the record was cut off
  std::int64_t messages = 0, bytes = 0;  // of the program, its collectives, and operations
  std::string cut;                       // the reason why its record is incomplete; empty: it is complete
};

// Use of windows: operations on a rank's memory. Their costs are those of their origins.
struct Memory {
  std::int64_t operations = 0;  // including locks, unlocks and flushes
  Interval overhead;            // of their origins
  Interval waited;              // of their origins, for results; including delays of the operations
};

struct History {
  std::vector<RankHistory> ranks;
  std::vector<Memory> memory;                                    // by rank
  std::map<std::uint64_t, std::vector<Collective>> collectives;  // by communicator, in order
  Spans alone;                                                   // exactly one rank computes

  Instant finish() const;
  Instant end() const;  // the last instant of any rank
  // The sent message; null if it is not recorded.
  const SentMessage* find(record::Hop hop) const;
  // The rank that finishes last, the first of several; of ranks that did not fail, if there are any.
  int last() const;
};

Result<History> read_history(const Folder& folder);

}  // namespace emu::analysis
