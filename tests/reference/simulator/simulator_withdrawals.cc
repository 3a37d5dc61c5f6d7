// Cancelled sends and receives, and freed requests: libemu/rank/semantics.md, "cancel of a receive" and "cancel of a send".
#include <algorithm>
#include <utility>

#include "reference/simulator/simulator.h"

namespace emu::reference {

void Simulator::serve(int rank, const match::Arrival& limit) {
  ranks_[static_cast<std::size_t>(rank)].mailbox.serve(limit);
  answer_operations(rank);
}

// Answers at the instant at which an operation takes effect, plus c_r + c_s, whatever the rank does.
void Simulator::answer_operations(int rank) {
  Rank& r = ranks_[static_cast<std::size_t>(rank)];
  for (const int index : r.mailbox.take_served()) {
    const Message operation = r.mailbox.messages()[static_cast<std::size_t>(index)];
    const int origin = operation.envelope.source;
    ++(operation.taken_back ? coverage_.cancelled : coverage_.kept);
    Message result = operation;
    result.kind = Message::Kind::result;
    result.envelope.source = rank;
    result.sequence = first_result + r.results++;
    result.handled = result.card = result.bus = false;
    result.occupancy = Interval();
    result.left =
        operation.ready() + costs_.receive_overhead(origin, rank, 1) + costs_.send_overhead(rank, origin, 1);
    result.head =
        result.left + std::max(Interval::picoseconds(1), costs_.latency(rank, origin, 1, result.left));
    Instant up;
    if (costs_.down(origin, result.head, up))
      ++coverage_.lost;
    else
      ranks_[static_cast<std::size_t>(origin)].mailbox.deliver(result);
  }
}

void Simulator::cancel_receive(int rank, int request, Instant now) {
  Rank& r = ranks_[static_cast<std::size_t>(rank)];
  const Requests set = {request};
  r.entry = r.clock;
  r.requests[static_cast<std::size_t>(request)].doubt = false;
  ++coverage_.tests;
  do {
    if (over(rank, request)) {
      ++coverage_.received;
      return;
    }
  } while (handle_least(rank, now, &set));
  charge(rank, &record::Breakdown::poll, costs_.poll());
  ++coverage_.false_polls;
  if (r.failed) return;
  Request& q = r.requests[static_cast<std::size_t>(request)];
  const int message = r.mailbox.receives()[static_cast<std::size_t>(q.posted)].message;
  if (message >= 0 && r.mailbox.messages()[static_cast<std::size_t>(message)].handled)
    return;  // it has answered
  ++coverage_.unreceived;
  coverage_.taken_beside += r.mailbox.holds_taken();
  coverage_.doubtful_cancels +=
      doubt(rank, q.context, r.clock).has_value() && message < 0 &&
      r.mailbox.receives()[static_cast<std::size_t>(q.posted)].filter.source == match::any_source;
  coverage_.let_go += message >= 0;
  coverage_.rematched += r.mailbox.take_back(q.posted);
  q.complete = q.cancelled = true;
  coverage_.retaken += q.persistent;
}

void Simulator::cancel(int rank, Instant now) {
  Rank& r = ranks_[static_cast<std::size_t>(rank)];
  const int index = r.slots[static_cast<std::size_t>(operation(rank).slots.front())];
  if (index < 0) return;
  if (r.requests[static_cast<std::size_t>(index)].receive) return cancel_receive(rank, index, now);
  const Request& send = r.requests[static_cast<std::size_t>(index)];
  if (send.destination == nobody || send.data_sent || send.asked || send.failed) return;
  if (r.last_send) wait_until(rank, *r.last_send + costs_.gap());
  if (r.failed) return;
  r.last_send = r.clock;
  ++r.messages_sent;
  ++r.bytes_sent;
  charge(rank, &record::Breakdown::handshake, costs_.send_overhead(rank, send.destination, 1));
  Request& request = r.requests[static_cast<std::size_t>(index)];
  request.asked = request.awaits = true;
  coverage_.retaken += request.persistent;
  request.complete = false;
  Message m;
  m.kind = Message::Kind::operation;
  m.envelope = {request.context, rank, request.out.tag, 1};
  m.number = request.out.message;
  m.send = index;
  m.whom = request.sequence;
  leave(rank, request.destination, m);
}

// The request ends by itself: a send after its handshake, a receive when its message arrives, without a cost.
void Simulator::release(int rank) {
  Rank& r = ranks_[static_cast<std::size_t>(rank)];
  const auto slot = static_cast<std::size_t>(operation(rank).slots.front());
  const int index = std::exchange(r.slots[slot], -1);
  if (index < 0) {
    coverage_.freed_idle += r.idle[slot];
    r.idle[slot] = false;
    return;
  }
  Request& q = r.requests[static_cast<std::size_t>(index)];
  q.slot = -1;
  if (q.complete) return;
  ++(q.receive ? coverage_.released_receives : coverage_.released_sends);
  coverage_.released_starts += q.persistent;
  coverage_.released_cancels += q.asked;
  q.complete = true;
  q.background = !q.receive;
  q.released = q.receive;
}

void Simulator::forget_released() {
  for (Rank& r : ranks_) {
    for (Message& m : r.mailbox.messages()) {
      if (m.receive < 0 || m.undecided || m.synchronous || m.kind == Message::Kind::request) continue;
      if (m.kind != Message::Kind::eager && m.kind != Message::Kind::data) continue;
      const int request = r.mailbox.receives()[static_cast<std::size_t>(m.receive)].request;
      if (request >= 0 && r.requests[static_cast<std::size_t>(request)].released) m.handled = true;
    }
  }
}

// A receiver that fails never answers the cancel: this is a failure even if failures are not noticed.
std::optional<Simulator::Failure> Simulator::failure_of_cancelled(int rank, int request,
                                                                  Instant entry) const {
  const Rank& r = ranks_[static_cast<std::size_t>(rank)];
  const int peer = r.requests[static_cast<std::size_t>(request)].destination;
  const Instant at = costs_.silent(peer, rank);
  const auto& messages = r.mailbox.messages();
  const bool here = std::any_of(messages.begin(), messages.end(), [&](const Message& m) {
    return m.kind == Message::Kind::result && m.send == request;
  });
  if (at.is_never() || here) return std::nullopt;
  return Failure{.at = std::max(at, entry), .of = peer};
}

void Simulator::end_unanswered(int rank, int request) {
  Request& q = ranks_[static_cast<std::size_t>(rank)].requests[static_cast<std::size_t>(request)];
  q.awaits = false;
  q.complete = true;
  q.cancelled = !q.data_sent;
  ++coverage_.unanswered;
}

bool Simulator::was_cancelled(int rank) const {
  const auto& completions = ranks_[static_cast<std::size_t>(rank)].outcome.completions;
  return std::any_of(completions.begin(), completions.end(), [](const Completion& c) { return c.cancelled; });
}

}  // namespace emu::reference
