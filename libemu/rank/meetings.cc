#include "rank/meetings.h"

#include <cstring>
#include <limits>

namespace emu::rank {

namespace {

// A member's message that takes no time.
class ZeroTimeGoal final : public RequestsGoal {
 public:
  ZeroTimeGoal(Core& core, Operations& operations, const Rendezvous& rendezvous, const Communicator& comm,
               Requests request)
      : RequestsGoal(core, operations, request, Interval()),
        rendezvous_(rendezvous),
        members_(comm.world.begin(), comm.world.end()) {}

  // Who is to go on is there to go on: it takes no part in a handshake that it does not survive.
  void offer(Event& least) override {
    if (least.protocol == &rendezvous_ && !rendezvous_.can_pay(least)) least = {};
    RequestsGoal::offer(least);
  }
  const std::vector<int>* zero_time_sources() const override { return &members_; }

 private:
  const Rendezvous& rendezvous_;
  const std::vector<int> members_;
};

// Also if this rank fails meanwhile.
class Hearing {
 public:
  explicit Hearing(match::Wire& wire) : wire_(wire) { wire_.hears(true); }
  Hearing(const Hearing&) = delete;
  ~Hearing() { wire_.hears(false); }

 private:
  match::Wire& wire_;
};

// What kind of join it is: one that was broken may have left messages behind, and another one of other
// members must not meet them.
int join_tag(const Communicator& comm) {
  std::uint32_t name = 0;
  for (int member : comm.world) name = (name ^ static_cast<std::uint32_t>(member)) * 16777619u + 1;
  return -2 - static_cast<int>(name & 0x3fffffff);
}

// What a member says, or is told: a flag, a yes or no, a name, and a byte for each member of the communicator.
struct Ballot {
  explicit Ballot(const Communicator& comm) : bytes(16 + static_cast<std::size_t>(comm.size())) {}
  std::vector<std::byte> bytes;

  int flag() const { return get(0); }
  bool yes() const { return get(4) != 0; }
  bool of(int member) const { return bytes[16 + static_cast<std::size_t>(member)] != std::byte{0}; }
  match::Context name() const {
    match::Context name;
    std::memcpy(&name, bytes.data() + 8, sizeof name);
    return name;
  }
  void name(match::Context name) { std::memcpy(bytes.data() + 8, &name, sizeof name); }
  void set(int flag, bool yes) {
    put(0, flag);
    put(4, yes ? 1 : 0);
  }
  void set(int member) { bytes[16 + static_cast<std::size_t>(member)] = std::byte{1}; }

