// What a rank does when an event is handled, and with what has failed. rank/semantics.md, "Events".

#include "rank/rank.h"
#include "rank/recorded.h"

namespace emu::rank {

using match::Message;

[[gnu::hot]] void Rank::handle(const Event& event) {
  polling_.interrupted();
  switch (event.kind) {
    case Event::Kind::request:
      answer(event.request);
      break;
    case Event::Kind::answer:
      send_data(event.request);
      break;
    case Event::Kind::completion:
      complete(event.request);
      break;
    case Event::Kind::candidate:
      clock_.wait_until(event.ready(), event.message->path);
      if (recorder_)
        recorder_->found(recorded(*event.message, event.message->arrival.source), clock_.now(),
                         clock_.path().hop);
      break;
    case Event::Kind::failure:
    case Event::Kind::doubt:
    case Event::Kind::broken:
      clock_.wait_until(event.at, failures_.path(event.failed));
      if (recorder_) recorder_->waited(clock_.now(), event.failed, failures_.at(event.failed));
      if (event.kind == Event::Kind::failure && event.request)
        fail(event.request, event.failed);
      else if (event.request)
        event.request->doubt = event.failed;
      else
        met_ = event.failed;
      break;
    case Event::Kind::none:
      break;
  }
}

void Rank::fail(Request* r, int failed) {
  detach(r);
  r->state = Request::State::complete;
  r->status = Status{.failed = failed};
  if (r->freed) recycle(r);
}

void Rank::detach(Request* r) {
  offered_.erase(r);
  if (r->handshake) {
    answered_.erase(r);
    wire_.release(r->handshake);
  }
  if (r->bound) {
    to_answer_.erase(r);
    wire_.release(r->bound);
  } else if (r->receive && r->state == Request::State::posted) {
    queue_.withdraw(r);
  }
  r->handshake = r->bound = nullptr;
}

// Its peer may still answer an offer, or send what was answered.
void Rank::forget(Request* r) {
  const bool awaited = r->state == Request::State::offered || r->state == Request::State::answered;
  const bool here = r->handshake != nullptr;
  detach(r);
  if (r->complete() || !awaited || here)
    recycle(r);
  else
    r->state = Request::State::forgotten;
}

void Rank::record_received(const Message& m, Interval cost) {
  recorder_->received(recorded(m, m.arrival.source), clock_.now(), cost, clock_.path().hop);
}

void Rank::record_failure() {
  if (!recorder_) return;
  if (computing_) recorder_->leave();
  const bool gap = network_.gap() > Interval() && clock_.met() + network_.gap() == next_send_;
  recorder_->failed(clock_.now(), clock_.path(), clock_.met(), gap);
}

void Rank::answer(Request* r) {
  to_answer_.erase(r);
  Message* request = r->bound;
  const int from = request->envelope.source;
  clock_.wait_until(request->ready(), request->path);
  const Interval cost = network_.control_receive(from, number_);
  clock_.control_receive(cost);
  if (recorder_) record_received(*request, cost);
  clock_.control_send(network_.control_send(number_, from));
  r->status = Status{request->source_in_comm, request->envelope.tag, request->envelope.bytes, false};
  r->peer = from;
  r->state = Request::State::answered;
  r->bound = nullptr;
  Message* m = wire_.allocate(0);
  m->kind = Message::Kind::answer;
  m->envelope = match::Envelope{request->envelope.context, number_, 0, 0};
  m->sender_request = request->sender_request;
  m->receiver_request = reinterpret_cast<std::uint64_t>(r);
  wire_.release(request);
  dispatch(r->peer, m, 1, network_.control_send(number_, from));
}

void Rank::send_data(Request* r) {
  answered_.erase(r);
  Message* reply = r->handshake;
  clock_.wait_until(reply->arrival.at, reply->path);
  const Interval received = network_.control_receive(r->peer, number_);
  clock_.control_receive(received);
  if (recorder_) record_received(*reply, received);
  const Interval cost = network_.send_overhead(number_, r->peer, r->buffer.bytes);
  clock_.send(cost, r->buffer.bytes);
  Message* m = wire_.allocate(r->buffer.bytes);
  m->kind = Message::Kind::data;
  m->envelope = match::Envelope{0, number_, r->tag, r->buffer.bytes};
  m->receiver_request = reply->receiver_request;
  r->buffer.read_into(m->payload());
  wire_.release(reply);
  r->handshake = nullptr;
  r->state = Request::State::complete;
  dispatch(r->peer, m, m->envelope.bytes, cost);
  if (r->freed) recycle(r);
}

[[gnu::hot]] void Rank::complete(Request* r) {
  const bool rendezvous = r->state == Request::State::answered;
  Message* m = rendezvous ? r->handshake : r->bound;
  if (!r->freed) {
    clock_.wait_until(m->ready(), m->path);
    const bool join = m->kind == Message::Kind::join;
    const Interval cost =
        join ? Interval() : network_.receive_overhead(m->envelope.source, number_, m->envelope.bytes);
    if (!join) clock_.receive(cost, m->envelope.bytes);
    if (recorder_) record_received(*m, cost);
  }
  if (!rendezvous) r->status = Status{m->source_in_comm, m->envelope.tag, m->envelope.bytes, false};
  r->status.truncated = r->status.bytes > r->buffer.bytes;
  r->buffer.fill_from(m->payload(), std::min(r->status.bytes, r->buffer.bytes));
  wire_.release(m);
  r->bound = r->handshake = nullptr;
  r->state = Request::State::complete;
  if (r->freed) recycle(r);
}

}  // namespace emu::rank
