// Messages that leave a rank, their way, and their arrival.
#include <algorithm>

#include "reference/simulator/simulator.h"

namespace emu::reference {

void Simulator::leave(int rank, int to, Message message) {
  Rank& r = ranks_[static_cast<std::size_t>(rank)];
  message.envelope.source = rank;
  const bool operation = message.kind == Message::Kind::operation;
  message.sequence = operation ? first_operation + r.operations++ : r.sent++;
  message.whole =
      message.whole && (message.kind == Message::Kind::eager || message.kind == Message::Kind::data);
  Instant start = message.whole ? message.left : r.clock;
  message.card = costs_.serial_card(rank, to) && message.kind != Message::Kind::answer;
  message.bus = costs_.bus(rank, to);
  if (message.card) start = std::max(start, r.card_out);
  // Data that this rank reads: it asks their holder, which has as many trips as any handshake.
  const int from = message.holder < 0 ? rank : message.holder;
  Interval asking;
  for (int trip = 1; message.holder >= 0 && trip < costs_.handshake_trips(); ++trip)
    asking += costs_.latency(rank, from, 1, start);
  start += asking;
  message.occupancy = costs_.occupancy(from, to, message.on_wire, start);
  if (message.whole) message.occupancy = std::max(message.occupancy, r.clock - start);
  if (message.card) r.card_out = start + message.occupancy;
  if (r.failed) return;
  message.left = start;
  message.head = start + costs_.latency(from, to, message.on_wire, start);
  message.further = Interval();
  if (message.kind == Message::Kind::answer && !message.synchronous)
    for (int trip = 2; trip < costs_.handshake_trips(); ++trip)
      message.further += costs_.latency(rank, to, 1, start);
  Instant up;
  const bool passes = message.card || message.bus;
  // Its node went down while it waited for the card.
  if (message.card && costs_.down(rank, start, up)) {
    ++coverage_.lost;
    return;
  }
  if (message.holder >= 0 && costs_.fails(from) <= start) {
    ++coverage_.lost;
    return;
  }
  message.undecided = passes && costs_.ever_down(to);
  Mailbox& mailbox = ranks_[static_cast<std::size_t>(to)].mailbox;
  if (passes) {
    const Instant behind = std::max(message.head, mailbox.last_head(rank));
    coverage_.kept_behind += behind > message.head;
    message.head = behind;
  }
  keep_in_order(rank, to, message);
  message.flow = -1;
  std::vector<Passed> route = costs_.passes(from, to);
  const bool shares = message.on_wire > 1 && !route.empty();
  const Instant certain = shares ? message.head : message.head + message.occupancy;
  const bool lost = !passes && costs_.down(to, certain, up);
  coverage_.lost += lost;
  if (lost && !shares) return;
  if (shares) {
    message.flow = forgotten_ + static_cast<std::int64_t>(flows_.size());
    flows_.push_back({message.head, rank, message.sequence, message.on_wire - 1,
                      costs_.gap_per_byte(from, to, message.on_wire, start), std::move(route)});
  }
  if (!lost) mailbox.deliver(message);
  if (message.bus) pass_bus();
  if (shares) share_resources();
  mailbox.settle(before_all);
}

// The first byte leaves after its own overhead. The last one leaves when all are paid for, and (k-1)G after the first
// one.
void Simulator::pay_and_leave(int rank, int to, Bytes bytes, Message message) {
  Rank& r = ranks_[static_cast<std::size_t>(rank)];
  const Interval all = costs_.send_overhead(rank, to, bytes);
  message.whole = costs_.sends_whole(rank, to);
  if (!message.whole) {
    charge(rank, &record::Breakdown::send_overhead, all);
    return leave(rank, to, message);
  }
  const Interval first = costs_.first_byte(rank, to, bytes);
  charge(rank, &record::Breakdown::send_overhead, first);
  message.left = r.clock;
  const Instant sent = message.left + costs_.occupancy(rank, to, message.on_wire, message.left);
  charge(rank, &record::Breakdown::send_overhead, all - first);
  leave(rank, to, message);
  coverage_.whole += !r.failed && sent > r.clock;
  wait_until(rank, sent);
}

// Computes everything again for each new message, as for cards: Mailbox::schedule_arrivals.
void Simulator::pass_bus() {
  std::vector<Message*> order;
  for (Rank& r : ranks_)
    for (Message& m : r.mailbox.messages())
      if (m.bus) order.push_back(&m);
  sort_by_heads(order);
  Instant free = bus_free_;
  for (Message* m : order) {
    free = std::max(free, m->head) + m->occupancy;
    coverage_.queued += m->arrival == m->head + m->occupancy && free > m->arrival;
    m->arrival = free;
  }
}

// Computes everything again for each new message, too.
void Simulator::share_resources() {
  if (costs_.fair())
    share_fairly(flows_);
  else
    serve_in_order(flows_);
  for (Rank& r : ranks_)
    for (Message& m : r.mailbox.messages()) {
      if (m.flow < forgotten_) continue;
      const Instant end = flows_[static_cast<std::size_t>(m.flow - forgotten_)].end;
      coverage_.shared += m.arrival == m.head + m.occupancy && end > m.arrival;
      m.arrival = end;
    }
}

void Simulator::decide(Instant now) {
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    if (ranks_[rank].mailbox.next_decision() > now) continue;
    for (Message& m : ranks_[rank].mailbox.messages()) {
      if (!m.undecided || m.head > now) continue;
      m.undecided = false;
      Instant up;
      m.lost = m.handled = costs_.down(static_cast<int>(rank), m.arrival, up);
      coverage_.lost += m.lost;
    }
    ranks_[rank].mailbox.settle(before_all);
  }
}

// Operations come after all messages that have left for the same rank, and after each other.
void Simulator::keep_in_order(int rank, int to, Message& m) {
  Rank& r = ranks_[static_cast<std::size_t>(rank)];
  const Interval behind_head = m.card || m.bus ? Interval() : m.occupancy;
  if (m.kind != Message::Kind::operation) {
    r.last_message[to] = std::max(r.last_message[to], m.head + behind_head);
    return;
  }
  Instant& last = r.last_operation[to];
  last = std::max({last, r.last_message[to], m.head + behind_head});
  m.head = last - behind_head;
}

}  // namespace emu::reference
