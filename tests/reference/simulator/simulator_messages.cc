// Sends and receives of one rank, and the handling of arrivals.
#include <algorithm>
#include <tuple>
#include <utility>

#include "reference/simulator/simulator.h"

namespace emu::reference {

void Simulator::charge(int rank, Interval record::Breakdown::*part, Interval cost) {
  Rank& r = ranks_[static_cast<std::size_t>(rank)];
  if (r.failed) return;
  const Instant end = costs_.after(rank, cost, r.clock);
  if (end.is_never()) return fail(rank, part);
  const Interval stood = end - r.clock - cost;
  spend(rank, part, end);
  coverage_.stopped += stood > Interval();
}

void Simulator::compute(int rank, Instant done) {
  if (done >= costs_.fails(rank)) return fail(rank, &record::Breakdown::compute);
  spend(rank, &record::Breakdown::compute, done);
  stand_still(rank);
}

void Simulator::wait_until(int rank, Instant instant) {
  Rank& r = ranks_[static_cast<std::size_t>(rank)];
  if (r.failed || instant <= r.clock) return;
  if (instant >= costs_.fails(rank)) return fail(rank);
  spend(rank, &record::Breakdown::wait, instant);
  stand_still(rank);
}

int Simulator::new_send(int rank, const Step& step) {
  Rank& r = ranks_[static_cast<std::size_t>(rank)];
  const int index = static_cast<int>(r.requests.size());
  match::Context context = step.context;
  if (step.parts > 0) context = partitioned(rank, step, step.out.to, step.out.tag, true);
  r.requests.push_back({.slot = step.slot,
                        .persistent = operation(rank).persistent,
                        .out = step.out,
                        .context = context,
                        .destination = step.out.to,
                        .in_parts = step.parts > 0,
                        .parts_left = step.parts});
  if (step.slot >= 0) r.slots[static_cast<std::size_t>(step.slot)] = index;
  return index;
}

int Simulator::start_send(int rank, const Step& step) {
  const int index = new_send(rank, step);
  begin_send(rank, index);
  return index;
}

void Simulator::begin_send(int rank, int index) {
  Rank& r = ranks_[static_cast<std::size_t>(rank)];
  Request& request = r.requests[static_cast<std::size_t>(index)];
  const Outgoing out = request.out;
  if (out.to == nobody) {
    request.complete = true;
    return;
  }
  if (known(rank, out.to) <= r.clock) {
    request.complete = request.failed = true;
    ++coverage_.in_vain;
    return;
  }
  if (r.last_send) wait_until(rank, *r.last_send + costs_.gap());
  if (r.failed) return;
  r.last_send = r.clock;
  if ((request.context & 1) == 0) ++coverage_.messages;
  ++r.messages_sent;
  r.bytes_sent += out.bytes;

  Message m;
  m.envelope = {request.context, rank, out.tag, out.bytes};
  m.number = out.message;
  m.send = index;
  request.sequence = r.sent;
  if (costs_.eager(out.bytes)) {
    m.kind = Message::Kind::eager;
    m.on_wire = std::max<Bytes>(1, out.bytes);
    m.synchronous = out.mode == Mode::synchronous;
    request.complete = request.eager = !m.synchronous;
    coverage_.synchronous += m.synchronous;
    pay_and_leave(rank, out.to, out.bytes, m);
  } else {
    ++coverage_.rendezvous;
    charge(rank, &record::Breakdown::handshake, costs_.send_overhead(rank, out.to, 1));
    m.kind = Message::Kind::request;
    request.complete = request.background = out.mode == Mode::buffered;
    leave(rank, out.to, m);
  }
}

// Sends and receives of the same ranks, tag and communicator match in the order of their creation, and match nothing
// else.
match::Context Simulator::partitioned(int rank, const Step& step, int peer, int tag, bool sends) {
  Rank& r = ranks_[static_cast<std::size_t>(rank)];
  const auto made = static_cast<match::Context>(++r.partitioned[{step.context, peer, tag, sends}]);
  return step.context | made * first_partitioned;
}

void Simulator::make_ready(int rank) {
  const Operation& o = operation(rank);
  const int index = ranks_[static_cast<std::size_t>(rank)].slots[static_cast<std::size_t>(o.slots.front())];
  Request& request = ranks_[static_cast<std::size_t>(rank)].requests[static_cast<std::size_t>(index)];
  request.parts_left -= o.high - o.low + 1;
  if (request.parts_left > 0) return;
  ++coverage_.parts;
  begin_send(rank, index);
  // The whole request is its only part.
  Rank& r = ranks_[static_cast<std::size_t>(rank)];
  r.background.push_back({.request = index, .started = {index}, .entry = r.clock});
}

bool Simulator::stays_in_doubt(int rank) {
  Rank& r = ranks_[static_cast<std::size_t>(rank)];
  const Operation& o = operation(rank);
  if (o.action != Action::ireceive || o.again < 0) return false;
  int& before = r.slots[static_cast<std::size_t>(o.again)];
  if (before < 0) return false;
  r.requests[static_cast<std::size_t>(before)].slot = o.slot;
  r.slots[static_cast<std::size_t>(o.slot)] = std::exchange(before, -1);
  ++coverage_.left_in_doubt;
  return true;
}

int Simulator::post(int rank, const Step& step) {
  Rank& r = ranks_[static_cast<std::size_t>(rank)];
  const int index = static_cast<int>(r.requests.size());
  // No send of a collective is cancelled. An iprobe may post such a receive, at a clock beyond its `now`.
  if (step.context % 2 == 0) serve(rank, end_of(r.clock));
  match::Context context = step.context;
  if (step.parts > 0) context = partitioned(rank, step, step.in.from, step.in.tag, false);
  Request request{
      .receive = true, .slot = step.slot, .persistent = operation(rank).persistent, .context = context};
  if (step.in.from == nobody) {
    request.complete = true;
  } else {
    request.posted = r.mailbox.post({context, step.in.from, step.in.tag}, index);
  }
  r.requests.push_back(request);
  if (step.slot >= 0) r.slots[static_cast<std::size_t>(step.slot)] = index;
  r.mailbox.settle(before_all);
  return index;
}

bool Simulator::is_event(int rank, const Message& m, const Requests* wanted) const {
  if (m.handled || m.undecided || m.unmatched()) return false;
  const Rank& r = ranks_[static_cast<std::size_t>(rank)];
  if (m.kind == Message::Kind::operation) return false;
  if (m.kind == Message::Kind::result) return true;
  if (m.kind == Message::Kind::answer) return !r.requests[static_cast<std::size_t>(m.send)].forgotten;
  const int request = r.mailbox.receives()[static_cast<std::size_t>(m.receive)].request;
  if (request < 0) return false;  // a matched probe has received it
  const bool of_part = r.requests[static_cast<std::size_t>(request)].part_of >= 0;
  if ((m.holder >= 0 || of_part) && r.mailbox.receives()[static_cast<std::size_t>(m.receive)].withdrawn)
    return false;
  if (m.kind == Message::Kind::request || m.synchronous) return true;
  if (of_part) return true;
  return wanted && std::find(wanted->begin(), wanted->end(), request) != wanted->end();
}

int Simulator::least_event(int rank, Instant until, const Requests* wanted) const {
  const auto& messages = ranks_[static_cast<std::size_t>(rank)].mailbox.messages();
  int least = -1;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const Message& m = messages[i];
    if (!is_event(rank, m, wanted) || m.ready() > until) continue;
    if (least < 0 || m.turn() < messages[static_cast<std::size_t>(least)].turn()) least = static_cast<int>(i);
  }
  return least;
}

