#include "rank/protocols/point_to_point.h"

#include <algorithm>
#include <utility>

#include "rank/recorded.h"

namespace emu::rank {

using match::Message;

// --- starting

[[gnu::hot]] int PointToPoint::known_failed(const Communicator& comm, int to) const {
  if (to == proc_null || !core_.failures.noticed()) return -1;
  const int world = comm.world[to];
  return core_.failures.known(world) > core_.clock.now() ? -1 : world;
}

[[gnu::hot]] bool PointToPoint::send_eagerly(match::Context context, const Communicator& comm, int to,
                                             int tag, const Buffer& data, Mode mode) {
  if (to == proc_null) return true;
  egress_.begin_send(data.bytes);
  const int peer = comm.world[to];
  if (mode == Mode::synchronous || !core_.network.eager(core_.number, peer, data.bytes)) return false;
  const Interval cost = egress_.pay(peer, data.bytes);
  Message* m = core_.transport.allocate(data.bytes);
  m->kind = Message::Kind::eager;
  m->envelope = {context, core_.number, tag, data.bytes, comm.series};
  m->source_in_comm = comm.rank;
  data.read_into(m->payload());
  egress_.send(peer, m, data.bytes, cost);
  return true;
}

Request* PointToPoint::start_rendezvous(match::Context context, const Communicator& comm, int to, int tag,
                                        const Buffer& data, Mode mode) {
  Send* const r = rendezvous_.start({context, core_.number, tag, data.bytes, comm.series}, comm.world[to],
                                    comm.rank, data, mode);
  if (mode != Mode::buffered) return r;
  core_.polling.interrupted();
  r->freed = true;
  return complete_send(r->peer);
}

// A request that is complete for the caller; its message may still be unmatched.
[[gnu::hot]] Request* PointToPoint::complete_send(int peer) {
  Send* const r = pool_.take_complete<Send>();
  r->peer = peer;
  r->sent = egress_.last_sequence();
  return r;
}

[[gnu::hot]] Request* PointToPoint::start_send(match::Context context, const Communicator& comm, int to,
                                               int tag, const Buffer& data, Mode mode) {
  if (const int failed = known_failed(comm, to); failed >= 0) {
    Send* const r = pool_.take<Send>();
    fail(r, failed);
    return r;
  }
  if (!send_eagerly(context, comm, to, tag, data, mode))
    return start_rendezvous(context, comm, to, tag, data, mode);
  return to == proc_null ? pool_.take_complete<Send>() : complete_send(comm.world[to]);
}

[[gnu::hot]] Request* PointToPoint::start_receive(match::Context context, const Communicator& comm, int from,
                                                  int tag, const Buffer& into) {
  core_.polling.interrupted();
  Receive* const r = pool_.take<Receive>();
  if (from == proc_null) {
    r->finish();
    r->status = Status{proc_null, match::any_tag, 0, false};
    return r;
  }
  const bool wildcard = from == match::any_source;
  r->peer = wildcard ? match::any_source : comm.world[from];
  r->tag = tag;
  r->buffer = into;
  r->filter = match::Filter{context, r->peer, tag, comm.series};
  r->posted = core_.clock.now();
  if (wildcard && core_.failures.noticed()) r->comm = &comm;
  matched(queue_.post(r));
  return r;
}

Request* PointToPoint::start_receive(Message* taken, const Buffer& into) {
  core_.polling.interrupted();
  Receive* const r = pool_.take<Receive>();
  r->peer = taken->envelope.source;
  r->tag = taken->envelope.tag;
  r->buffer = into;
  r->posted = core_.clock.now();
  r->matched = taken;
  r->probed = true;
  matched({taken, r});
  return r;
}

// --- arrivals

// A message is lost if its head comes to a node that is down. A message that is in transit when the node goes down
// arrives.
bool PointToPoint::coming(Message* m) {
  if (core_.clock.outages().down(m->head)) {
    core_.landings.landed(*m);
    lost(m, m->head);
    return false;
  }
  if (m->kind == Message::Kind::data) rendezvous_.expect_data(*m);
  m->coming = m->kind == Message::Kind::eager;
  if (m->coming) matched(queue_.add(m));
  return true;
}

// In transit the message may have been unexpected, or may have been matched with a receive.
void PointToPoint::landed(Message* m) {
  if (m->card) return arrived(m);
  core_.clock.check(m->arrival.at);
  if (!m->coming) return take(m);
  if (m->dropped) return core_.transport.release(m);
  if (m->met) matched({m, std::exchange(m->met, nullptr)});
}

[[gnu::hot]] void PointToPoint::arrived(Message* m) {
  core_.clock.check(m->arrival.at);
  if (core_.clock.outages().down(m->arrival.at)) return lost(m, m->arrival.at);
  take(m);
}

void PointToPoint::lost(Message* m, Instant at) {
  if (m->kind == Message::Kind::data && m->get) rendezvous_.lose_read();
  core_.lose(m, {true, m->origin(), at});
}

[[gnu::hot]] void PointToPoint::take(Message* m) {
  switch (m->kind) {
    case Message::Kind::eager:
    case Message::Kind::request:
      matched(queue_.add(m));
      break;
    case Message::Kind::answer:
      rendezvous_.take_answer(m);
      break;
    case Message::Kind::data:
      if (Receive* const receive = rendezvous_.take_data(m); receive && receive->freed && !m->synchronous())
        complete(receive);
      else if (receive && receive->lost) [[unlikely]]
        fill_early(receive);
      break;
    case Message::Kind::operation:
      window_server_.arrived(m);
      break;
    case Message::Kind::result:
      windows_.answered(m);
      break;
    case Message::Kind::notice:  // only for agents
      break;
  }
}

[[gnu::hot]] void PointToPoint::matched(match::Queue::Pair pair) {
  if (!pair) return;
  auto* r = static_cast<Receive*>(pair.receive);
  if (pair.message->in_transit) [[unlikely]] {
    pair.message->met = r;
    return;
  }
  const bool awaits_answer = pair.message->awaits_answer();
  if (awaits_answer) rendezvous_.take_request(r);
  if (r->watch && r->message()) [[unlikely]]
    r->watch->there(*r);
  if (r->lost && r->message()) [[unlikely]]
    fill_early(r);
  else if (r->freed)
    complete_freed(r);
}

// The program may learn from other messages that the data have arrived.
void PointToPoint::fill_early(Receive* r) {
  const Message& m = *r->message();
  const model::Bytes sent = r->state == Request::State::answered ? r->status.bytes : m.envelope.bytes;
  r->status.mismatched = !r->buffer.fill_from(m.payload(), std::min(sent, r->buffer.bytes));
  r->filled = true;
}

void PointToPoint::lose(Request* request) {
  auto* const r = as<Receive>(request);
  if (!r || r->complete() || r->lost) return;
  r->lost = true;
  if (r->message()) fill_early(r);
}

// --- ending

[[gnu::hot]] Event PointToPoint::ending(Protocol& protocol, Receive* r, Instant entered) const {
  if (Message* const m = r->message())
    return {.protocol = &protocol, .key = m->key(), .at = m->ready(), .message = m, .request = r};
  if (!core_.failures.noticed()) return {};
  return ending_by_failure(protocol, r, entered);
}

Event PointToPoint::ending_by_failure(Protocol& protocol, Receive* r, Instant entered) const {
  const Failures& failures = core_.failures;
  if (r->data_coming || (r->matched && r->matched->in_transit))
    return {};  // it arrives, even if its sender fails
  const int peer = r->matched ? r->matched->envelope.source : r->peer;
  Event e;
  if (peer != match::any_source) {
    // A request that had to wait for a card may arrive after the failure of its sender. It is handled first.
    const Instant met = r->matched && r->wildcard() ? r->matched->ready() : entered;
    e = failures.event_after_all_messages(protocol, peer, std::max(entered, met));
  } else if (!r->owner) {
    return doubt(protocol, r, *r->comm, entered);
  }
  e.request = r;
  return e;
}

Event PointToPoint::doubt(Protocol& protocol, Request* request, const Communicator& comm,
                          Instant entered) const {
  const int member = request->doubt < 0 ? core_.failures.first_unacknowledged(comm) : -1;
  if (member < 0) return {};
  Event e = core_.failures.event(protocol, member, entered);
  e.doubt = true;
  e.request = request;
  return e;
}

Event PointToPoint::ending(Protocol& protocol, Composite* request, Instant entered) const {
  const Receive* const part = request->receive;
  if (!core_.failures.noticed() || !part || !part->wildcard()) return {};
  if (part->matched || part->state != Request::State::posted) return {};
  return doubt(protocol, request, *part->comm, entered);
}

Event PointToPoint::ending(Protocol& protocol, Send* r, Instant entered) const {
  if (r->answer || (r->cancellation && windows_.is_here(r->cancellation))) return {};
  Event e = r->cancellation ? core_.failures.event_of_silence(protocol, r->peer, entered)
                            : core_.failures.event_after_all_messages(protocol, r->peer, entered);
  e.request = r;
  return e;
}

void PointToPoint::end_by_failure(const Event& event) {
  auto* const send = as<Send>(event.request);
  if (event.doubt)
    event.request->doubt = event.failed;
  else if (!send)
    fail(static_cast<Receive*>(event.request), event.failed);
  else if (core_.failures.noticed())
    fail(send, event.failed);
  else
    end_unanswered(send);
}

// The send was being cancelled, and its receiver has failed. Failures are not reported, but MPI requires that the wait
// ends.
void PointToPoint::end_unanswered(Send* r) {
  windows_.give_up(std::exchange(r->cancellation, nullptr));
  if (r->sent != Send::never_sent) {
    rendezvous_.forget(r);
    r->status = Status{.cancelled = true};
    r->sent = Send::never_sent;
  }
  r->finish();
  if (r->freed) pool_.put_back(r);
}

[[gnu::hot]] void PointToPoint::complete(Receive* r) {
  const bool rendezvous = r->state == Request::State::answered;
  Message* m = rendezvous ? r->data : r->matched;
  const bool synchronous = m->synchronous();
  const int source = m->envelope.source;
  if (!r->freed || synchronous) {
    core_.clock.wait_until(m->ready(), m->path);
    const Interval cost = core_.network.receive_overhead(m->envelope.source, core_.number, m->envelope.bytes);
    core_.clock.receive(cost, m->envelope.bytes);
    if (core_.recorder) record_received(core_, *m, cost);
  }
  if (synchronous) rendezvous_.acknowledge(r, *m);
  const bool mismatched = r->status.mismatched;
  if (!rendezvous) r->status = Status{m->source_in_comm, m->envelope.tag, m->envelope.bytes, false};
  r->status.truncated = r->status.bytes > r->buffer.bytes;
  if (r->filled) [[unlikely]]
    r->status.mismatched = mismatched;
  else
    r->status.mismatched = !r->buffer.fill_from(m->payload(), std::min(r->status.bytes, r->buffer.bytes));
  core_.transport.release(m);
  r->matched = r->data = nullptr;
  if (core_.program && !r->freed) [[unlikely]]
    keep_met(*r, source);
  r->finish();
  if (r->freed)
    pool_.put_back(r);
  else if (r->owner)
    r->owner->completed();
}

// Receives that were freed earlier release their messages, if these have arrived meanwhile.
void PointToPoint::freed(Receive* r) {
  if (std::exchange(freed_hold_messages_, false))
    pool_.each_receive([this](Receive* other) {
      if (other->freed && other->filled && !other->lost && other->message()) complete_freed(other);
    });
  complete_freed(r);
}

// Until the message has arrived in virtual time, the cancel of an earlier receive can give it to another one.
void PointToPoint::complete_freed(Receive* r) {
  const Message* const m = r->message();
  if (!m || m->awaits_answer()) return;
  if (r->state == Request::State::answered || m->ready() <= core_.clock.now()) return complete(r);
  freed_hold_messages_ = true;
  if (!r->filled) fill_early(r);
}

// All receives under way count, also those without a request of the program:
// receives in calls of other threads, and receives that are parts of an operation.
void PointToPoint::cancel(Receive* r) {
  if (r->state != Request::State::posted) return;
  core_.polling.interrupted();
  std::vector<match::Posted*> behind;
  if (Message* const met = r->matched) {
    pool_.each_receive([&](Receive* other) {
      if (other == r || other->state != Request::State::posted || !other->matched || other->probed) return;
      const Message& m = *other->matched;
      if (m.envelope.source != met->envelope.source || m.envelope.context != met->envelope.context ||
          m.arrival.sequence < met->arrival.sequence)
        return;
      rendezvous_.give_up(other);
      other->matched->met = nullptr;
      other->filled = false;
      if (other->watch) other->watch->not_there(*other);
      behind.push_back(other);
    });
    rendezvous_.give_up(r);
    met->met = nullptr;
  }
  queue_.cancel(r, behind, [this](match::Queue::Pair pair) { matched(pair); });
  r->finish();
  r->status = Status{.cancelled = true};
}

void PointToPoint::fail(Receive* r, int failed) {
  withdraw(r);
  finish_with_failure(r, failed);
}

void PointToPoint::fail(Send* r, int failed) {
  rendezvous_.give_up(r);
  if (r->cancellation) windows_.give_up(std::exchange(r->cancellation, nullptr));
  finish_with_failure(r, failed);
}

void PointToPoint::finish_with_failure(Request* r, int failed) {
  r->finish();
  r->status = Status{.failed = failed};
  if (r->freed)
    pool_.put_back(r);
  else if (r->owner)
    r->owner->completed();
}

void PointToPoint::withdraw(Receive* r) {
  if (r->state == Request::State::posted && !r->matched) queue_.withdraw(r);
  rendezvous_.give_up(r);
  if (r->matched) core_.discard(r->matched);
  r->matched = nullptr;
}

// Adds source, tag and length of the message to the record of the program, unless the receive itself determines them.
void PointToPoint::keep_met(const Receive& r, int source) {
  if (r.filter.source != match::any_source && r.tag != match::any_tag && r.status.bytes == r.buffer.bytes)
    return;
  core_.program->met(static_cast<const Request*>(&r), source, r.status.tag, r.status.bytes);
}

// The peer may still send the data.
[[gnu::hot]] void PointToPoint::drop(Receive* r) {
  const bool awaits = awaits_data(*r);
  withdraw(r);
  if (awaits)
    r->state = Request::State::forgotten;
  else
    pool_.put_back(r);
}

// The peer may still answer.
void PointToPoint::drop(Send* r) {
  const bool awaits = r->state == Request::State::requested && !r->answer;
  rendezvous_.give_up(r);
  if (awaits)
    r->state = Request::State::forgotten;
  else
    pool_.put_back(r);
}

}  // namespace emu::rank
