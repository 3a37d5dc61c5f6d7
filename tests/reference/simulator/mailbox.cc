#include "reference/simulator/mailbox.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

namespace emu::reference {

void sort_by_heads(std::vector<Message*>& messages) {
  std::sort(messages.begin(), messages.end(), [](const Message* a, const Message* b) {
    return std::tie(a->head, a->envelope.source, a->sequence) <
           std::tie(b->head, b->envelope.source, b->sequence);
  });
}

void Mailbox::deliver(Message message) {
  message.arrival = message.head + message.occupancy;
  messages_.push_back(message);
  if (message.card) schedule_arrivals();
}

Instant Mailbox::last_head(int source) const {
  Instant last;
  for (const Message& m : messages_)
    if ((m.card || m.bus) && m.envelope.source == source) last = std::max(last, m.head);
  return last;
}

// Computes all arrivals again for each new message, because a message in between delays those behind it.
// Arrivals that were acted upon do not change, because messages exist at least one lookahead before they arrive.
void Mailbox::schedule_arrivals() {
  std::vector<Message*> order;
  for (Message& m : messages_)
    if (m.card) order.push_back(&m);
  sort_by_heads(order);
  Instant in = in_;
  for (Message* m : order) {
    in = std::max(m->head, in) + m->occupancy;
    m->arrival = in;
  }
}

int Mailbox::post(const match::Filter& filter, int request) {
  receives_.push_back({filter, request, -1});
  return static_cast<int>(receives_.size()) - 1;
}

int Mailbox::take(int message) {
  Message& m = messages_[static_cast<std::size_t>(message)];
  const match::Envelope& e = m.envelope;
  receives_.push_back(
      {.filter = {e.context, e.source, e.tag}, .request = -1, .message = message, .taken = true});
  m.receive = static_cast<int>(receives_.size()) - 1;
  return m.receive;
}

void Mailbox::receive_taken(int receive, int request) {
  receives_[static_cast<std::size_t>(receive)].request = request;
}

bool Mailbox::holds_taken() const {
  return std::any_of(receives_.begin(), receives_.end(), [&](const Receive& r) {
    return r.taken && !r.withdrawn && !messages_[static_cast<std::size_t>(r.message)].handled;
  });
}

int Mailbox::take_back(int receive) {
  int others = 0;
  const int met = receives_[static_cast<std::size_t>(receive)].message;
  receives_[static_cast<std::size_t>(receive)].withdrawn = true;
  if (met >= 0) {
    const Message first = messages_[static_cast<std::size_t>(met)];
    for (Message& m : messages_) {
      if (!m.matchable() || m.receive < 0 || m.handled || m.envelope.source != first.envelope.source ||
          m.envelope.context != first.envelope.context || m.sequence < first.sequence ||
          (m.receive != receive && receives_[static_cast<std::size_t>(m.receive)].taken))
        continue;
      others += m.receive != receive;
      receives_[static_cast<std::size_t>(m.receive)].message = -1;
      m.receive = -1;
    }
  }
  settle(before_all);
  return others;
}

void Mailbox::withdraw(int receive) {
  Receive& r = receives_[static_cast<std::size_t>(receive)];
  r.withdrawn = true;
  if (r.message >= 0) messages_[static_cast<std::size_t>(r.message)].handled = true;
}

int Mailbox::first_receive(const Message& message) const {
  for (std::size_t i = 0; i < receives_.size(); ++i) {
    if (receives_[i].message < 0 && !receives_[i].withdrawn && receives_[i].filter.accepts(message.envelope))
      return static_cast<int>(i);
  }
  return -1;
}

bool Mailbox::in_order(const Message& message, const Receive& receive) const {
  return std::none_of(messages_.begin(), messages_.end(), [&](const Message& other) {
    return other.unmatched() && other.envelope.source == message.envelope.source &&
           other.sequence < message.sequence && receive.filter.accepts(other.envelope);
  });
}

void Mailbox::settle(Instant until) {
  while (settle_one(end_of(until))) {
  }
}

bool Mailbox::settle_one(const match::Arrival& limit) {
  int best = -1;
  for (std::size_t i = 0; i < messages_.size(); ++i) {
    Message& m = messages_[i];
    if (!m.unmatched()) continue;
    const int r = first_receive(m);
    if (r < 0 || !in_order(m, receives_[static_cast<std::size_t>(r)])) continue;
    Receive& receive = receives_[static_cast<std::size_t>(r)];
    if (receive.filter.source != match::any_source) {
      m.receive = r;
      receive.message = static_cast<int>(i);
      return true;
    }
    if (!(m.turn() < limit)) continue;
    if (best < 0 || m.turn() < messages_[static_cast<std::size_t>(best)].turn()) best = static_cast<int>(i);
  }
  if (best < 0) return false;
  if (const int before = least_operation(messages_[static_cast<std::size_t>(best)].turn()); before >= 0) {
    take_effect(before);
    return true;
  }
  choose(best, first_receive(messages_[static_cast<std::size_t>(best)]));
  return true;
}

void Mailbox::choose(int message, int receive) {
  Message& chosen = messages_[static_cast<std::size_t>(message)];
  count_choice(chosen, receive);
  for (Message& m : messages_) {
    if (&m == &chosen || !m.unmatched() || first_receive(m) < 0) continue;
    if (m.arrival < chosen.ready() && m.held < chosen.ready()) {
      m.held = chosen.ready();
      ++held;
    }
  }
  chosen.receive = receive;
  receives_[static_cast<std::size_t>(receive)].message = message;
}

int Mailbox::least_operation(const match::Arrival& limit) const {
  int least = -1;
  for (std::size_t i = 0; i < messages_.size(); ++i) {
    const Message& m = messages_[i];
    if (m.kind != Message::Kind::operation || m.handled || m.undecided || !(m.turn() < limit)) continue;
    if (least < 0 || m.turn() < messages_[static_cast<std::size_t>(least)].turn())
      least = static_cast<int>(i);
  }
  return least;
}

void Mailbox::take_effect(int operation) {
  Message& o = messages_[static_cast<std::size_t>(operation)];
  o.handled = true;
  served_.push_back(operation);
  for (Message& m : messages_) {
    if (m.envelope.source != o.envelope.source || m.sequence != o.whom || !m.unmatched()) continue;
    o.taken_back = m.lost = m.handled = true;
  }
}

void Mailbox::serve(const match::Arrival& limit) {
  for (;;) {
    const int least = least_operation(limit);
    if (least < 0) return;
    while (settle_one(messages_[static_cast<std::size_t>(least)].turn())) {
    }
    if (!messages_[static_cast<std::size_t>(least)].handled) take_effect(least);
  }
}

Instant Mailbox::next_operation() const {
  Instant least = Instant::never();
  for (const Message& m : messages_)
    if (m.kind == Message::Kind::operation && !m.handled) least = std::min(least, m.ready());
  return least;
}

std::vector<int> Mailbox::take_served() { return std::exchange(served_, {}); }

void Mailbox::count_choice(const Message& chosen, int receive) {
  ++choices;
  bool contest = false, tie = false;
  for (const Message& m : messages_) {
    if (!m.unmatched() || m.envelope.source == chosen.envelope.source || first_receive(m) != receive)
      continue;
    // A slightly different time in transit would have changed the choice.
    contest = contest || m.arrival - chosen.arrival <= (chosen.head - chosen.left) * 4;
    tie = tie || m.arrival == chosen.arrival;
  }
  contested += contest;
  ties += tie;
}

Instant Mailbox::next_choice() const {
  Instant least = Instant::never();
  for (const Message& m : messages_) {
    if (!m.unmatched()) continue;
    const int r = first_receive(m);
    if (r >= 0 && in_order(m, receives_[static_cast<std::size_t>(r)])) least = std::min(least, m.ready());
  }
  return least;
}

std::vector<int> Mailbox::candidates(const match::Filter& filter) const {
  std::vector<int> found;
  for (std::size_t i = 0; i < messages_.size(); ++i) {
    const Message& m = messages_[i];
    if (!m.unmatched() || !filter.accepts(m.envelope) || first_receive(m) >= 0) continue;
    const auto same = std::find_if(found.begin(), found.end(), [&](int other) {
      return messages_[static_cast<std::size_t>(other)].envelope.source == m.envelope.source;
    });
    if (same == found.end()) {
      found.push_back(static_cast<int>(i));
    } else if (m.sequence < messages_[static_cast<std::size_t>(*same)].sequence) {
      *same = static_cast<int>(i);
    }
  }
  return found;
}

int Mailbox::candidate(const match::Filter& filter, Instant until) const {
  int best = -1;
  for (int i : candidates(filter)) {
    const Message& m = messages_[static_cast<std::size_t>(i)];
    if (m.ready() > until) continue;
    if (best < 0 || m.turn() < messages_[static_cast<std::size_t>(best)].turn()) best = i;
  }
  return best;
}

Instant Mailbox::next_candidate(const match::Filter& filter) const {
  Instant least = Instant::never();
  for (int i : candidates(filter)) least = std::min(least, messages_[static_cast<std::size_t>(i)].ready());
  return least;
}

Instant Mailbox::next_decision() const {
  Instant least = Instant::never();
  for (const Message& m : messages_)
    if (m.undecided) least = std::min(least, m.head);
  return least;
}

bool Mailbox::clear() {
  bool done = true;
  for (const Message& m : messages_) {
    done = done && m.handled;
    if (m.card) in_ = std::max(in_, m.arrival);
  }
  for (const Receive& r : receives_) done = done && (r.message >= 0 || r.withdrawn);
  messages_.clear();
  receives_.clear();
  return done;
}

}  // namespace emu::reference