Instant Simulator::next_event(int rank, const Requests* wanted) const {
  Instant next = Instant::never();
  for (const Message& m : ranks_[static_cast<std::size_t>(rank)].mailbox.messages()) {
    if (is_event(rank, m, wanted)) next = std::min(next, m.ready());
  }
  return next;
}

int Simulator::handle(int rank, int message) {
  const Message m =
      ranks_[static_cast<std::size_t>(rank)].mailbox.messages()[static_cast<std::size_t>(message)];
  const int request = handle_alone(rank, message);
  if (request < 0) return request;
  // Data of the rank itself complete the send, too.
  const int peer = m.holder < 0 ? m.envelope.source : m.holder;
  const bool both = m.synchronous && m.kind != Message::Kind::answer && peer == rank;
  if (both) advance_part(rank, m.send);
  advance_part(rank, request);
  return request;
}

int Simulator::handle_alone(int rank, int message) {
  Rank& r = ranks_[static_cast<std::size_t>(rank)];
  // A copy: a message to oneself that leaves below moves the mailbox's memory.
  Message& stored = r.mailbox.messages()[static_cast<std::size_t>(message)];
  stored.handled = true;
  const Message m = stored;
  const Instant before = r.clock;
  wait_until(rank, m.ready());
  tell_observer(rank, m, before);
  const int peer = m.holder < 0 ? m.envelope.source : m.holder;

  if (m.kind == Message::Kind::request && costs_.gets(peer, rank, m.envelope.bytes)) {
    read(rank, m);
    return -1;
  }
  if (m.kind == Message::Kind::request) {
    charge(rank, &record::Breakdown::handshake,
           costs_.receive_overhead(peer, rank, 1) + costs_.send_overhead(rank, peer, 1));
    Message answer = m;
    answer.kind = Message::Kind::answer;
    answer.handled = false;
    answer.held = Instant();
    leave(rank, m.envelope.source, answer);
    return -1;
  }
  if (m.kind == Message::Kind::answer) {
    coverage_.further += m.further > Interval() && before < m.ready();
    Request& send = r.requests[static_cast<std::size_t>(m.send)];
    charge(rank, &record::Breakdown::handshake, costs_.receive_overhead(peer, rank, 1));
    if (!m.synchronous) {
      Message data = m;
      data.kind = Message::Kind::data;
      data.on_wire = std::max<Bytes>(1, send.out.bytes);
      data.handled = false;
      data.held = Instant();
      pay_and_leave(rank, send.destination, send.out.bytes, data);
    }
    send.complete = !send.awaits;
    send.data_sent = true;
    send.background = false;
    return m.send;
  }
  if (m.kind == Message::Kind::result) {
    Request& send = r.requests[static_cast<std::size_t>(m.send)];
    send.awaits = false;
    send.cancelled = m.taken_back;
    send.complete = m.taken_back || send.data_sent || send.eager;
    send.background = send.background && !send.complete;
    return m.send;
  }
  const int receive = r.mailbox.receives()[static_cast<std::size_t>(m.receive)].request;
  charge(rank, &record::Breakdown::receive_overhead, costs_.receive_overhead(peer, rank, m.envelope.bytes));
  if (m.synchronous && peer == rank) {
    Request& send = r.requests[static_cast<std::size_t>(m.send)];
    send.complete = !send.awaits;
    send.data_sent = true;
    send.background = false;
  } else if (m.synchronous) {
    charge(rank, &record::Breakdown::handshake, costs_.send_overhead(rank, peer, 1));
    Message answer = m;
    answer.kind = Message::Kind::answer;
    answer.on_wire = 1;
    answer.holder = -1;
    answer.handled = false;
    answer.held = Instant();
    leave(rank, peer, answer);
  }
  Request& received = r.requests[static_cast<std::size_t>(receive)];
  received.complete = true;
  received.doubt = false;
  return receive;
}

