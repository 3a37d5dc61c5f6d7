#include "rank/protocols/rendezvous.h"

#include <algorithm>
#include <utility>

#include "rank/protocols/point_to_point.h"
#include "rank/recorded.h"

namespace emu::rank {

using match::Message;

namespace {

// The send has been answered, or needs no answer.
void finish_send(RequestPool& pool, Send* send) {
  send->sent = Send::never_sent;
  if (send->cancellation) {
    send->state = Request::State::pending;
    return;
  }
  send->finish();
  if (send->freed)
    pool.put_back(send);
  else if (send->owner)
    send->owner->completed();
}

}  // namespace

// --- the three messages

Send* Rendezvous::start(const match::Envelope& envelope, int to, int source_in_comm, const Buffer& data,
                        Mode mode) {
  Send* const r = pool_.take<Send>();
  r->peer = to;
  r->tag = envelope.tag;
  r->buffer = data;
  if (mode == Mode::buffered) {
    // No elements, but bytes: the data have a size and no contents, so messages have no room for a copy either.
    const bool contents = !data.layout || data.count > 0;
    const auto size = static_cast<std::size_t>(contents ? std::max<model::Bytes>(1, data.bytes) : 1);
    r->own_copy = std::make_unique_for_overwrite<std::byte[]>(size);
    data.read_into(r->own_copy.get());
    if (contents) r->buffer = Buffer::contiguous(r->own_copy.get(), data.bytes);
  }
  requested_.insert(r);
  awaited_.add(to);
  const bool at_once = mode == Mode::synchronous && core_.network.eager(core_.number, to, data.bytes);
  const Interval cost = at_once ? egress_.pay(to, data.bytes) : core_.network.control_send(core_.number, to);
  const bool get = !at_once && core_.network.gets(core_.number, to, data.bytes);
  Message* m = core_.transport.allocate(at_once || get ? data.bytes : 0);
  if (at_once) {
    m->kind = Message::Kind::eager;
  } else {
    core_.clock.control_send(cost);
    m->kind = Message::Kind::request;
    m->get = get;
  }
  if (at_once || get) data.read_into(m->payload());
  m->envelope = envelope;
  m->source_in_comm = source_in_comm;
  m->sender_request = reinterpret_cast<std::uint64_t>(r);
  egress_.send(to, m, at_once ? data.bytes : 1, cost);
  r->sent = egress_.last_sequence();
  return r;
}

void Rendezvous::take_request(Receive* receive) { requests_.insert(receive); }

void Rendezvous::answer(Receive* r) {
  requests_.erase(r);
  Message* request = r->matched;
  const int from = request->envelope.source;
  core_.clock.wait_until(request->ready(), request->path);
  const Interval received = core_.network.control_receive(from, core_.number);
  core_.clock.control_receive(received);
  if (core_.recorder) record_received(core_, *request, received);
  r->status = Status{request->source_in_comm, request->envelope.tag, request->envelope.bytes, false};
  r->peer = from;
  r->state = Request::State::answered;
  r->matched = nullptr;
  if (r->watch) r->watch->answered(*r);
  if (request->get) return begin_reading(r, request);
  send_answer(*request, reinterpret_cast<std::uint64_t>(r));
  core_.transport.release(request);
}

// The request becomes the data: they are on this host already, and cannot change before the send is complete.
void Rendezvous::begin_reading(Receive* r, Message* request) {
  const Interval cost =
      core_.network.send_overhead(request->envelope.source, core_.number, request->envelope.bytes);
  core_.clock.send(cost, request->envelope.bytes);
  Message data;
  data.kind = Message::Kind::data;
  data.get = true;
  data.envelope = request->envelope;
  data.sender_request = request->sender_request;
  data.receiver_request = reinterpret_cast<std::uint64_t>(r);
  request->take_over(data);
  reads_ += egress_.read(request, cost);
}

// A message of this rank itself needs no acknowledgement: the send is over with the receive.
void Rendezvous::acknowledge(Receive* r, const Message& data) {
  requests_.erase(r);
  if (data.envelope.source != core_.number) return send_answer(data, 0);
  auto* const send = reinterpret_cast<Send*>(data.sender_request);
  if (send->state == Request::State::forgotten) return pool_.put_back(send);
  answered(send);
  finish_send(pool_, send);
}

void Rendezvous::send_answer(const Message& request, std::uint64_t receiver_request) {
  const int to = request.envelope.source;
  const Interval cost = core_.network.control_send(core_.number, to);
  core_.clock.control_send(cost);
  Message* m = core_.transport.allocate(0);
  m->kind = Message::Kind::answer;
  m->envelope = match::Envelope{request.envelope.context, core_.number, 0, 0};
  m->sender_request = request.sender_request;
  m->receiver_request = receiver_request;
  egress_.send(to, m, 1, cost);
}

void Rendezvous::take_answer(Message* answer) {
  auto* send = reinterpret_cast<Send*>(answer->sender_request);
  if (send->state == Request::State::forgotten) {
    core_.transport.release(answer);
    pool_.put_back(send);
    return;
  }
  // The answer arrives at the instant that its sender promised, one latency after it
  // left. This rank acts on a held answer later, which violates no bound (wire/table.h).
  if (answer->further > Interval()) {
    record::Path path = answer->path;
    path.travel(answer->further, answer->further_latencies);
    core_.clock.check(answer->arrival.at + answer->further);
    answer->hold_until(answer->arrival.at + answer->further, path);
  }
  send->answer = answer;
  answered(send);
  answers_.insert(send);
}

void Rendezvous::end_send(Send* r) {
  answers_.erase(r);
  Message* answer = r->answer;
  core_.clock.wait_until(answer->ready(), answer->path);
  const Interval received = core_.network.control_receive(r->peer, core_.number);
  core_.clock.control_receive(received);
  if (core_.recorder) record_received(core_, *answer, received);
  if (!answer->acknowledges()) send_data(*r, answer->receiver_request);
  core_.transport.release(answer);
  r->answer = nullptr;
  finish_send(pool_, r);
}

void Rendezvous::send_data(const Send& r, std::uint64_t receiver_request) {
  const Interval cost = egress_.pay(r.peer, r.buffer.bytes);
  Message* m = core_.transport.allocate(r.buffer.bytes);
  m->kind = Message::Kind::data;
  m->envelope = match::Envelope{0, core_.number, r.tag, r.buffer.bytes};
  m->receiver_request = receiver_request;
  r.buffer.read_into(m->payload());
  egress_.send(r.peer, m, m->envelope.bytes, cost);
}

void Rendezvous::expect_data(const Message& data) {
  reinterpret_cast<Receive*>(data.receiver_request)->data_coming = true;
}

Receive* Rendezvous::take_data(Message* data) {
  auto* receive = reinterpret_cast<Receive*>(data->receiver_request);
  receive->data_coming = false;
  reads_ -= data->get;
  if (receive->state == Request::State::forgotten) {
    core_.transport.release(data);
    pool_.put_back(receive);
    return nullptr;
  }
  receive->data = data;
  if (data->synchronous()) requests_.insert(receive);
  if (receive->watch) receive->watch->there(*receive);
  return receive;
}

// --- pending handshakes

void Rendezvous::answered(Send* send) {
  if (requested_.erase(send) > 0) awaited_.remove(send->peer);
}

void Rendezvous::give_up(Send* r) {
  answered(r);
  if (!r->answer) return;
  answers_.erase(r);
  core_.transport.release(std::exchange(r->answer, nullptr));
}

void Rendezvous::give_up(Receive* r) {
  if (const Message* const m = awaiting(r); m && m->awaits_answer()) requests_.erase(r);
  if (r->data) core_.transport.release(std::exchange(r->data, nullptr));
}

Instant Rendezvous::last_answer() const {
  Instant last = core_.clock.now();
  for (const Send* r : requested_) {
    if (!r->freed && !core_.failures.noticed()) return Instant::never();
    last = std::max(last, core_.failures.at(r->peer));
  }
  return settled() ? last : Instant::never();
}

std::vector<Request*> Rendezvous::buffered() const {
  std::vector<Request*> left;
  for (Send* r : requested_)
    if (r->own_copy) left.push_back(r);
  for (Send* r : answers_)
    if (r->own_copy) left.push_back(r);
  return left;
}

void Rendezvous::forget(Send* send) {
  const auto it = std::find_if(requested_.begin(), requested_.end(),
                               [send](const Send* r) { return r->sent == send->sent; });
  if (it == requested_.end()) return;
  Send* const under_way = *it;
  give_up(under_way);
  if (under_way != send) pool_.put_back(under_way);
}

// --- E1, E2

namespace {

[[gnu::noinline]] void offer_message(Protocol& protocol, Message* m, Request* r, Event& least) {
  const match::Arrival key = m->key();
  if (!least || key < least.key)
    least = {.protocol = &protocol, .key = key, .at = m->ready(), .message = m, .request = r};
}

}  // namespace

[[gnu::hot]] void Rendezvous::offer(Event& least) {
  if (!requests_.empty()) offer_message(*this, awaiting(*requests_.begin()), *requests_.begin(), least);
  if (!answers_.empty()) offer_message(*this, (*answers_.begin())->answer, *answers_.begin(), least);
}

[[gnu::hot]] void Rendezvous::add_sources(const Event&, SourceList& sources) const {
  if (sources.everyone) return;
  awaited_.append_to(sources.named);
}

void Rendezvous::handle(const Event& event) {
  if (auto* const send = as<Send>(event.request))
    end_send(send);
  else if (event.message->synchronous())
    receives_->complete(static_cast<Receive*>(event.request));
  else
    answer(static_cast<Receive*>(event.request));
}

}  // namespace emu::rank
