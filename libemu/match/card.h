// The receiving side of a network card that is one resource (`network.card = "serial"`): messages pass one
// after another in the order in which their heads arrive, (k-1)G each. A message's arrival is known once it
// has passed.
#pragma once

#include <set>

#include "match/message.h"
#include "model/network.h"

namespace emu::match {

class Card {
 public:
  explicit Card(const model::Network& network) : network_(network) {}

  // A message whose head arrives at message->arrival.at.
  void add(Message* message) { heads_.insert(message); }
  // The next to pass; null if none is there. It may pass once no earlier head can come.
  Message* next() const { return heads_.empty() ? nullptr : *heads_.begin(); }
  // Lets the next one pass: its arrival becomes final.
  Message* pass() {
    Message* m = *heads_.begin();
    heads_.erase(heads_.begin());
    // Only payload occupies the card; requests and answers are one byte and wait their turn.
    const bool carries = m->kind == Message::Kind::eager || m->kind == Message::Kind::data;
    const model::Bytes bytes = carries ? m->envelope.bytes : 1;
    if (free_at_ > m->arrival.at) {
      m->arrival.at = free_at_;
      m->path = free_path_;
    }
    m->arrival.at += network_.occupancy(bytes);
    m->path.occupy(network_.occupancy(bytes), model::Network::on_wire(bytes) - 1);
    free_at_ = m->arrival.at;
    free_path_ = m->path;
    return m;
  }

 private:
  struct HeadLess {
    bool operator()(const Message* a, const Message* b) const { return a->arrival < b->arrival; }
  };
  const model::Network& network_;
  std::set<Message*, HeadLess> heads_;
  Instant free_at_;
  trace::Path free_path_;  // to it
};

}  // namespace emu::match
