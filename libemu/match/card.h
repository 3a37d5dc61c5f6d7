// Receiving side of a serial network card (`network.card = "serial"`): messages pass one after
// another in the order in which their heads arrive, for (k-1)G each. A message's arrival is known once it
// has passed.
#pragma once

#include <algorithm>
#include <set>

#include "match/message.h"

namespace emu::match {

class Card {
 public:
  // Adds a message whose head arrives at message->arrival.at. Messages of one source for this rank come in the order
  // in which they were sent, and pass in that order: the queue (match/queue.h) requires it.
  void add(Message* message) { heads_.insert(message); }
  // The next message to pass; null if there is none. It may pass once no earlier head can come.
  Message* next() const { return heads_.empty() ? nullptr : *heads_.begin(); }
  // The first message of this kind.
  const Message* next(Message::Kind kind) const {
    for (const Message* m : heads_)
      if (m->kind == kind) return m;
    return nullptr;
  }
  // Lets the next message pass: its arrival becomes final, or never if it would be after the last instant.
  Message* pass() {
    Message* m = *heads_.begin();
    heads_.erase(heads_.begin());
    if (free_at_ > m->arrival.at) {
      m->arrival.at = free_at_;
      m->path = free_path_;
    }
    m->arrival.at = std::min(m->arrival.at + m->occupancy, Instant::never());
    m->path.occupy(m->occupancy, m->trailing);
    free_at_ = m->arrival.at;
    free_path_ = m->path;
    return m;
  }

 private:
  struct HeadLess {
    bool operator()(const Message* a, const Message* b) const { return a->arrival < b->arrival; }
  };
  std::set<Message*, HeadLess> heads_;
  Instant free_at_;
  record::Path free_path_;  // to it
};

}  // namespace emu::match
