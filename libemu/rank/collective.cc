// Collectives as messages, and the join of clocks that communicator set-up needs.

#include <algorithm>
#include <cstring>
#include <limits>

#include "rank/rank.h"
#include "rank/recorded.h"

namespace emu::rank {

using match::Message;

// The member whose failure is known first; -1 if none ever is.
int Rank::first_failing(const Communicator& comm) const {
  int first = -1;
  if (!failures_.noticed()) return first;
  for (int member : comm.world)
    if (failures_.known(member) < (first < 0 ? Instant::never() : failures_.known(first))) first = member;
  return first;
}

// `reaction`: as in Goal. The failed rank that broke it, or -1.
int Rank::wait_in_collective(std::vector<Request*>& started, int failing, Interval reaction) {
  Goal goal{.requests = started, .reaction = reaction};
  if (failing >= 0) {
    goal.broken = failures_.known(failing);
    goal.by = failing;
  }
  wait_all(goal);
  int failed = goal.by >= 0 ? met_ : -1;
  for (Request* r : started) {
    failed = failed < 0 ? r->status.failed : failed;
    if (r->complete())
      free(r);
    else
      forget(r);
  }
  started.clear();
  return failed;
}

// An operation may compute: in a trace that is no waiting, so the call ends before it and goes on after it.
void Rank::combine(const Communicator& comm, const Memory& memory, const std::byte* from, std::byte* into,
                   model::Bytes bytes) {
  const Instant before = clock_.now();
  memory.combine(memory.state, from, into, bytes);
  if (!recorder_ || clock_.now() == before) return;
  recorder_->leave();
  recorder_->enter(call_, clock_.now());
  recorder_->collective(comm.collective());
}

int Rank::run(const Communicator& comm, const model::Schedule& schedule, const Memory& memory) {
  using Kind = model::Step::Kind;
  const int failing = first_failing(comm);
  if (failing >= 0 && failures_.known(failing) <= clock_.now()) return failing;
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
        started.push_back(start_send(comm.collective(), comm, step.peer, comm.round,
                                     Buffer::contiguous(at(step.slice), step.slice.bytes),
                                     schedule.synchronous ? Mode::synchronous : Mode::standard));
        break;
      case Kind::receive:
        started.push_back(start_receive(comm.collective(), comm, step.peer, comm.round,
                                        Buffer::contiguous(at(step.slice), step.slice.bytes)));
        break;
      case Kind::wait:
        if (const int failed = wait_in_collective(started, failing, network_.least_receive_overhead());
            failed >= 0)
          return failed;
        break;
      case Kind::copy:
        std::memmove(at(step.slice), at(step.from), static_cast<std::size_t>(step.slice.bytes));
        break;
      case Kind::combine:
        combine(comm, memory, at(step.from), at(step.slice), step.slice.bytes);
        break;
    }
  }
  return -1;
}

// What kind of join it is: one that was broken may have left messages behind, and another one of other
// members must not meet them.
int Rank::join_tag(const Communicator& comm) {
  std::uint32_t name = 0;
  for (int member : comm.world) name = (name ^ static_cast<std::uint32_t>(member)) * 16777619u + 1;
  return -2 - static_cast<int>(name & 0x3fffffff);
}

void Rank::tell(const Communicator& comm, int member, int tag, std::span<const std::byte> what) {
  polling_.interrupted();
  horizon_.forget();
  Message* m = wire_.allocate(static_cast<model::Bytes>(what.size()));
  m->kind = Message::Kind::join;
  m->envelope = match::Envelope{comm.collective(), number_, tag, static_cast<model::Bytes>(what.size())};
  m->source_in_comm = comm.rank;
  std::copy(what.begin(), what.end(), m->payload());
  m->arrival = {clock_.now(), number_, sequence_++};
  m->path = clock_.path();
  m->path.hop = {number_, m->arrival.sequence};
  const int to = comm.world[static_cast<std::size_t>(member)];
  if (recorder_) recorder_->sent(recorded(*m, to), clock_.now(), Interval(), Interval());
  wire_.deliver(to, m);
}

namespace {

// Also if this rank fails meanwhile.
class Hearing {
 public:
  explicit Hearing(match::Wire& wire) : wire_(wire) { wire_.hears(true); }
  Hearing(const Hearing&) = delete;
  ~Hearing() { wire_.hears(false); }

 private:
  match::Wire& wire_;
};

}  // namespace

bool Rank::hear(const Communicator& comm, int member, int tag, std::span<std::byte> what, Instant until) {
  Request* const r = start_receive(comm.collective(), comm, member, tag,
                                   Buffer::contiguous(what.data(), static_cast<model::Bytes>(what.size())));
  const Goal goal{.requests = {&r, 1}, .joins = &comm};
  begin_waiting(goal.requests);
  const Hearing hearing(wire_);
  std::optional<Event> event;
  while (!r->over() && (event = next_event(goal, until))) handle(*event);
  // What it has heard may not have been announced yet.
  wire_.running(clock_.now());
  const bool heard = r->complete() && r->status.failed < 0;
  if (r->complete())
    free(r);
  else
    forget(r);
  return heard;
}

// A member has failed before all had come: nobody goes on. Returns when the failure is noticed.
int Rank::broken_join(const Communicator& comm) {
  constexpr int tag = std::numeric_limits<int>::min();  // nobody sends it
  int first = 0;
  for (int i = 1; i < comm.size(); ++i)
    if (failures_.at(comm.world[static_cast<std::size_t>(i)]) <
        failures_.at(comm.world[static_cast<std::size_t>(first)]))
      first = i;
  std::vector<Request*> never = {start_receive(comm.collective(), comm, first, tag, Buffer{})};
  return wait_in_collective(never, first_failing(comm), Interval());
}

int Rank::join(const Communicator& comm) {
  const int tag = join_tag(comm);
  Instant first = Instant::never();  // when a member fails
  for (int member : comm.world) first = std::min(first, failures_.at(member));
  const Instant until = first.is_never() ? first : first - Interval::picoseconds(1);
  if (comm.rank != 0) {
    tell(comm, 0, tag, {});
    if (!hear(comm, 0, tag, {}, until)) return broken_join(comm);
  } else {
    for (int i = 1; i < comm.size(); ++i)
      if (!hear(comm, i, tag, {}, until)) return broken_join(comm);
    if (clock_.now() > until) return broken_join(comm);
    for (int i = 1; i < comm.size(); ++i) tell(comm, i, tag, {});
  }
  // What follows may be the host's own collective, in real time: a member that still has to see something
  // pass the bus before this instant must not wait for a bound of ours from before.
  wire_.running(clock_.now());
  return -1;
}

}  // namespace emu::rank
