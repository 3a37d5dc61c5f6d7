// Interface of the transport, which moves messages between ranks and makes their bounds known to each other.
//
// The order of events is correct if an implementation fulfils this contract; wire/table.h argues why its own does.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>

#include "match/message.h"

namespace emu::match {

// A collective operation in the background, for the deadlock report.
struct Running {
  const char* call = nullptr;  // the call that began it; null: no operation
  std::uint64_t context = 0;
  std::int32_t first = 0;       // as in Joined
  std::int64_t number = 0;      // as in Joined
  std::array<int, 4> peers{};   // the first ranks in MPI_COMM_WORLD whose messages it awaits
  std::int32_t peer_count = 0;  // number of all such ranks

  bool operator==(const Running&) const = default;
};

// Reason why a rank blocks, for the deadlock report.
struct Waiting {
  const char* call = "";  // "MPI_Recv"
  int peer = any_source;  // rank in MPI_COMM_WORLD, any_source, or `nobody`
  int tag = any_tag;
  int requests = 0;  // number of requests that the call waits for; 0 if it does not wait for requests
  Running behind;    // the operation that the first request represents

  static constexpr int nobody = -1;
  static constexpr int no_tag = -2;  // no tag of the program: a collective

  bool operator==(const Waiting&) const = default;
};

// A collective in which a rank takes part, for the deadlock report: the values that must be equal at all members.
struct Joined {
  const char* call = "";
  std::uint64_t context = 0;
  // The communicator's first member, as a rank in MPI_COMM_WORLD: other communicators may have an equal context.
  std::int32_t first = 0;
  std::int64_t number = 0;  // among the communicator's blocking collectives, or its others, from 1
  std::int32_t root = -1;   // -1: no root
  std::int64_t bytes = -1;  // for each member; -1: members may have different numbers
  bool background = false;
};

// A message lost because a node was down, for the deadlock report.
struct Loss {
  bool arriving;  // true: on arrival at this rank; false: not sent
  int peer;       // source or destination, in MPI_COMM_WORLD
  Instant at;     // when it would have arrived, or would have left
};

// Ranks whose future messages could still change an answer.
struct Sources {
  bool everyone = false;
  std::span<const int> named;  // if not everyone
  int except = -1;             // with everyone: excludes this rank

  bool nobody() const { return !everyone && named.empty(); }
};

// Several threads that share a rank. While one of them sleeps on the wire, others may use the rank.
class Sharing {
 public:
  virtual ~Sharing() = default;
  virtual bool several() = 0;
  // The thread sleeps now, at most for the returned time.
  virtual std::optional<std::chrono::nanoseconds> release() = 0;
  // The thread continues, as soon as no other thread uses the rank.
  virtual void take() = 0;
};

class Wire {
 public:
  virtual ~Wire() = default;

  // A message with room for `payload` bytes.
  virtual Message* allocate(model::Bytes payload) = 0;
  virtual void release(Message* message) = 0;

  // Hands the message over, announces it, and lowers the receiver's bound to its arrival, in this order and
  // before any later raise of this rank's own bound.
  virtual void deliver(int to, Message* message) = 0;

  // Takes the messages that have been handed over, oldest first per source, linked by `next`; null if there are none.
  // This and earlier calls return every message that was announced up to the value of announced() read before the call.
  virtual std::uint64_t announced() = 0;
  virtual Message* drain() = 0;

  // This rank runs, and will do nothing that another rank can notice before its clock.
  virtual void running(Instant clock) = 0;
  // As running(), for a rank with a server (Message::Kind::operation): the server acts
  // at `bound` or later, the rank itself at its clock, which may be later. Returns
  // false, and publishes nothing, if something was announced after `announced`.
  virtual bool serving(Instant clock, Instant bound, std::uint64_t announced) = 0;
  // This rank blocks, and does nothing before `bound` (never: nothing at all) unless a message arrives that was not
  // announced at `announced`. Such a message makes it act no earlier than `reaction` after the message's arrival, or
  // after its clock if that is later. Returns false, and publishes nothing, if something was announced
  // since: the rank has to drain again.
  struct Block {
    Instant clock;
    Instant bound;
    Interval reaction;
    Waiting why;
    std::span<const Waiting> other_waits = {};  // waits of other threads of the rank
    // If `bound` is that of a message in transit: the bound without such messages. The
    // wire may raise `bound` up to this value as it learns when such messages land.
    std::optional<Instant> without_transit = {};
  };
  virtual bool blocked(const Block& block, std::uint64_t announced) = 0;

  // For the deadlock report only. Called before any later raise of this rank's own bound.
  virtual void joins(const Joined&) {}
  virtual void lost(const Loss& loss) = 0;

  // Asks whether none of `sources` will send a message that arrives before `key` (and was not announced at
  // `announced`). Returns nothing if that is certain; otherwise a rank whose bound is too low, or this rank if
  // something was announced to it since.
  virtual std::optional<int> blocking_rank(const Arrival& key, const Sources& sources,
                                           std::uint64_t announced) = 0;

  // An instant, at most `most`, up to which blocking_rank() would return nothing for any key; it may
  // be less than the latest such instant. No value if something was announced to this rank since.
  virtual std::optional<Instant> horizon(const Sources& sources, Instant most, std::uint64_t announced) = 0;

  // Asks whether every message that `rank` sends before `at` has been announced, given that it does nothing
  // from then on. Returns nothing if so; otherwise as blocking_rank(), with `rank` as the blocking rank.
  virtual std::optional<int> short_of(int rank, Instant at, std::uint64_t announced) = 0;
  // --- messages in transit (contention/contention.h); unused by a wire without shared resources.
  // The landing of a message: a lower bound, or the certain instant.
  struct Landing {
    Instant at;
    bool certain = false;
    std::int32_t resource = -1;  // the resource that limited it last; -1: none
    // Picoseconds by which a certain landing is earlier per relative growth: of that resource's bandwidth, and of the
    // message's own rate.
    double by_resource = 0, by_own_rate = 0;
    const record::Path* path = nullptr;  // to a certain landing, on the bus; valid until landed()
  };
  virtual Landing landing(const Message& message) { return {message.arrival.at, true}; }
  // A count that changes whenever a landing may have changed. The caller reads it before the landings.
  virtual std::uint64_t landings() { return 0; }
  // No further message will come whose head reaches the resources before `until`, in the order of keys: computes what
  // happens there up to then.
  virtual void advance(const Arrival& /*until*/) {}
  // The landing of the message has been taken in.
  virtual void landed(Message&) {}

  // The least bound of this rank that another rank waits for; nothing if none waits.
  virtual std::optional<Instant> wanted() { return std::nullopt; }
  // Sleeps until something was announced after `announced`, or until the rank that the last blocking_rank() or short_of()
  // returned, if any, has the needed bound; may return spuriously. If every rank is blocked for good, reports the
  // deadlock and ends the job.
  virtual void sleep(std::uint64_t announced, bool blocking_rank) = 0;
};

}  // namespace emu::match
