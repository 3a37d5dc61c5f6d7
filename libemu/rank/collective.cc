// Collectives as messages, and the join of clocks that communicator set-up needs.

#include <cstring>

#include "rank/rank.h"
#include "rank/recorded.h"

namespace emu::rank {

using match::Message;

namespace {
constexpr int collective_tag = 0;
constexpr int join_tag = 1;
}  // namespace

void Rank::run(const Communicator& comm, const model::Schedule& schedule, const Memory& memory) {
  using Kind = model::Step::Kind;
  if (recorder_) recorder_->collective(comm.collective());
  std::vector<std::byte> scratch(static_cast<std::size_t>(schedule.scratch));
  const auto at = [&](const model::Slice& s) {
    std::byte* base = s.space == model::Space::input    ? const_cast<std::byte*>(memory.input)
                      : s.space == model::Space::output ? memory.output
                                                        : scratch.data();
    return base + s.offset;
  };
  std::vector<Request*> started;
  for (const model::Step& step : schedule.steps) {
    switch (step.kind) {
      case Kind::send:
        started.push_back(start_send(comm.collective(), comm, step.peer, collective_tag,
                                     Buffer::contiguous(at(step.slice), step.slice.bytes),
                                     schedule.synchronous ? Mode::synchronous : Mode::standard));
        break;
      case Kind::receive:
        started.push_back(start_receive(comm.collective(), comm, step.peer, collective_tag,
                                        Buffer::contiguous(at(step.slice), step.slice.bytes)));
        break;
      case Kind::wait:
        wait_all(started);
        for (Request* r : started) free(r);
        started.clear();
        break;
      case Kind::copy:
        std::memmove(at(step.slice), at(step.from), static_cast<std::size_t>(step.slice.bytes));
        break;
      case Kind::combine:
        memory.combine(memory.state, at(step.from), at(step.slice), step.slice.bytes);
        break;
    }
  }
}

void Rank::join(const Communicator& comm) {
  const auto tell = [&](int member) {
    Message* m = wire_.allocate(0);
    m->kind = Message::Kind::join;
    m->envelope = match::Envelope{comm.collective(), number_, join_tag, 0};
    m->source_in_comm = comm.rank;
    m->arrival = {clock_.now(), number_, sequence_++};
    m->path = clock_.path();
    m->path.hop = {number_, m->arrival.sequence};
    const int to = comm.world[static_cast<std::size_t>(member)];
    if (recorder_) recorder_->sent(recorded(*m, to), clock_.now(), Interval(), Interval());
    wire_.deliver(to, m);
  };
  const auto hear = [&](int member) {
    Request* const r = start_receive(comm.collective(), comm, member, join_tag, Buffer{});
    wait_all(Goal{{&r, 1}});
    free(r);
  };
  if (comm.rank == 0) {
    for (int i = 1; i < comm.size(); ++i) hear(i);
    for (int i = 1; i < comm.size(); ++i)
      if (has_failed(comm.world[static_cast<std::size_t>(i)])) hear(i);  // for ever
    for (int i = 1; i < comm.size(); ++i) tell(i);
  } else {
    tell(0);
    hear(0);
  }
  // What follows may be the host's own collective, in real time: a member that still has to see something
  // pass the bus before this instant must not wait for a bound of ours from before.
  wire_.running(clock_.now());
}

}  // namespace emu::rank
