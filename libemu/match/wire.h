// The seam to whatever moves messages between ranks and lets them know of each other's bounds.
//
// Safety of the order rests on what an implementation promises here; wire/table.h argues why its own does.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>

#include "match/message.h"

namespace emu::match {

// A collective operation in the background, for the report of a deadlock.
struct Running {
  const char* call = nullptr;  // that began it; null: there is none
  std::uint64_t context = 0;
  std::int32_t first = 0;       // as in Joined
  std::int64_t number = 0;      // as in Joined
  std::array<int, 4> peers{};   // the first ranks in MPI_COMM_WORLD whose messages it waits for
  std::int32_t peer_count = 0;  // how many of them there are, also beyond these

  bool operator==(const Running&) const = default;
};

// Why a rank blocks, for the report of a deadlock.
struct Waiting {
  const char* call = "";  // "MPI_Recv"
  int peer = any_source;  // rank in MPI_COMM_WORLD, any_source, or `nobody`
  int tag = any_tag;
  int requests = 0;  // how many requests the call waits for; 0 if it is not about requests
  Running behind;    // what the first of them stands for

  static constexpr int nobody = -1;
  static constexpr int no_tag = -2;  // none that the program gave: of a collective

  bool operator==(const Waiting&) const = default;
};

// A collective operation that a rank takes part in, for the report of a deadlock: in what all members have to agree.
struct Joined {
  const char* call = "";
  std::uint64_t context = 0;
  // The communicator's first member, as a rank in MPI_COMM_WORLD: others may have its context.
  std::int32_t first = 0;
  std::int64_t number = 0;  // among the communicator's collectives that wait, or its others, from 1
  std::int32_t root = -1;   // -1: it has none
  std::int64_t bytes = -1;  // for each member; -1: members may have others
  bool background = false;
};

// A message lost because a node was down, for the report of a deadlock.
struct Loss {
  bool arriving;  // at this rank; otherwise it was not sent any more
  int peer;       // in MPI_COMM_WORLD: whom it came from, or was for
  Instant at;     // when it would have arrived, or left
};

// Ranks whose future messages could still change an answer.
struct Sources {
  bool everyone = false;
  std::span<const int> named;  // otherwise these
  int except = -1;             // never this one

  bool nobody() const { return !everyone && named.empty(); }
};

// Several threads that take turns with a rank. While one of them sleeps on the wire, others may have it.
class Sharing {
 public:
  virtual ~Sharing() = default;
  virtual bool several() = 0;
  // It sleeps now, at most so long.
  virtual std::optional<std::chrono::nanoseconds> release() = 0;
  // It goes on, once nobody else has the rank.
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

  // Takes what has been handed over, oldest first per source, linked by `next`; null if nothing. Everything
  // that was announced up to `announced()` read before the call is in it or in an earlier one.
  virtual std::uint64_t announced() = 0;
  virtual Message* drain() = 0;

  // This rank runs and will do nothing that another can notice before its clock.
  virtual void running(Instant clock) = 0;
  // The same of a rank that serves others (Message::Kind::operation): what it does for them it does at `bound` or later,
  // and what it does itself at its clock, which may be beyond. False, and nothing is published, if something was announced
  // after `announced`.
  virtual bool serving(Instant clock, Instant bound, std::uint64_t announced) = 0;
  // This rank blocks and does nothing before `bound` (never: nothing at all), as long as nothing arrives that
  // was not announced at `announced`. What arrives later makes it act no earlier than `reaction` after its
  // arrival, or after its clock if that is later. False, and nothing is published, if something was announced
  // since: drain again.
  struct Block {
    Instant clock;
    Instant bound;
    Interval reaction;
    Waiting why;
    std::span<const Waiting> beside = {};  // what other threads of the rank wait for
    // Where `bound` is that of a message in transit: the bound if there were none. The wire may raise `bound` up to there as
    // it comes to know when such messages land.
    std::optional<Instant> without_transit = {};
  };
  virtual bool blocked(const Block& block, std::uint64_t announced) = 0;

  // For the report alone; before any later raise of this rank's own bound.
  virtual void joins(const Joined&) {}
  virtual void lost(const Loss& loss) = 0;

  // The rule of order's question: is it certain that none of `sources` will send a message that arrives
  // before `key` (and was not announced at `announced`)? If not: a rank that stands in the way, this one if
  // something was announced to it since.
  virtual std::optional<int> in_the_way(const Arrival& key, const Sources& sources,
                                        std::uint64_t announced) = 0;

  // An instant up to which in_the_way() would find nobody in the way of any key, `most` at the furthest; it may be
  // known for less than what is true. Nothing if something was announced to this rank since.
  virtual std::optional<Instant> horizon(const Sources& sources, Instant most, std::uint64_t announced) = 0;

  // Whether all that `rank` ever sends before `at` has been announced, where it is known to do nothing from
  // then on. If not: as in_the_way(), with `rank` in the way.
  virtual std::optional<int> short_of(int rank, Instant at, std::uint64_t announced) = 0;
  // --- messages in transit (contention/contention.h). A wire that carries none has no use for these.
  // When it lands: no sooner, or for certain.
  struct Landing {
    Instant at;
    bool certain = false;
    std::int32_t resource = -1;  // that it waited for last; -1: for none
  };
  virtual Landing landing(const Message& message) { return {message.arrival.at, true}; }
  // As long as it stays, so do the landings of all messages that have come. To be read before them.
  virtual std::uint64_t landings() { return 0; }
  // No message whose head comes to the resources before `until` is still to come: works out what happens there up to then,
  // and, at that instant, those of sources up to `source`.
  virtual void advance(Instant /*until*/, int /*source*/) {}
  // Its landing has been taken in.
  virtual void landed(Message&) {}

  // The least bound of this rank that another one waits for; nothing: none does.
  virtual std::optional<Instant> wanted() { return std::nullopt; }
  // Sleeps until something was announced after `announced`, or the rank that the last in_the_way() or
  // short_of() named, if it named one, is out of the way, or for no reason. If every rank is blocked for
  // good, reports the deadlock and ends the job.
  virtual void sleep(std::uint64_t announced, bool in_the_way) = 0;
};

}  // namespace emu::match
