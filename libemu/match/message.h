// A message on its way: what the wire carries from one rank to another.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/rate.h"
#include "match/envelope.h"
#include "record/kinds.h"
#include "record/path.h"

namespace emu::match {

struct Posted;

// Lives in memory that both ends can reach, its payload right behind it. The wire owns it until it is
// drained, the receiver from then on, until it releases it.
struct Message {
  using Kind = record::MessageKind;

  // The wire's own: where the block belongs, and its link while it travels.
  std::uint64_t home = 0;
  std::uint64_t link = 0;

  Envelope envelope;
  Arrival arrival;      // card "serial": until it has passed the receiver's card, when its head arrives
  Instant held;         // see ready()
  Interval occupancy;   // (k-1)G: how long it keeps the receiver's card, if that is serial
  double trailing = 0;  // k-1, as G weighs in it (record/path.h)
  Interval further;     // answer: from its arrival until the sender can act upon it
  double further_latencies = 0;  // as L weighs in that
  bool card = false;             // it passes the receiver's card, or the bus
  bool in_transit = false;       // it shares resources: `arrival` is no sooner than this, and not known yet
  bool unexpected = false;       // the receiver's: among the messages that no receive has matched
  bool coming = false;           // the receiver's: it has been matched, or queued, while it was in transit
  bool dropped = false;          // the receiver's: it is not wanted any more
  std::int32_t source_in_comm = 0;  // the sender's rank in the communicator
  Kind kind = Kind::eager;
  std::int32_t to = 0;  // the receiver's rank in MPI_COMM_WORLD, if it is on another node
  std::int32_t bound_for =
      0;  // in transit: the receiver of the message, of which a notice tells another host node
  // The handshake's two ends: addresses of requests, each meaningful in its own process only. Synchronous data and their
  // acknowledgement have the sender's alone.
  std::uint64_t sender_request = 0;
  std::uint64_t receiver_request = 0;

  // The data of a synchronous send, which is complete when it has an acknowledgement.
  bool synchronous() const { return kind == Kind::eager && sender_request != 0; }
  // Its sender waits for the receiver, which has to match it first.
  bool awaits_answer() const { return kind == Kind::request || synchronous(); }
  // An answer to such data, not to a request.
  bool acknowledges() const { return kind == Kind::answer && receiver_request == 0; }

  // From when on the receiver can act upon it. A message that has to stand back, because it depends on the
  // choice of a receive from any source which meets it, or one sent before it, is held until that choice was
  // made. Where receives choose, its place in the order of arrivals stays. An answer is held for the further
  // trips of its handshake.
  Instant ready() const { return std::max(arrival.at, held); }
  void hold_until(Instant instant, const record::Path& why) {  // later than ready()
    held = instant;
    path = why;
  }
  // Its place among all that the receiver can act upon.
  Arrival turn() const { return {ready(), arrival.source, arrival.sequence}; }

  // On shared resources (contention/contention.h): where its flow is, for the wire; its own time per byte; its bytes; and when
  // its head comes to them.
  std::uint64_t flow = 0;
  Rate gap_per_byte;
  model::Bytes bytes_in_transit = 0;
  Instant head;
  Posted* met = nullptr;  // the receiver's: the receive that it has been matched with, in transit

  // The receiver's queue (match/queue.h).
  Message* previous = nullptr;
  Message* next = nullptr;

  // What determined ready(). Last: the receiver looks for it only when it acts upon the message.
  record::Path path;

  // Becomes a copy of `other`, without its payload, in this block.
  void take_over(const Message& other) {
    const std::uint64_t block = home;
    *this = other;
    home = block;
  }

  // Bytes behind it.
  model::Bytes carried() const {
    switch (kind) {
      case Kind::eager:
      case Kind::data:
      case Kind::operation:
      case Kind::result:
        return envelope.bytes;
      default:
        return 0;
    }
  }
  std::byte* payload() { return reinterpret_cast<std::byte*>(this + 1); }
  const std::byte* payload() const { return reinterpret_cast<const std::byte*>(this + 1); }
};

}  // namespace emu::match
