// Events of a trace that are needed all at once, because one rank's time is explained by what others did: when messages
// were sent, when ranks computed, when they waited, and when collective calls began and ended.
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
  Instant begin, left;      // the overhead's begin and end
  Instant arrival;          // if nothing is in its way
  std::uint64_t event = 0;  // its place among the rank's events
  bool start = false;       // a send or an operation of the program: no answer or data of a handshake
  bool gap = false;         // it had to wait for the gap g
};

struct Waited {
  Instant from, until;  // where it polled: from when it was there until it looked
  std::uint64_t event = 0;
  record::Hop hop;   // what for, if it is a message
  bool gap = false;  // it waited for g, since the send before
  int failure = -1;  // it waited for this rank's node to fail for good
  Instant fails;     // when that was
};

// One collective operation, over all its members.
struct Collective {
  Instant last_begin, last_end;
  int members = 0;
};

struct RankHistory {
  std::vector<SentMessage> sent;        // by sequence
  std::vector<SentMessage> operations;  // on others' memory, likewise
  std::vector<Waited> waited;           // in order
  Spans compute;
  Instant finish;
  std::uint64_t finish_event = 0;
  bool failed = false;  // the finish is the failure of its node for good
  record::Breakdown time;
  record::Path path;                     // to the finish; empty if the record was cut off
  std::int64_t messages = 0, bytes = 0;  // of the program and its collectives, with operations
  std::string cut;                       // why its record is not complete; empty: it is
};

// What others did to a rank's memory in windows, and it itself did so: it costs nothing but their time.
struct Memory {
  std::int64_t operations = 0;  // locks, unlocks and flushes are some
  Interval overhead;            // of their origins
  Interval waited;              // by them, for results; what held these up is in it
};

struct History {
  std::vector<RankHistory> ranks;
  std::vector<Memory> memory;                                    // by rank
  std::map<std::uint64_t, std::vector<Collective>> collectives;  // by communicator, in order
  Spans alone;                                                   // exactly one rank computes

  Instant finish() const;
  Instant end() const;  // of what any rank did
  // What was sent; null if it is not on record.
  const SentMessage* find(record::Hop hop) const;
  // The rank that finishes last, the first of several; of those that did not fail, if there are any.
  int last() const;
};

Result<History> read_history(const Folder& folder);

}  // namespace emu::analysis
