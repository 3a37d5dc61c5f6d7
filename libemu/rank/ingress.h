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
  // Both outlive it.
  Ingress(match::Landings& landings, match::Queue& queue) : landings_(landings), queue_(queue) {}

  // A message on its way.
  [[gnu::noinline]] void add(match::Message* message);
  // An operation takes effect after those of its source that are in transit: it is in transit, too.
  [[gnu::hot]] bool keeps_back(const match::Message& message) const {
    return !operations_.empty() && message.kind == match::Message::Kind::operation &&
           operations_.contains(message.envelope.source);
  }

  // The message that comes first, no sooner than its arrival; null: there is none. Messages in transit have the
  // arrivals that the last take_landed() found: what else rests on them (the queue's choices, the operations) must be
  // of the same moment.
  [[gnu::hot]] match::Message* next() const {
    if (!transit_.empty()) [[unlikely]]
      return *transit_.begin();
    return card_.next();
  }
  // No operation comes before that instant; never: there is none.
  Instant next_operation();
  // It is certain that no head comes before `until`, where next() was. A message whose arrival is known by that; null:
  // of none it is.
  match::Message* pass(const match::Arrival& until);
  // A message that has landed, whatever others do; null: there is none. Asks the wire about those in transit.
  [[gnu::hot]] match::Message* take_landed() {
    if (!transit_.empty()) [[unlikely]]
      return take_from_transit();
    return nullptr;
  }
  // A bound that rests on next() may be raised by the wire.
  bool in_transit() const { return !transit_.empty(); }
  // A message in transit may have been matched. Those on the bus are not before they have landed.
  [[gnu::hot]] bool may_be_matched() const { return known_ > 0; }

 private:
  struct Less {
    bool operator()(const match::Message* a, const match::Message* b) const {
      return a->arrival < b->arrival;
    }
  };
  using Transit = std::set<match::Message*, Less>;
  struct Operations {                    // of one source
    std::set<std::uint64_t> on_the_way;  // by their places among what it sends
    Instant last;                        // when the last one landed
  };

  match::Landing settle_first();
  [[gnu::noinline]] match::Message* take_from_transit();
  match::Landing landing(const match::Message& message) const;
  void land(match::Message& message, const match::Landing& landing);

  match::Landings& landings_;
  match::Queue& queue_;
  match::Card card_;
  Transit transit_;
  std::size_t known_ = 0;                 // of these the ones that are not on the bus
  std::optional<std::uint64_t> settled_;  // Landings::landing_changes() when none of these had landed
  std::map<int, Operations> operations_;  // by source, where some are in transit
};

}  // namespace emu::rank
