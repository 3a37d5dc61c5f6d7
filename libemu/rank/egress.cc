#include "rank/egress.h"

#include <algorithm>
#include <utility>

#include "rank/recorded.h"

namespace emu::rank {

using match::Message;

namespace {

// First sequence numbers of operations and of answers. They are above the numbers of all messages, which a trace counts
// separately.
constexpr std::uint64_t first_operation = std::uint64_t{1} << 61, first_answer = std::uint64_t{1} << 62;

}  // namespace

[[gnu::hot]] void Egress::begin_send(model::Bytes bytes) {
  if (core_.network.gap() > Interval()) keep_gap();
  ++sends_;
  bytes_ += bytes;
}

void Egress::keep_gap() { gap_.keep(core_.clock, core_.network.gap()); }

bool Egress::waited_for_gap() const {
  return core_.network.gap() > Interval() && core_.clock.met() + core_.network.gap() == gap_.next();
}

void Egress::pay_in_parts(int to, model::Bytes bytes, Interval cost) {
  const Interval first = core_.network.first_byte(core_.number, to, bytes);
  core_.clock.send(first, 1);
  first_byte_ = {core_.clock.now(), core_.clock.path()};
  core_.clock.send_on(cost - first, model::Network::on_wire(bytes) - 1);
}

// The bytes leave while the rank copies them: the last one when it is copied, or (k-1)G after the first one, whichever
// is later. The links of such messages share no resources (target/network/links.cc).
void Egress::send_whole(int to, Message* message, model::Bytes bytes, Interval cost) {
  const Head first = *std::exchange(first_byte_, std::nullopt);
  const model::Route route = core_.network.route(core_.number, to, bytes, first.at);
  core_.clock.check(first.at + route.occupancy);
  Head last{core_.clock.now(), core_.clock.path()};
  if (first.at + route.occupancy > last.at) {
    last = {first.at + route.occupancy, first.path};
    last.path.occupy(route.occupancy, route.trailing);
  }
  message->path = last.path;
  message->path.hop = {core_.number, sequence_};
  message->path.travel(route.latency, route.latencies);
  core_.clock.check(last.at + route.latency);
  message->arrival = {last.at + route.latency, core_.number, sequence_++};
  if (core_.recorder) record(*message, to, bytes, cost);
  if (remembers_) [[unlikely]]
    remember(to, *message);
  core_.transport.deliver(to, message);
  if (last.at <= core_.clock.now()) return;
  core_.clock.wait_until(last.at, last.path);
  if (core_.recorder) core_.recorder->waited(core_.clock.now(), record::Awaited::wire);
}

[[gnu::hot]] void Egress::send(int to, Message* message, model::Bytes occupying, Interval cost) {
  core_.sends();
  if (first_byte_) [[unlikely]]
    return send_whole(to, message, occupying, cost);
  const model::Network& network = core_.network;
  const int from = core_.number;
  Instant leave = core_.clock.now();
  const bool operation = message->kind == Message::Kind::operation;
  record::Path& path = message->path;
  path = core_.clock.path();
  path.hop = {from, operation ? operations_ : sequence_, operation};
  model::Route route = network.route(from, to, occupying, leave);
  // The packets of a card take turns, so an answer, which is short, does not wait for long messages. (A request does:
  // it must not come before an earlier message of its source.)
  const bool passes_cards = message->kind != Message::Kind::answer;
  const bool card = passes_cards && route.passes(model::Resource::sending_card),
             bus = route.passes(model::Resource::bus);
  if (card && card_free_ > leave) {
    leave = card_free_;
    path = card_path_;  // the message that kept the card busy determines this instant
    core_.clock.check(leave);
    if (route.changes) route = network.route(from, to, occupying, leave);
  }
  core_.clock.check(leave + route.latency);
  Interval travel = route.latency;
  if (card) {
    card_free_ = leave + route.occupancy;
    card_path_ = path;
    card_path_.occupy(route.occupancy, route.trailing);
  }
  if (bus || (passes_cards && route.passes(model::Resource::receiving_card))) {
    message->card = true;  // the receiver's card, or the bus, adds the occupancy
    message->occupancy = route.occupancy;
    message->trailing = route.trailing;
    message->in_transit = bus;
    message->bytes_in_transit = occupying;
    message->gap_per_byte = route.gap_per_byte;
  } else if (route.contended) {
    put_in_transit(*message, occupying, leave + route.latency, route);
    travel += route.occupancy;
  } else {
    travel += route.occupancy;
    path.occupy(route.occupancy, route.trailing);
  }
  path.travel(route.latency, route.latencies);
  if (message->kind == Message::Kind::answer && !message->acknowledges()) {
    message->further = network.further_trips(route);
    message->further_latencies = network.further_latencies(route);
  }
  message->arrival = {leave + travel, from, operation ? first_operation + operations_++ : sequence_++};
  core_.clock.check(message->arrival.at);
  if (core_.recorder) record(*message, to, occupying, cost);
  // The node went down while the message waited for the card.
  if (leave >= core_.clock.next_outage() && core_.clock.outages().down(leave))
    return core_.lose(message, {false, to, leave});
  if (message->card && route.changes) enforce_link_order(to, *message);
  if (operation) enforce_operation_order(to, *message);
  if (remembers_ && !operation) [[unlikely]]
    remember(to, *message);
  if (bus) message->head = message->arrival.at;
  core_.transport.deliver(to, message);
}

// The links of messages that are read have neither serial cards nor a bus (target/network/links.cc).
bool Egress::read(Message* data, Interval cost) {
  core_.sends();
  const Instant begin = core_.clock.now();
  const int self = core_.number, holder = data->origin();
  const model::Bytes bytes = data->envelope.bytes;
  Instant leaves;
  const model::Route route = core_.network.reading(holder, self, bytes, begin, leaves);
  core_.clock.check(begin + route.latency);
  data->path = core_.clock.path();
  data->path.hop = {self, sequence_};
  if (route.contended)
    put_in_transit(*data, bytes, begin + route.latency, route);
  else
    data->path.occupy(route.occupancy, route.trailing);
  data->path.travel(route.latency, route.latencies);
  data->arrival = {begin + route.latency + route.occupancy, self, sequence_++};
  core_.clock.check(data->arrival.at);
  if (core_.recorder) record(*data, self, bytes, cost);
  if (core_.failures.at(holder) <= leaves) {
    core_.lose(data, {true, holder, leaves});
    return false;
  }
  if (remembers_) [[unlikely]]
    remember(self, *data);
  core_.transport.deliver(self, data);
  return true;
}

// The arrival without other messages is a lower bound. The receiver finds the arrival itself (rank/ingress.h).
void Egress::put_in_transit(Message& m, model::Bytes bytes, Instant head, const model::Route& route) {
  m.in_transit = true;
  m.bytes_in_transit = bytes;
  m.head = head;
  m.gap_per_byte = route.gap_per_byte;
  m.occupancy = route.occupancy;
  m.trailing = route.trailing;
}

void Egress::record(const Message& m, int to, model::Bytes bytes, Interval cost) {
  const Instant now = core_.clock.now();
  if (m.kind == Message::Kind::operation)
    core_.recorder->operated(recorded_operation(m, to, bytes), now, cost, m.arrival.at - now);
  else
    core_.recorder->sent(recorded(m, to), now, cost, m.arrival.at - now);
}

// The link may have become faster since the preceding message: the head of that message comes first nevertheless.
void Egress::enforce_link_order(int to, Message& message) {
  Head& last = last_heads_[to];
  if (last.at > message.arrival.at) {
    message.arrival.at = last.at;
    message.path = last.path;
  } else {
    last = {message.arrival.at, message.path};
  }
}

// The arrival of a message that no other message delays, with its path. The path of a message in transit ends at its
// head.
Egress::Head Egress::arrival_alone(const Message& message) {
  Head result{message.arrival.at, message.path};
  if (message.in_transit && !message.card) result.path.occupy(message.occupancy, message.trailing);
  return result;
}

// Operations of this rank on another rank's memory take effect in the order in which they are issued: a short operation
// does not come before the end of a long one. An operation in transit keeps its own path, to which its landing adds.
void Egress::enforce_operation_order(int to, Message& operation) {
  Head& last = last_operations_[to];
  if (last.at > operation.arrival.at) {
    operation.arrival.at = last.at;
    if (!operation.in_transit) operation.path = last.path;
  } else {
    last = arrival_alone(operation);
  }
}

void Egress::remember(int to, const Message& message) {
  Head& last = last_messages_[to];
  if (message.arrival.at >= last.at) last = arrival_alone(message);
}

void Egress::keep_behind_messages(int to) {
  const Head& message = last_messages_[to];
  Head& last = last_operations_[to];
  if (message.at > last.at) last = message;
}

void Egress::answer(int to, Message* m, const Message& operation, bool overhead) {
  core_.sends();
  Instant leave = operation.ready();
  m->path = operation.path;
  if (overhead) {
    const Interval cost =
        core_.network.control_receive(to, core_.number) + core_.network.control_send(core_.number, to);
    leave += cost;
    m->path.handle(cost);
  }
  const model::Bytes bytes = m->envelope.bytes;
  const model::Route route = core_.network.route(core_.number, to, bytes, leave);
  const Interval latency = std::max(route.latency, Interval::picoseconds(1));
  if (route.contended)
    put_in_transit(*m, bytes, leave + latency, route);
  else
    m->path.occupy(route.occupancy, route.trailing);
  m->path.travel(latency, route.latencies);
  m->arrival = {leave + latency + route.occupancy, core_.number, first_answer + answers_++};
  core_.clock.check(m->arrival.at);
  core_.transport.deliver(to, m);
}

}  // namespace emu::rank
