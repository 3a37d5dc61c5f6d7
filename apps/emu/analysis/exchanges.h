// Exchanges of ranks with their peers, which identify masters and slaves (analysis/tasks.h).
//
// An exchange of a rank with a peer begins when the rank receives a message from the peer, and ends when it begins
// to send one to the peer. A further message of the peer belongs to the same exchange if the rank has sent no message
// since; otherwise it begins a new exchange in place of the old one. Exchanges with several peers may overlap. Only
// messages of point-to-point calls count.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/history.h"

namespace emu::analysis {

struct Exchange {
  int peer = 0;
  // Sequence numbers: `in` of the peer's first message (of a handshake, the request), `data` of the message with its
  // data (equal to `in` without a handshake, or if the data are read), `out` of the rank's message that ended it.
  std::uint64_t in = 0;
  std::uint64_t data = 0;
  std::uint64_t out = 0;
  std::int64_t bytes_in = 0, bytes_out = 0;
  Instant taken;      // the rank began to receive `in`
  Instant begun;      // it began to receive `data`
  Instant received;   // it had received `data`
  Instant ended;      // it began to send `out`
  Interval computed;  // by the rank from `received` to `ended`
  Interval own;       // the part that is in no exchange that ended earlier
  // The rank's waiting time since its start, with unsuccessful polls, at the receipt of `in` and at the end of the
  // exchange.
  Interval waited_before, waited_after;
};

struct Exchanges {
  std::vector<std::vector<Exchange>> ranks;  // by rank, in the order of their ends
  // By sender and sequence number: start of the receive of the message; never() if it was not received.
  std::vector<std::vector<Instant>> taken;
  std::vector<Spans> waiting;  // by rank, with unsuccessful polls
};

Result<Exchanges> read_exchanges(const Folder& folder, const History& history);

}  // namespace emu::analysis
