// Exchanges of ranks with their peers, from which masters and slaves are recognised (analysis/tasks.h).
//
// An exchange of a rank with a peer begins when the rank receives a message from the peer, and ends when it begins
// to send it one. A further message of the peer belongs to the same exchange if the rank has sent nothing to
// anybody since, and else begins another one in its place. Exchanges with several peers may overlap. Only
// messages of point-to-point calls count.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/history.h"

namespace emu::analysis {

struct Exchange {
  int peer = 0;
  std::uint64_t in = 0;    // the peer's message that began it, by sequence; of a handshake, the request ...
  std::uint64_t data = 0;  // ... and the message with its data; without one, the same
  std::uint64_t out = 0;   // the rank's that ended it
  std::int64_t bytes_in = 0, bytes_out = 0;
  Instant taken;      // the rank began to receive `in`
  Instant begun;      // and `data`,
  Instant received;   // and had it
  Instant ended;      // it began to send `out`
  Interval computed;  // by the rank from `received` to `ended`
  Interval own;       // as far as it is in no exchange that ended before
  // The rank's waiting since its start, polls in vain included, when it had `in`, and when the exchange had
  // ended.
  Interval waited_before, waited_after;
};

struct Exchanges {
  std::vector<std::vector<Exchange>> ranks;  // by rank, in the order in which they ended
  // By sender and sequence: when its receiver began to take it; never() for what was not received.
  std::vector<std::vector<Instant>> taken;
  std::vector<Spans> waiting;  // by rank, polls in vain included
};

Result<Exchanges> read_exchanges(const Folder& folder, const History& history);

}  // namespace emu::analysis
