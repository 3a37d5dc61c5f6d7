#include "reference/player/thread_player.h"

#include <algorithm>
#include <utility>

#include "reference/program/payload.h"

namespace emu::reference {
namespace {

rank::Buffer buffer(const std::vector<char>& data) {
  return rank::Buffer::contiguous(data.data(), static_cast<Bytes>(data.size()));
}

rank::Mode mode(Mode m) {
  return m == Mode::synchronous ? rank::Mode::synchronous
         : m == Mode::buffered  ? rank::Mode::buffered
                                : rank::Mode::standard;
}

}  // namespace

ThreadPlayer::ThreadPlayer(rank::Rank& rank, const std::vector<int>& nodes) : rank_(rank), nodes_(nodes) {
  for (int c = 0; c < communicator_count; ++c)
    communicators_.push_back({context_of(c), rank_in(c, rank.number(), rank.size()),
                              rank::Members(members(c, rank.number(), rank.size()))});
}

void ThreadPlayer::play(const Program& program, std::vector<Outcome>& log) {
  program_ = &program;
  pending_.clear();
  pending_.resize(static_cast<std::size_t>(program.slots));
  found_.assign(static_cast<std::size_t>(program.slots), nullptr);
  for (const Operation& planned : program.ranks[static_cast<std::size_t>(rank_.number())]) {
    outcome_ = {};
    const rank::Communicator& comm = communicator(planned);
    const Operation o = resolve(planned, comm.rank, comm.size());
    rank_.enter("random");
    operate(o);
    rank_.enter("clock");  // polls of different operations are not in a row
    outcome_.clock = rank_.now().picoseconds();
    rank_.leave();
    log.push_back(outcome_);
  }
}

void ThreadPlayer::operate(const Operation& o) {
  rank::Communicator& comm = communicator(o);
  switch (o.action) {
    case Action::compute:
      if (!rank_.declared(Interval::picoseconds(o.picoseconds))) wrong_.push_back("starved");
      break;
    case Action::send:
      send(o);
      break;
    case Action::isend:
      start_send(o);
      break;
    case Action::receive:
      receive(o, o.in.from, o.in.tag);
      break;
    case Action::ireceive:
      start_receive(o);
      break;
    case Action::send_receive:
      send_receive(o);
      break;
    case Action::isend_receive:
      start_send_receive(o);
      break;
    case Action::start_parts:
      start_parts(o);
      break;
    case Action::ready:
      ready(o);
      break;
    case Action::receive_parts:
      receive_parts(o);
      break;
    case Action::arrived:
      arrived(o);
      break;
    case Action::cancel:
    case Action::take_back:
    case Action::receive_anew:
      cancel(o);
      break;
    case Action::release:
      release(o);
      break;
    case Action::probe:
    case Action::iprobe:
      probe(o);
      break;
    case Action::receive_found:
      receive_found(o, found_[static_cast<std::size_t>(o.slots.front())]);
      break;
    case Action::acknowledge:
      comm.acknowledged = rank_.now();
      break;
    case Action::get_acknowledged:
      outcome_.value = acknowledged(comm);
      break;
    case Action::agree:
    case Action::shrink:
      meet(o);
      break;
    case Action::detach:
      rank_.finish_buffered();
      break;
    default:
      is_collective(o.action) ? collective(o) : complete(o);
      break;
  }
}

void ThreadPlayer::start_send(const Operation& o) {
  Pending& p = pending(o.slot);
  p.data = payload(program_->seed, o.out.message, o.out.bytes);
  p.request = rank_.isend(communicator(o), o.out.to, o.out.tag, buffer(p.data), mode(o.out.mode));
}

void ThreadPlayer::start_receive(const Operation& o) {
  Pending& p = pending(o.slot);
  // A persistent receive in doubt is still under way.
  if (o.again >= 0 && pending(o.again).request) {
    p = std::exchange(pending(o.again), {});
    return;
  }
  p.receive = true;
  p.data.resize(static_cast<std::size_t>(program_->bytes));
  p.request = rank_.ireceive(communicator(o), o.in.from, o.in.tag, buffer(p.data));
}

void ThreadPlayer::send(const Operation& o) {
  const std::vector<char> data = payload(program_->seed, o.out.message, o.out.bytes);
  went_well(rank_.send(communicator(o), o.out.to, o.out.tag, buffer(data), mode(o.out.mode)).failed);
}

Completion ThreadPlayer::received(const std::vector<char>& data, const rank::Status& status) {
  if (status.source == nobody) return {};
  const Completion c{-1, status.source, status.tag, status.bytes, carried(data.data(), status.bytes)};
  if (c.bytes < 4) return c;  // the payload does not identify the message
  const std::vector<char> sent = payload(program_->seed, c.identity, c.bytes);
  if (!std::equal(sent.begin(), sent.end(), data.begin()))
    wrong_.push_back("program " + std::to_string(program_->seed) + ": message " + std::to_string(c.identity));
  return c;
}

void ThreadPlayer::receive(const Operation& o, int from, int tag) {
  const std::vector<char> data(static_cast<std::size_t>(program_->bytes));
  const rank::Status status = rank_.receive(communicator(o), from, tag, buffer(data));
  if (!went_well(status.failed)) return;
  outcome_.completions.push_back(received(data, status));
}

void ThreadPlayer::send_receive(const Operation& o) {
  const std::vector<char> sent = payload(program_->seed, o.out.message, o.out.bytes);
  const std::vector<char> data(static_cast<std::size_t>(program_->bytes));
  const rank::Status status = rank_.send_receive(communicator(o), o.out.to, o.out.tag, buffer(sent),
                                                 o.in.from, o.in.tag, buffer(data));
  if (!went_well(status.failed)) return;
  outcome_.completions.push_back(received(data, status));
}

void ThreadPlayer::start_send_receive(const Operation& o) {
  Pending& p = pending(o.slot);
  p.receive = true;
  p.sent = payload(program_->seed, o.out.message, o.out.bytes);
  p.data.resize(static_cast<std::size_t>(program_->bytes));
  p.exchange = rank_.exchange(communicator(o), o.out.to, o.out.tag, buffer(p.sent), o.in.from, o.in.tag,
                              buffer(p.data));
  p.request = p.exchange->request();
}

void ThreadPlayer::probe(const Operation& o) {
  const rank::Communicator& comm = communicator(o);
  std::optional<rank::Status> found;
  match::Message* message = nullptr;
  match::Message** const taken = o.matched ? &message : nullptr;
  if (o.action == Action::probe) {
    found = rank_.probe(comm, o.in.from, o.in.tag, taken);
  } else {
    do {
      found = rank_.iprobe(comm, o.in.from, o.in.tag, taken);
      outcome_.polls += !found;
      if (!found) rank_.leave();
    } while (!found && o.until);
  }
  outcome_.answer = found.has_value();
  if (!found || !went_well(found->failed)) return;
  outcome_.completions.push_back({-1, found->source, found->tag, found->bytes, -1});
  if (o.matched && !o.take)
    found_[static_cast<std::size_t>(o.slot)] = message;
  else if (o.matched)
    receive_found(o, message);
  else if (o.take)
    receive(o, found->source, found->tag);
}

void ThreadPlayer::receive_found(const Operation& o, match::Message* message) {
  if (!message) return;  // the probe failed
  std::vector<char> data(static_cast<std::size_t>(program_->bytes));
  const rank::Buffer into = buffer(data);
  rank::Request* const request = rank_.ireceive(message, into);
  if (o.slot >= 0) {
    Pending& p = pending(o.slot);
    p.receive = true;
    p.data = std::move(data);
    p.request = request;
    return;
  }
  rank_.wait_all({&request, 1});
  if (went_well(request->status.failed)) outcome_.completions.push_back(received(data, request->status));
  rank_.free(request);
}

// As in p2p/partitioned.cc.
rank::Communicator ThreadPlayer::aside(const Operation& o, int peer, int tag, bool sends) {
  rank::Communicator own = communicator(o);
  own.series = ++partitioned_[{o.communicator, peer, tag, sends}];
  return own;
}

void ThreadPlayer::start_parts(const Operation& o) {
  Pending& p = pending(o.slot);
  p.data = payload(program_->seed, o.out.message, o.out.bytes);
  p.parts_left = o.parts;
  p.operation = o;
  p.deferred = rank_.deferred();
  p.request = p.deferred->request();
}

void ThreadPlayer::ready(const Operation& o) {
  Pending& p = pending(o.slots.front());
  p.parts_left -= o.high - o.low + 1;
  if (p.parts_left > 0) return;
  const Outgoing& out = p.operation.out;
  p.deferred->begin(rank_.isend(aside(p.operation, out.to, out.tag, true), out.to, out.tag, buffer(p.data)));
}

void ThreadPlayer::receive_parts(const Operation& o) {
  Pending& p = pending(o.slot);
  p.receive = true;
  p.data.resize(static_cast<std::size_t>(o.bytes));
  p.request = rank_.ireceive(aside(o, o.in.from, o.in.tag, false), o.in.from, o.in.tag, buffer(p.data));
}

void ThreadPlayer::arrived(const Operation& o) {
  rank::Request* const request = pending(o.slots.front()).request;
  if (!request) return;
  int index = -1;
  while (!(outcome_.answer = rank_.test_any({&request, 1}, index))) {
    ++outcome_.polls;
    rank_.leave();
    if (!o.until) break;
  }
}

void ThreadPlayer::cancel(const Operation& o) {
  rank::Request* const request = pending(o.slots.front()).request;
  if (!request) return;
  if (pending(o.slots.front()).receive)
    rank_.cancel(request);
  else
    rank_.withdraw(request);
  if (o.action == Action::cancel) return;
  rank_.wait_all({&request, 1});
  retire(o.slots.front());
  if (!outcome_.completions.front().cancelled) return;
  o.action == Action::take_back ? send(o) : receive(o, o.in.from, o.in.tag);
}

// The message may use the memory long after this.
void ThreadPlayer::release(const Operation& o) {
  Pending& p = pending(o.slots.front());
  if (p.request) rank_.free(p.request);
  released_.push_back(std::move(p.data));
  p = {};
}

void ThreadPlayer::complete(const Operation& o) {
  std::vector<rank::Request*> requests;
  for (int slot : o.slots) requests.push_back(pending(slot).request);
  for (;;) {
    outcome_.answer = complete_once(o, requests);
    if (outcome_.answer) break;
    ++outcome_.polls;
    rank_.leave();
    if (!o.until) break;
  }
}

bool ThreadPlayer::complete_once(const Operation& o, const std::vector<rank::Request*>& requests) {
  const auto all = [&] {
    for (int slot : o.slots) retire(slot);
  };
  const auto some = [&] {
    for (int slot : o.slots)
      if (pending(slot).request && pending(slot).request->over()) retire(slot);
  };
  const auto one = [&](int index) {
    if (index >= 0) retire(o.slots[static_cast<std::size_t>(index)]);
  };
  const bool none = std::all_of(requests.begin(), requests.end(), [](auto* r) { return r == nullptr; });
  bool answer = true;
  int index = -1;
  switch (o.action) {
    case Action::wait:
    case Action::wait_all:
      rank_.wait_all(requests);
      all();
      break;
    case Action::wait_any:
      one(rank_.wait_any(requests));
      break;
    case Action::wait_some:
      if (none) break;
      rank_.wait_some(requests);
      some();
      break;
    case Action::test:
      answer = rank_.test_any(requests, index);
      if (answer) all();
      break;
    case Action::test_all:
      answer = rank_.test_all(requests);
      if (answer) all();
      break;
    case Action::test_any:
      answer = rank_.test_any(requests, index);
      if (answer) one(index);
      break;
    case Action::test_some:
      if (none) break;
      answer = rank_.test_some(requests);
      if (answer) some();
      break;
    default:
      break;
  }
  return answer;
}

// A request's end, and its place in the outcome; nothing if it had ended before.
void ThreadPlayer::retire(int slot) {
  Pending& p = pending(slot);
  if (!p.request) return;
  Completion c;
  const rank::Request& r = *p.request;
  if (!r.complete())
    c.error = Error::pending;
  else if (r.status.failed >= 0)
    c.error = Error::failed;
  else if (p.receive && !r.status.cancelled)
    c = received(p.data, r.status);
  c.cancelled = c.error == Error::none && r.status.cancelled;
  c.slot = slot;
  outcome_.completions.push_back(c);
  if (c.error == Error::pending) return;
  p.running.reset();
  p.exchange.reset();
  rank_.free(p.request);
  p.request = nullptr;
}

}  // namespace emu::reference
