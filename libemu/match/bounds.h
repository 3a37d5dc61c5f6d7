// Bounds of ranks: publication of the own bound, questions about those of others, and the sleep until one of them
// rises.
//
// `announced` is a value of Transport::announced(), read before the rank drained.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "match/deadlock_report.h"
#include "match/envelope.h"

namespace emu::match {

// Ranks whose future messages could still change an answer.
struct Sources {
  bool everyone = false;
  std::span<const int> named;  // if not everyone
  int except = -1;             // with everyone: excludes this rank

  bool nobody() const { return !everyone && named.empty(); }
};

class Bounds {
 public:
  virtual ~Bounds() = default;

  // --- the own bound
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
  // The least bound of this rank that another rank waits for; nothing if none waits.
  virtual std::optional<Instant> wanted() { return std::nullopt; }

  // --- bounds of other ranks
  // Asks whether none of `sources` will send a message that arrives before `key` (and was not announced at
  // `announced`). Returns nothing if that is certain; otherwise a rank whose bound is too low, or this rank if
  // something was announced to it since.
  virtual std::optional<int> blocking_rank(const Arrival& key, const Sources& sources,
                                           std::uint64_t announced) = 0;
  // An instant, at most `most`, up to which blocking_rank() would return nothing for any key; it may
  // be less than the latest such instant. No value if something was announced to this rank since.
  virtual std::optional<Instant> horizon(const Sources& sources, Instant most, std::uint64_t announced) = 0;
  // Asks whether every message that `rank` sends before `at` has been announced, given that it does nothing
  // from then on. Returns nothing if so; otherwise `rank`, whose bound is below `at`, or this rank as blocking_rank().
  virtual std::optional<int> bound_below(int rank, Instant at, std::uint64_t announced) = 0;

  // --- the sleep
  enum class WakeUp {
    announcement,  // something was announced after `announced`
    bound,  // also: the rank that the last blocking_rank() or bound_below() returned has the needed bound
  };
  // Sleeps until then; may return spuriously. If the rank sleeps until an announcement, and every rank does so for
  // good, reports the deadlock and ends the job.
  virtual void sleep(std::uint64_t announced, WakeUp wake_up) = 0;
};

}  // namespace emu::match
