#include "rank/ingress.h"

#include <algorithm>

namespace emu::rank {

using match::Message;

void Ingress::add(Message* m) {
  if (!m->in_transit) return card_.add(m);
  transit_.insert(m);
  known_ += !m->card;
  settled_.reset();
  if (m->kind == Message::Kind::operation)
    operations_[m->envelope.source].on_the_way.insert(m->arrival.sequence);
}

// An operation lands no sooner than earlier operations of its source.
match::Landing Ingress::landing(const Message& m) const {
  match::Landing landing = landings_.landing(m);
  if (m.kind != Message::Kind::operation) return landing;
  const Operations& of_source = operations_.at(m.envelope.source);
  landing.at = std::max(landing.at, of_source.last);
  if (*of_source.on_the_way.begin() != m.arrival.sequence) landing.certain = false;
  return landing;
}

// Gives messages in transit the arrivals that the wire knows now, until the first message remains the first. Returns
// the landing of that message.
match::Landing Ingress::settle_first() {
  for (;;) {
    Message* const m = *transit_.begin();
    const match::Landing landing = this->landing(*m);
    if (landing.at <= m->arrival.at || m->card) return landing;
    transit_.erase(transit_.begin());
    queue_.move(m, landing.at, false);
    transit_.insert(m);
  }
}

Message* Ingress::take_from_transit() {
  const std::uint64_t changes = landings_.landing_changes();
  if (settled_ == changes) return nullptr;
  const match::Landing landing = settle_first();
  if (!landing.certain) {
    settled_ = changes;
    return nullptr;
  }
  Message* const m = *transit_.begin();
  transit_.erase(transit_.begin());
  land(*m, landing);
  return m;
}

// On the path, the bytes of the message take the time that they would take alone; the rest of the time is a wait for
// bytes of other messages. G has weight as far as the message's own rate determines the landing.
void Ingress::land(Message& m, const match::Landing& landing) {
  const Instant at = landing.at;
  if (m.kind == Message::Kind::operation) {
    const auto of_source = operations_.find(m.envelope.source);
    of_source->second.on_the_way.erase(m.arrival.sequence);
    of_source->second.last = at;
    if (of_source->second.on_the_way.empty()) operations_.erase(of_source);
  }
  if (landing.path) {
    m.path = *landing.path;
  } else {
    const auto alone = static_cast<double>(m.occupancy.picoseconds());
    m.path.occupy(m.occupancy, alone > 0 ? m.trailing * landing.by_own_rate / alone : 0);
    if (const Interval waited = at - (m.head + m.occupancy); waited > Interval())
      m.path.contend(waited, landing.resource, landing.by_resource);
  }
  m.in_transit = false;
  known_ -= !m.card;
  queue_.move(&m, at, true);
  landings_.landed(m);
}

Instant Ingress::next_operation() {
  if (const Message* const head = card_.next(Message::Kind::operation)) return head->arrival.at;
  Instant first = Instant::never();
  if (operations_.empty()) return first;
  for (const Message* m : transit_) {
    if (m->arrival.at >= first) break;
    if (m->kind == Message::Kind::operation) first = std::min(first, landing(*m).at);
  }
  return first;
}

Message* Ingress::pass(const match::Arrival& until) {
  if (transit_.empty()) return card_.pass();
  landings_.advance(until);
  return nullptr;
}

}  // namespace emu::rank
