// Messages on their way between ranks: rank/egress.cc and match/card.h, simulated in the order of virtual time.
#include <algorithm>

#include "farm/machine.h"

namespace emu::app::farms {

Machine::Message* Machine::make(Message::Kind kind, int from, int to) {
  Message* m = nullptr;
  if (free_.empty()) {
    m = &messages_.emplace_back();
  } else {
    m = free_.back();
    free_.pop_back();
    *m = Message();
  }
  m->kind = kind;
  m->from = from;
  m->to = to;
  return m;
}

// `occupying`: the bytes that occupy a link.
void Machine::leave(Rank& rank, Message* m, model::Bytes occupying) {
  Instant leave = rank.clock.now();
  m->path = rank.clock.path();
  m->path.hop = {m->from, rank.sequence};
  model::Route route = network_.route(m->from, m->to, occupying, leave);
  const bool passes_cards = m->kind != Message::Kind::answer;
  const bool card = passes_cards && route.passes(model::Resource::sending_card);
  if (card && rank.card_out > leave) {
    leave = rank.card_out;
    m->path = rank.card_out_path;
    rank.clock.check(leave);
    if (route.changes) route = network_.route(m->from, m->to, occupying, leave);
  }
  rank.clock.check(leave + route.latency);
  if (card) {
    rank.card_out = leave + route.occupancy;
    rank.card_out_path = m->path;
    rank.card_out_path.occupy(route.occupancy, route.trailing);
  }
  m->shared =
      route.passes(model::Resource::bus) || (passes_cards && route.passes(model::Resource::receiving_card));
  Interval travel = route.latency;
  if (m->shared) {
    m->occupancy = route.occupancy;
    m->trailing = route.trailing;
  } else {
    travel += route.occupancy;
    m->path.occupy(route.occupancy, route.trailing);
  }
  m->path.travel(route.latency, route.latencies);
  if (m->kind == Message::Kind::answer) {
    m->further = network_.further_trips(route);
    m->further_latencies = network_.further_latencies(route);
  }
  m->at = leave + travel;
  m->sequence = rank.sequence++;
  rank.clock.check(m->at);
  if (m->shared && route.changes) enforce_link_order(rank, *m);
  if (m->kind == Message::Kind::eager || m->kind == Message::Kind::request) join(m);
  if (m->shared) return events_.push({{m->at, false, m->from, m->sequence}, m});
  travelled(m);
}

// The head of a message reaches a card or the bus no sooner than that of the preceding message.
void Machine::enforce_link_order(Rank& rank, Message& m) {
  Head& last = rank.last_heads[m.to];
  if (last.at > m.at) {
    m.at = last.at;
    m.path = last.path;
  } else {
    last = {m.at, m.path};
  }
}

// The message's head is at the receiver's card, or at the bus.
void Machine::pass(Message* m) {
  const bool bus = target_.network.medium == model::Medium::bus;
  Instant& free = bus ? bus_free_ : at(m->to).card_in;
  record::Path& free_path = bus ? bus_path_ : at(m->to).card_in_path;
  if (free > m->at) {
    m->at = free;
    m->path = free_path;
  }
  m->at = std::min(m->at + m->occupancy, Instant::never());
  m->path.occupy(m->occupancy, m->trailing);
  free = m->at;
  free_path = m->path;
  travelled(m);
}

// The message's arrival is known. An answer is held for the further trips of its handshake.
void Machine::travelled(Message* m) {
  if (m->further > Interval()) {
    m->at += m->further;
    m->path.travel(m->further, m->further_latencies);
  }
  at(m->to).clock.check(m->at);
  events_.push({key_of(*m), m});
}

void Machine::arrive(Message* m) {
  Rank& rank = at(m->to);
  m->here = true;
  if (m->kind == Message::Kind::answer) {
    rank.operations[m->sending].message = m;
  } else if (m->kind == Message::Kind::data) {
    rank.operations[m->receiving].message = m;
  } else if (rank.chooses && m->channel == rank.chosen_channel && m->line && m->line->front() == m) {
    offer(rank, m);
  }
  if (rank.waits) go_on(m->to);
}

}  // namespace emu::app::farms