// The receiver carries out the sender's part: it pays for the send, and the data leave.
void Simulator::read(int rank, const Message& request) {
  const int holder = request.envelope.source;
  const Bytes bytes = request.envelope.bytes;
  charge(rank, &record::Breakdown::handshake, costs_.receive_overhead(holder, rank, 1));
  charge(rank, &record::Breakdown::send_overhead, costs_.send_overhead(holder, rank, bytes));
  Message data = request;
  data.kind = Message::Kind::data;
  data.on_wire = std::max<Bytes>(1, bytes);
  data.holder = holder;
  data.synchronous = true;
  data.handled = false;
  data.held = Instant();
  ++coverage_.reads;
  leave(rank, rank, data);
}

void Simulator::tell_observer(int rank, const Message& m, Instant before) const {
  if (!observer_) return;
  static const char* const kinds[] = {"eager message", "request", "answer", "data", "operation", "result"};
  observer_("rank " + std::to_string(rank) + " at " + std::to_string(before.picoseconds()) + " handles " +
            kinds[static_cast<int>(m.kind)] + " of message " + std::to_string(m.number) + " (context " +
            std::to_string(m.envelope.context) + ") from rank " + std::to_string(m.envelope.source) +
            ", arrived " + std::to_string(m.arrival.picoseconds()) +
            (m.held > m.arrival ? ", held until " + std::to_string(m.held.picoseconds()) : ""));
}

}  // namespace emu::reference
