// The receiving side of a network card that is one resource (`network.card = "serial"`): messages pass one
// after another in the order in which their heads arrive, (k-1)G each. A message's arrival is known once it
// has passed.
//
// The bus (`network.medium = "bus"`) is the same thing, of which every rank keeps a copy: all messages pass
// all copies, by themselves or by a notice, so that all find the same.
#pragma once

#include <algorithm>
#include <set>

#include "match/message.h"

namespace emu::match {

class Card {
 public:
  // A message whose head arrives at message->arrival.at. Those of one source that are for this rank come in
  // the order in which they were sent, and so they pass: the queue (match/queue.h) needs that.
  void add(Message* message) { heads_.insert(message); }
  // The next to pass; null if none is there. It may pass once no earlier head can come.
  Message* next() const { return heads_.empty() ? nullptr : *heads_.begin(); }
  // The next of this kind.
  const Message* next(Message::Kind kind) const {
    for (const Message* m : heads_)
      if (m->kind == kind) return m;
    return nullptr;
  }
  // Lets the next one pass: its arrival becomes final; never, if that is behind the last instant.
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
