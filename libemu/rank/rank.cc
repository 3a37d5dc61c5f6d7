#include "rank/rank.h"

#include <utility>

#include "rank/recorded.h"

namespace emu::rank {

using match::Message;

Rank::Rank(int number, int size, const model::Network& network, match::Wire& wire, Node node)
    : number_(number),
      size_(size),
      network_(network),
      wire_(wire),
      cpu_(std::move(node.cpu)),
      failures_(std::move(node.failures), node.noticed, network, number),
      clock_(std::move(node.outages), std::move(node.failed)),
      queue_(size) {}

bool Rank::measured(Interval work) {
  if (work > network_.poll()) polling_.computed();  // less is the polling loop itself
  return compute(work);
}

[[gnu::hot]] bool Rank::declared(Interval work) { return compute(work); }

[[gnu::hot]] bool Rank::compute(Interval work) {
  const model::Speed::Done done = cpu_.done(work, clock_.now(), clock_.outages().end());
  if (done.at.is_never()) return false;
  computing_ = true;
  clock_.compute(work, done);
  computing_ = false;
  return true;
}

void Rank::clock_read() { charge_poll(); }

// --- starting

[[gnu::hot]] Request* Rank::new_request() {
  if (spare_requests_.empty()) {
    requests_.push_back(std::make_unique<Request>());
    return requests_.back().get();
  }
  Request* r = spare_requests_.back();
  spare_requests_.pop_back();
  *r = Request();
  return r;
}

[[gnu::hot]] void Rank::recycle(Request* request) {
  request->own_copy.reset();
  if (request->buffer.layout && request->buffer.layout->release)
    request->buffer.layout->release(request->buffer);
  request->buffer.layout = nullptr;
  spare_requests_.push_back(request);
}

[[gnu::hot]] void Rank::dispatch(int to, Message* message, model::Bytes occupying, Interval cost) {
  polling_.interrupted();
  horizon_.forget();
  Instant leave = clock_.now();
  record::Path& path = message->path;
  path = clock_.path();
  path.hop = {number_, sequence_};
  model::Route route = network_.route(number_, to, occupying, leave);
  const bool card = route.passes(model::Resource::sending_card), bus = route.passes(model::Resource::bus);
  if (card && card_free_ > leave) {
    leave = card_free_;
    path = card_path_;  // it came by the message that kept the card busy
    if (route.changes) route = network_.route(number_, to, occupying, leave);
  }
  Interval travel = route.latency;
  if (card) {
    card_free_ = leave + route.occupancy;
    card_path_ = path;
    card_path_.occupy(route.occupancy, route.trailing);
  }
  if (bus || route.passes(model::Resource::receiving_card)) {
    message->card = true;  // the receiver's card, or the bus, adds the occupancy
    message->occupancy = route.occupancy;
    message->trailing = route.trailing;
  } else {
    travel += route.occupancy;
    path.occupy(route.occupancy, route.trailing);
  }
  path.travel(route.latency, route.latencies);
  message->arrival = {leave + travel, number_, sequence_++};
  if (recorder_) record_sent(*message, to, cost);
  // It had to wait for the card, and the node went down before.
  if (leave >= clock_.next_outage() && clock_.outages().down(leave)) return lose(message, {false, to, leave});
  if (message->card && route.changes) keep_behind(to, *message);
  if (bus) tell_of(*message, to);
  wire_.deliver(to, message);
}

void Rank::record_sent(const Message& m, int to, Interval cost) {
  recorder_->sent(recorded(m, to), clock_.now(), cost, m.arrival.at - clock_.now());
}

// The link may have become faster since the message before: that one's head still comes first.
void Rank::keep_behind(int to, Message& message) {
  Head& last = last_heads_[to];
  if (last.at > message.arrival.at) {
    message.arrival.at = last.at;
    message.path = last.path;
  } else {
    last = {message.arrival.at, message.path};
  }
}

// All copies of the bus see the message, this rank's own too.
void Rank::tell_of(const Message& message, int to) {
  for (int rank = 0; rank < size_; ++rank) {
    if (rank == to) continue;
    Message* notice = wire_.allocate(0);
    notice->kind = Message::Kind::notice;
    notice->envelope = match::Envelope{0, number_, 0, 0};
    notice->arrival = message.arrival;
    notice->card = true;
    notice->occupancy = message.occupancy;
    notice->trailing = message.trailing;
    notice->path = message.path;
    if (rank == number_)
      card_.add(notice);
    else
      wire_.deliver(rank, notice);
  }
}

// g: two sends start at least this far apart.
[[gnu::hot]] void Rank::keep_gap() {
  clock_.wait_until(next_send_, next_send_path_);
  next_send_ = clock_.now() + network_.gap();
  next_send_path_ = clock_.path();
  next_send_path_.gap += network_.gap();
  ++next_send_path_.gaps;
}

[[gnu::hot]] void Rank::send_eager(const match::Envelope& envelope, int to, int source_in_comm,
                                   const Buffer& data) {
  const Interval cost = network_.send_overhead(number_, to, envelope.bytes);
  clock_.send(cost, envelope.bytes);
  Message* m = wire_.allocate(envelope.bytes);
  m->kind = Message::Kind::eager;
  m->envelope = envelope;
  m->source_in_comm = source_in_comm;
  data.read_into(m->payload());
  dispatch(to, m, envelope.bytes, cost);
}

// The peer of a send, if it is known to have failed; else -1.
int Rank::known_failed(const Communicator& comm, int to) {
  if (to == proc_null || !failures_.noticed()) return -1;
  const int world = comm.world[static_cast<std::size_t>(to)];
  if (failures_.known(world) > clock_.now()) return -1;
  return world;
}

[[gnu::hot]] bool Rank::send_at_once(match::Context context, const Communicator& comm, int to, int tag,
                                     const Buffer& data, Mode mode) {
  if (to == proc_null) return true;
  if (network_.gap() > Interval()) keep_gap();
  ++messages_sent_;
  bytes_sent_ += data.bytes;
  if (mode == Mode::synchronous || !network_.eager(data.bytes)) return false;
  send_eager({context, number_, tag, data.bytes}, comm.world[static_cast<std::size_t>(to)], comm.rank, data);
  return true;
}

[[gnu::hot]] Request* Rank::start_send(match::Context context, const Communicator& comm, int to, int tag,
                                       const Buffer& data, Mode mode) {
  if (const int failed = known_failed(comm, to); failed >= 0) {
    Request* r = new_request();
    fail(r, failed);
    return r;
  }
  if (!send_at_once(context, comm, to, tag, data, mode)) return offer(context, comm, to, tag, data, mode);
  Request* done = new_request();
  done->state = Request::State::complete;
  return done;
}

Request* Rank::offer(match::Context context, const Communicator& comm, int to, int tag, const Buffer& data,
                     Mode mode) {
  Request* r = new_request();
  const int world = comm.world[static_cast<std::size_t>(to)];
  r->peer = world;
  r->tag = tag;
  r->state = Request::State::offered;
  r->buffer = data;
  if (mode == Mode::buffered) {
    const auto size = static_cast<std::size_t>(std::max<model::Bytes>(1, data.bytes));
    r->own_copy = std::make_unique_for_overwrite<std::byte[]>(size);
    data.read_into(r->own_copy.get());
    r->buffer = Buffer::contiguous(r->own_copy.get(), data.bytes);
  }
  clock_.control_send(network_.control_send(number_, world));
  Message* m = wire_.allocate(0);
  m->kind = Message::Kind::request;
  m->envelope = {context, number_, tag, data.bytes};
  m->source_in_comm = comm.rank;
  m->sender_request = reinterpret_cast<std::uint64_t>(r);
  offered_.insert(r);
  dispatch(world, m, 1, network_.control_send(number_, world));
  if (mode != Mode::buffered) return r;
  free(r);
  Request* done = new_request();
  done->state = Request::State::complete;
  return done;
}

[[gnu::hot]] Request* Rank::start_receive(match::Context context, const Communicator& comm, int from, int tag,
                                          const Buffer& into) {
  polling_.interrupted();
  Request* r = new_request();
  r->receive = true;
  if (from == proc_null) {
    r->state = Request::State::complete;
    r->status = Status{proc_null, match::any_tag, 0, false};
    return r;
  }
  const bool wildcard = from == match::any_source;
  r->peer = wildcard ? match::any_source : comm.world[static_cast<std::size_t>(from)];
  r->tag = tag;
  r->state = Request::State::posted;
  r->buffer = into;
  r->filter = match::Filter{context, r->peer, tag};
  r->posted = clock_.now();
  if (wildcard && failures_.noticed()) r->comm = &comm;
  met(queue_.post(r));
  return r;
}

// --- point-to-point

[[gnu::hot]] Request* Rank::isend(const Communicator& comm, int to, int tag, const Buffer& data, Mode mode) {
  return start_send(comm.context, comm, to, tag, data, mode);
}

[[gnu::hot]] Request* Rank::ireceive(const Communicator& comm, int from, int tag, const Buffer& into) {
  return start_receive(comm.context, comm, from, tag, into);
}

[[gnu::hot]] Status Rank::send(const Communicator& comm, int to, int tag, const Buffer& data, Mode mode) {
  if (const int failed = known_failed(comm, to); failed >= 0) return Status{.failed = failed};
  if (send_at_once(comm.context, comm, to, tag, data, mode)) return {};
  Request* const r = offer(comm.context, comm, to, tag, data, mode);
  wait_all({&r, 1});
  const Status status = r->status;
  free(r);
  return status;
}

[[gnu::hot]] Status Rank::receive(const Communicator& comm, int from, int tag, const Buffer& into) {
  Request* const r = ireceive(comm, from, tag, into);
  wait_all({&r, 1});
  if (r->doubt >= 0) fail(r, r->doubt);
  const Status status = r->status;
  free(r);
  return status;
}

Status Rank::send_receive(const Communicator& comm, int to, int send_tag, const Buffer& data, int from,
                          int receive_tag, const Buffer& into) {
  Request* const receive = ireceive(comm, from, receive_tag, into);
  Request* const both[] = {receive, isend(comm, to, send_tag, data)};
  wait_all(both);
  if (!receive->complete() && receive->doubt >= 0) fail(receive, receive->doubt);
  Status status = receive->status;
  if (status.failed < 0) status.failed = both[1]->status.failed;
  free(both[0]);
  free(both[1]);
  return status;
}

[[gnu::hot]] void Rank::free(Request* request) {
  if (!request) return;
  polling_.interrupted();
  if (request->complete()) {
    recycle(request);
    return;
  }
  request->freed = true;  // a send goes on; a receive takes its message when it is there
  if (request->receive && request->state == Request::State::posted && request->bound &&
      request->bound->kind != Message::Kind::request)
    complete(request);
}

void Rank::finish_buffered() {
  entered_ = clock_.now();
  for (;;) {
    std::vector<Request*> left;
    for (Request* r : offered_)
      if (r->own_copy) left.push_back(r);
    for (Request* r : answered_)
      if (r->own_copy) left.push_back(r);
    if (left.empty()) return;
    handle(*next_event(Goal{.requests = left}, Instant::never()));
  }
}

void Rank::finish() {
  while (!offered_.empty() || !answered_.empty() || !to_answer_.empty()) {
    const std::optional<Event> event = next_event(Goal{}, last_answer());
    if (!event) return;
    handle(*event);
  }
}

// Until when finish() has to wait for what is offered: a rank that fails answers up to then.
Instant Rank::last_answer() const {
  Instant last = clock_.now();
  for (const Request* r : offered_) {
    if (!r->freed && !failures_.noticed()) return Instant::never();
    last = std::max(last, failures_.at(r->peer));
  }
  return answered_.empty() && to_answer_.empty() ? last : Instant::never();
}

}  // namespace emu::rank
