// A message between two ranks, as the wire carries it.
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

// In memory that both ends can access, with its payload right behind it. The wire owns the message until the receiver
// drains it; the receiver owns it from then on, until it releases it.
struct Message {
  using Kind = record::MessageKind;

  // Used by the wire: the owner of the block, and a link while the message is under way.
  std::uint64_t home = 0;
  std::uint64_t link = 0;

  Envelope envelope;
  Arrival arrival;      // card "serial", bus: the arrival of its head, until it has passed
  Instant held;         // see ready()
  Interval occupancy;   // (k-1)G: the time for which it occupies the receiver's card, if that is serial
  double trailing = 0;  // k-1, the weight of G in it (record/path.h)
  Interval further;     // answer: time from its arrival until the sender can act upon it
  double further_latencies = 0;     // the weight of L in that time
  bool card = false;                // it passes the receiver's card, or the bus
  bool get = false;                 // request: carries the data, which its receiver reads; data: were read
  bool in_transit = false;          // it shares resources, as the bus: `arrival` is only a lower bound yet
  bool unexpected = false;          // used by the receiver: no receive has matched it
  bool coming = false;              // used by the receiver: matched, or queued, while in transit
  bool dropped = false;             // used by the receiver: no longer needed
  std::int32_t source_in_comm = 0;  // the sender's rank in the communicator
  Kind kind = Kind::eager;
  std::int32_t to = 0;  // the receiver's rank in MPI_COMM_WORLD, if it is on another node
  std::int32_t bound_for =
      0;  // in transit: the receiver of the message that a notice describes to another host node
  // Addresses of requests at both ends of the handshake, each valid in its own process only. Synchronous data and
  // acknowledgements have the sender's address only.
  std::uint64_t sender_request = 0;
  std::uint64_t receiver_request = 0;

  // True for data that have to be acknowledged: of a synchronous send, or read by the receiver.
  bool synchronous() const { return sender_request != 0 && (kind == Kind::eager || kind == Kind::data); }
  // True if its sender waits for the receiver to match it.
  bool awaits_answer() const { return kind == Kind::request || synchronous(); }
  // True for an answer to such data.
  bool acknowledges() const { return kind == Kind::answer && receiver_request == 0; }

  // The instant from which the receiver can act upon the message. A message that has to wait for the
  // choice of a receive from any source is held until that choice is made: because that receive accepts
  // it, or because an earlier message of its source has to wait. Its place in the order of arrivals, in
  // which receives choose, does not change. An answer is held for the further trips of its handshake.
  Instant ready() const { return std::max(arrival.at, held); }
  void hold_until(Instant instant, const record::Path& why) {  // later than ready()
    held = instant;
    path = why;
  }
  // Its key in the order of all events of the receiver.
  Arrival key() const { return {ready(), arrival.source, arrival.sequence}; }

  // The rank at which its bytes begin their way. Data that are read are a message of their receiver.
  int origin() const { return get ? envelope.source : arrival.source; }

  // Use of shared resources (contention/contention.h): the flow, for the wire; the
  // message's own time per byte; its bytes; and the arrival of its head at the resources.
  std::uint64_t flow = 0;
  Rate gap_per_byte;
  model::Bytes bytes_in_transit = 0;
  Instant head;
  Posted* met = nullptr;  // used by the receiver: the receive that it matched while in transit

  // Used by the receiver's queue (match/queue.h).
  Message* previous = nullptr;
  Message* next = nullptr;

  // The path to ready(). The last member: the receiver reads it only when it acts upon the message.
  record::Path path;

  // Becomes a copy of `other`, without its payload, in this block.
  void take_over(const Message& other) {
    const std::uint64_t block = home;
    *this = other;
    home = block;
  }

  // Size of the payload behind the message.
  model::Bytes carried() const {
    switch (kind) {
      case Kind::request:
        return get ? envelope.bytes : 0;
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
