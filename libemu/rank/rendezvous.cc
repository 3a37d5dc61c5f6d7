#include "rank/rendezvous.h"

#include <algorithm>

#include "rank/recorded.h"

namespace emu::rank {

using match::Message;

// --- the three messages

Request* Rendezvous::start(const match::Envelope& envelope, int to, int source_in_comm, const Buffer& data,
                           Mode mode) {
  Request* r = pool_.take();
  r->peer = to;
  r->tag = envelope.tag;
  r->state = Request::State::requested;
  r->buffer = data;
  if (mode == Mode::buffered) {
    const auto size = static_cast<std::size_t>(std::max<model::Bytes>(1, data.bytes));
    r->own_copy = std::make_unique_for_overwrite<std::byte[]>(size);
    data.read_into(r->own_copy.get());
    r->buffer = Buffer::contiguous(r->own_copy.get(), data.bytes);
  }
  const Interval cost = core_.network.control_send(core_.number, to);
  core_.clock.control_send(cost);
  Message* m = core_.wire.allocate(0);
  m->kind = Message::Kind::request;
  m->envelope = envelope;
  m->source_in_comm = source_in_comm;
  m->sender_request = reinterpret_cast<std::uint64_t>(r);
  requested_.insert(r);
  egress_.send(to, m, 1, cost);
  r->sent = egress_.last_sequence();
  return r;
}

void Rendezvous::take_request(Request* receive) { requests_.insert(receive); }

void Rendezvous::answer(Request* r) {
  requests_.erase(r);
  Message* request = r->matched;
  const int from = request->envelope.source;
  core_.clock.wait_until(request->ready(), request->path);
  const Interval received = core_.network.control_receive(from, core_.number);
  core_.clock.control_receive(received);
  if (core_.recorder) record_received(core_, *request, received);
  const Interval cost = core_.network.control_send(core_.number, from);
  core_.clock.control_send(cost);
  r->status = Status{request->source_in_comm, request->envelope.tag, request->envelope.bytes, false};
  r->peer = from;
  r->state = Request::State::answered;
  r->matched = nullptr;
  Message* m = core_.wire.allocate(0);
  m->kind = Message::Kind::answer;
  m->envelope = match::Envelope{request->envelope.context, core_.number, 0, 0};
  m->sender_request = request->sender_request;
  m->receiver_request = reinterpret_cast<std::uint64_t>(r);
  core_.wire.release(request);
  egress_.send(r->peer, m, 1, cost);
}

void Rendezvous::take_answer(Message* answer) {
  auto* send = reinterpret_cast<Request*>(answer->sender_request);
  if (send->state == Request::State::forgotten) {
    core_.wire.release(answer);
    pool_.put_back(send);
    return;
  }
  // It arrives when its sender promised, one latency after it left; what is held is acted upon later than it arrived,
  // which breaks no bound (wire/table.h).
  if (answer->further > Interval()) {
    record::Path path = answer->path;
    path.travel(answer->further, answer->further_latencies);
    core_.clock.check(answer->arrival.at + answer->further);
    answer->hold_until(answer->arrival.at + answer->further, path);
  }
  send->handshake = answer;
  requested_.erase(send);
  answers_.insert(send);
}

void Rendezvous::send_data(Request* r) {
  answers_.erase(r);
  Message* answer = r->handshake;
  core_.clock.wait_until(answer->ready(), answer->path);
  const Interval received = core_.network.control_receive(r->peer, core_.number);
  core_.clock.control_receive(received);
  if (core_.recorder) record_received(core_, *answer, received);
  const Interval cost = core_.network.send_overhead(core_.number, r->peer, r->buffer.bytes);
  core_.clock.send(cost, r->buffer.bytes);
  Message* m = core_.wire.allocate(r->buffer.bytes);
  m->kind = Message::Kind::data;
  m->envelope = match::Envelope{0, core_.number, r->tag, r->buffer.bytes};
  m->receiver_request = answer->receiver_request;
  r->buffer.read_into(m->payload());
  core_.wire.release(answer);
  r->handshake = nullptr;
  r->sent = Request::never_sent;
  r->state = r->answer ? Request::State::background : Request::State::complete;
  egress_.send(r->peer, m, m->envelope.bytes, cost);
  if (r->answer) return;  // the receiver's answer to that is still to come
  if (r->freed)
    pool_.put_back(r);
  else if (r->owner)
    r->owner->completed();
}

Request* Rendezvous::take_data(Message* data) {
  auto* receive = reinterpret_cast<Request*>(data->receiver_request);
  if (receive->state == Request::State::forgotten) {
    core_.wire.release(data);
    pool_.put_back(receive);
    return nullptr;
  }
  receive->handshake = data;
  return receive;
}

// --- what is under way

void Rendezvous::give_up(Request* r) {
  requested_.erase(r);
  if (r->handshake) {
    answers_.erase(r);
    core_.wire.release(r->handshake);
    r->handshake = nullptr;
  }
  if (r->matched && r->matched->kind == Message::Kind::request) requests_.erase(r);
}

Instant Rendezvous::last_answer() const {
  Instant last = core_.clock.now();
  for (const Request* r : requested_) {
    if (!r->freed && !core_.failures.noticed()) return Instant::never();
    last = std::max(last, core_.failures.at(r->peer));
  }
  return answers_.empty() && requests_.empty() ? last : Instant::never();
}

std::vector<Request*> Rendezvous::buffered() const {
  std::vector<Request*> left;
  for (Request* r : requested_)
    if (r->own_copy) left.push_back(r);
  for (Request* r : answers_)
    if (r->own_copy) left.push_back(r);
  return left;
}

void Rendezvous::forget(Request* send) {
  const auto it = std::find_if(requested_.begin(), requested_.end(),
                               [send](const Request* r) { return r->sent == send->sent; });
  if (it == requested_.end()) return;
  Request* const under_way = *it;
  give_up(under_way);
  if (under_way != send) pool_.put_back(under_way);
}

// --- E1, E2

[[gnu::hot]] void Rendezvous::offer(Event& least) {
  const auto consider = [&](Message* m, Request* r) {
    const match::Arrival key = m->turn();
    if (!least || key < least.key)
      least = {.protocol = this, .key = key, .at = m->ready(), .message = m, .request = r};
  };
  if (!requests_.empty()) consider((*requests_.begin())->matched, *requests_.begin());
  if (!answers_.empty()) consider((*answers_.begin())->handshake, *answers_.begin());
}

[[gnu::hot]] void Rendezvous::add_sources(const Event&, SourceList& sources) const {
  if (sources.everyone) return;
  for (const Request* r : requested_) sources.named.push_back(r->peer);
}

void Rendezvous::handle(const Event& event) {
  if (event.request->receive)
    answer(event.request);
  else
    send_data(event.request);
}

}  // namespace emu::rank