 private:
  int get(std::size_t at) const {
    std::int32_t n;
    std::memcpy(&n, bytes.data() + at, sizeof n);
    return n;
  }
  void put(std::size_t at, std::int32_t n) { std::memcpy(bytes.data() + at, &n, sizeof n); }
};

}  // namespace

// --- messages that take no time

void Meetings::send(const Communicator& comm, int member, int tag, std::span<const std::byte> what) {
  egress_.send_in_zero_time(comm.world[member],
                            {comm.collective(), core_.number, tag, static_cast<model::Bytes>(what.size())},
                            comm.rank, what);
}

bool Meetings::receive(const Communicator& comm, int member, int tag, std::span<std::byte> what,
                       Instant until) {
  Request* const r =
      operations_.start_receive(comm.collective(), comm, member, tag,
                                Buffer::contiguous(what.data(), static_cast<model::Bytes>(what.size())));
  ZeroTimeGoal goal(core_, operations_, rendezvous_, comm, {&r, 1});
  const Hearing hearing(core_.wire);
  std::optional<Event> event;
  while (!r->over() && (event = scheduler_.next(goal, until))) core_.handle(*event);
  // What it has heard may not have been announced yet.
  core_.wire.running(core_.clock.now());
  const bool heard = r->complete() && r->status.failed < 0;
  operations_.drop(r);
  return heard;
}

// --- joins

// A member has failed before all had come: nobody goes on. Returns when the failure is noticed.
int Meetings::broken_join(const Communicator& comm) {
  constexpr int tag = std::numeric_limits<int>::min();  // nobody sends it
  int first = 0;
  for (int i = 1; i < comm.size(); ++i)
    if (fails(comm, i) < fails(comm, first)) first = i;
  Request* const never = operations_.start_receive(comm.collective(), comm, first, tag, Buffer{});
  BreakableGoal goal(core_, operations_, comm, Interval());
  goal.wait_for({&never, 1});
  completion_.wait(goal, [&] { return never->over() || goal.broken(); });
  const int failed = goal.broken() ? goal.breaking() : never->status.failed;
  operations_.drop(never);
  return failed;
}

int Meetings::join(const Communicator& comm) {
  const int tag = join_tag(comm);
  const Instant first = core_.failures.first_at(comm);
  const Instant until = first.is_never() ? first : first - Interval::picoseconds(1);
  if (comm.rank != 0) {
    send(comm, 0, tag, {});
    if (!receive(comm, 0, tag, {}, until)) return broken_join(comm);
  } else {
    for (int i = 1; i < comm.size(); ++i)
      if (!receive(comm, i, tag, {}, until)) return broken_join(comm);
    if (core_.clock.now() > until) return broken_join(comm);
    for (int i = 1; i < comm.size(); ++i) send(comm, i, tag, {});
  }
  // What follows may be the host's own collective, in real time: a member that still has to see something
  // pass the bus before this instant must not wait for a bound of ours from before.
  core_.wire.running(core_.clock.now());
  return -1;
}

// --- agreements

Agreement Meetings::agree(Communicator& comm, int flag, match::Context name) {
  const int tag = ++comm.agreements, size = comm.size();
  const auto knows = [&](int member) {
    return comm.acknowledged && core_.failures.known(comm.world[member]) <= *comm.acknowledged;
  };
  int speaker = 0;
  for (int i = 1; i < size; ++i)
    if (fails(comm, i) > fails(comm, speaker)) speaker = i;
  Ballot own(comm), agreed(comm);
  own.set(flag, true);
  for (int i = 0; i < size; ++i)
    if (knows(i)) own.set(i);
  if (comm.rank != speaker) {
    send(comm, speaker, tag, own.bytes);
    (void)receive(comm, speaker, tag, agreed.bytes, Instant::never());  // it does not fail before this rank
  } else {
    std::vector<Ballot> ballots(static_cast<std::size_t>(size), own);
    std::vector<char> heard(static_cast<std::size_t>(size), 1);
    for (int i = 0; i < size; ++i)
      if (i != speaker)
        heard[static_cast<std::size_t>(i)] =
            receive(comm, i, tag, ballots[static_cast<std::size_t>(i)].bytes, Instant::never());
    int all = flag;
    for (int i = 0; i < size; ++i) {
      if (!heard[static_cast<std::size_t>(i)] || fails(comm, i) <= core_.clock.now()) continue;
      agreed.set(i);
      all &= ballots[static_cast<std::size_t>(i)].flag();
    }
    bool acknowledged = true;
    for (int i = 0; i < size; ++i)
      for (int dead = 0; dead < size; ++dead)
        if (agreed.of(i) && !agreed.of(dead))
          acknowledged = acknowledged && ballots[static_cast<std::size_t>(i)].of(dead);
    agreed.set(all, acknowledged);
    agreed.name(name);
    for (int i = 0; i < size; ++i)
      if (i != speaker && agreed.of(i)) send(comm, i, tag, agreed.bytes);
  }
  core_.wire.running(core_.clock.now());  // as after a join
  Agreement result{agreed.flag(), agreed.yes(), std::vector<char>(static_cast<std::size_t>(size)),
                   agreed.name()};
  for (int i = 0; i < size; ++i) result.alive[static_cast<std::size_t>(i)] = agreed.of(i);
  return result;
}

}  // namespace emu::rank
