#include "rank/protocols/collective.h"

#include <algorithm>
#include <cstring>

namespace emu::rank {

namespace {
constexpr int disagreeing = -1000;  // neither a rank nor a wildcard
}

Collective::Collective(Core& core, Operations& operations, const Communicator& comm, int tag,
                       const model::Schedule& schedule, const Memory& memory, Owner* owner)
    : BreakableGoal(core, operations, comm),
      comm_(comm),
      tag_(tag),
      owner_(owner),
      schedule_(schedule),
      memory_(memory) {}

// A reduction operation of the program may have thrown an exception.
Collective::~Collective() {
  for (Request* r : started_) {
    r->owner = nullptr;
    operations().drop(r);
  }
}

void Collective::start() {
  if (breaking() >= 0 && core().failures.known(breaking()) <= core().clock.now()) {
    finish(breaking());
    return;
  }
  if (core().recorder) core().recorder->collective(comm_.collective());
  if (core().program) core().program->collective(comm_.collective());
  scratch_.resize(static_cast<std::size_t>(schedule_.scratch));
  allocate();
  advance();
}

void Collective::handle(const Event& event) {
  BreakableGoal::handle(event);
  if (broken()) end_wait();
}

void Collective::describe(match::Waiting& waiting) const {
  BreakableGoal::describe(waiting);
  waiting.tag = match::Waiting::no_tag;
  if (!joined_) return;
  match::Running& behind = waiting.behind;
  behind = {
      .call = joined_->call, .context = joined_->context, .first = joined_->first, .number = joined_->number};
  for (const Request* r : started_) {
    if (r->complete()) continue;
    const auto i = static_cast<std::size_t>(behind.peer_count++);
    if (i < behind.peers.size()) behind.peers[i] = r->peer;
  }
}

// One of the started requests is complete.
void Collective::completed() {
  if (--outstanding_ > 0) return;
  end_wait();
  advance();
}

void Collective::finish(int failed) {
  failed_ = failed;
  done_ = true;
  if (owner_) owner_->completed();
}

void Collective::advance() {
  while (!done_) {
    if (next_ == schedule_.steps.size()) return finish(-1);
    const model::Step& step = schedule_.steps[next_++];
    if (step.kind != model::Step::Kind::wait) {
      carry_out(step);
      continue;
    }
    wait_for(started_);
    if (outstanding_ > 0) return;
    end_wait();
  }
}

// The current wait is over; a failure ends the operation.
void Collective::end_wait() {
  int failed = broken() ? breaking() : -1;
  if (core().program) core().program->wait(std::vector<const void*>(started_.begin(), started_.end()));
  for (Request* r : started_) {
    if (failed < 0) failed = r->status.failed;
    compare_lengths(*r);
    r->owner = nullptr;
    operations().drop(r);
  }
  started_.clear();
  outstanding_ = 0;
  wait_for({});
  if (failed >= 0) finish(failed);
}

// If messages may be lost, the message may belong to a later operation, and no member was wrong to send it.
void Collective::compare_lengths(const Request& r) {
  if (r.kind != Request::Kind::receive || core().loses || !r.complete()) return;
  if (r.status.truncated)
    lengths_ = Lengths::truncated;
  else if (r.status.source == disagreeing || (schedule_.exact && r.status.bytes < r.buffer.bytes))
    lengths_ = std::max(lengths_, Lengths::disagree);
}

// Once the lengths disagree, messages have `disagreeing` in place of the sender's rank.
const Communicator& Collective::sending() {
  if (lengths_ == Lengths::agree) return comm_;
  if (!telling_) {
    telling_ = std::make_unique<Communicator>(comm_);
    telling_->rank = disagreeing;
  }
  return *telling_;
}

void Collective::carry_out(const model::Step& step) {
  using Kind = model::Step::Kind;
  const model::Bytes bytes = step.slice.bytes;
  switch (step.kind) {
    case Kind::send:
      own(operations().start_send(comm_.collective(), sending(), step.peer, tag_,
                                  Buffer::contiguous(at(step.slice), bytes),
                                  schedule_.synchronous ? Mode::synchronous : Mode::standard));
      keep_start(step);
      break;
    case Kind::receive:
      own(operations().start_receive(comm_.collective(), comm_, step.peer, tag_,
                                     Buffer::contiguous(at(step.slice), bytes)));
      keep_start(step);
      break;
    case Kind::access:
      if (core().program) core().program->choice(record::Choice::file);
      own(operations().start_access(bytes));
      break;
    case Kind::copy:
      copy(at(step.from), at(step.slice), bytes);
      break;
    case Kind::combine:
      combine(at(step.from), at(step.slice), bytes);
      break;
    case Kind::wait:
      break;
  }
}

// For the record of the program.
void Collective::keep_start(const model::Step& step) {
  if (!core().program) return;
  const int peer = comm_.world[step.peer];
  if (step.kind == model::Step::Kind::receive)
    core().program->receive(started_.back(), comm_.collective(), peer, tag_, step.slice.bytes);
  else
    core().program->send(started_.back(), comm_.collective(), peer, tag_, step.slice.bytes,
                         static_cast<int>(schedule_.synchronous ? Mode::synchronous : Mode::standard));
}

void Collective::own(Request* request) {
  started_.push_back(request);
  if (request->complete()) return;
  request->owner = this;
  ++outstanding_;
}

void Collective::allocate() {
  const Instant before = core().clock.now();
  core().charge_memory(schedule_.scratch, schedule_.largest);
  core().record_work(before, comm_.collective());
}

void Collective::copy(const std::byte* from, std::byte* into, model::Bytes bytes) {
  const Instant before = core().clock.now();
  std::memmove(into, from, static_cast<std::size_t>(bytes));
  core().charge_copy(bytes);
  core().record_work(before, comm_.collective());
}

void Collective::combine(const std::byte* from, std::byte* into, model::Bytes bytes) {
  const Instant before = core().clock.now();
  memory_.combine(memory_.state, from, into, bytes);
  if (memory_.predefined) core().charge_reduction(bytes);
  core().record_work(before, comm_.collective());
}

std::byte* Collective::at(const model::Slice& slice) {
  std::byte* base = slice.space == model::Space::input    ? const_cast<std::byte*>(memory_.input)
                    : slice.space == model::Space::output ? memory_.output
                                                          : scratch_.data();
  return base + slice.offset;
}

}  // namespace emu::rank
