// Ingress of a rank: messages that have been sent to it, and whose arrival is not known yet.
//
// Their arrival depends on what other ranks send: they pass a serial card one after another (match/card.h), or share
// the bus or other resources (contention/contention.h). The wire knows a lower bound of the instant at which a message
// on shared resources lands; the bound grows until then. Messages on the bus land in the order of their heads.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include "match/card.h"
#include "match/landings.h"
#include "match/queue.h"

namespace emu::rank {

class Ingress {
 public:
  // Both outlive the object.
  Ingress(match::Landings& landings, match::Queue& queue) : landings_(landings), queue_(queue) {}

  // Adds a message whose arrival is not known yet.
  [[gnu::noinline]] void add(match::Message* message);
  // True for an operation while earlier operations of its source are in transit. It takes effect after them, so it is
  // in transit, too.
  [[gnu::hot]] bool keeps_back(const match::Message& message) const {
    return !operations_.empty() && message.kind == match::Message::Kind::operation &&
           operations_.contains(message.envelope.source);
  }

  // The message that comes first, no sooner than its arrival; null: there is none. Messages in transit have the
  // arrivals that the last take_landed() found. The queue's choices and the operations depend on these arrivals, too:
  // the caller must look at them at the same moment.
  [[gnu::hot]] match::Message* next() const {
    if (!transit_.empty()) [[unlikely]]
      return *transit_.begin();
    return card_.next();
  }
  // No operation comes before this instant; never: no operation is under way.
  Instant next_operation();
  // Called when it is certain that no head comes before `until`, the arrival of next(). Returns the message whose
  // arrival is known because of that; null: no arrival is.
  match::Message* pass(const match::Arrival& until);
  // A message that has landed, whatever other ranks do; null: there is none. Asks the wire about messages in transit.
  [[gnu::hot]] match::Message* take_landed() {
    if (!transit_.empty()) [[unlikely]]
      return take_from_transit();
    return nullptr;
  }
  // True if the wire may raise a bound that rests on next().
  bool in_transit() const { return !transit_.empty(); }
  // True if a message in transit may have been matched. Messages on the bus are matched only after they have landed.
  [[gnu::hot]] bool may_be_matched() const { return known_ > 0; }

 private:
  struct Less {
    bool operator()(const match::Message* a, const match::Message* b) const {
      return a->arrival < b->arrival;
    }
  };
  using Transit = std::set<match::Message*, Less>;
  struct Operations {                    // of one source
    std::set<std::uint64_t> on_the_way;  // sequence numbers of its operations in transit
    Instant last;                        // landing of the last one that has landed
  };

  match::Landing settle_first();
  [[gnu::noinline]] match::Message* take_from_transit();
  match::Landing landing(const match::Message& message) const;
  void land(match::Message& message, const match::Landing& landing);

  match::Landings& landings_;
  match::Queue& queue_;
  match::Card card_;
  Transit transit_;
  std::size_t known_ = 0;                 // number of messages in transit that are not on the bus
  std::optional<std::uint64_t> settled_;  // Landings::landing_changes() when no message in transit had landed
  std::map<int, Operations> operations_;  // by source: sources with operations in transit
};

}  // namespace emu::rank
