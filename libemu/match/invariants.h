// Run-time check of the promises between one rank and the others. If all promises are kept, the order of events is
// correct (wire/table.h argues why they are), so a broken promise is an error in the library, which must not remain
// unnoticed.
//
// - Others to this rank: once no rank blocks a key (match/bounds.h), no further message
//   arrives before it.
// - This rank to others: its clock does not go back. Its published bound falls only to arrivals of messages that come
//   meanwhile. It does nothing before that bound. Its messages take at least the lookahead from there on.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/paged.h"
#include "match/bounds.h"
#include "match/message.h"

namespace emu::match {

struct Violation {
  enum class Kind {
    late,      // a message of `other` came that arrives before the promised instant
    backward,  // this rank's clock went back
    fell,      // this rank's bound fell below its promise
    sent,      // this rank sends a message to `other` that arrives earlier than promised
  };
  Kind kind;
  int other = -1;
  Instant at;        // of the violation
  Instant promised;  // nothing was to happen earlier
};

// The violation in words. `call`, `other_call`: the current calls of this rank and of the other one.
std::string describe(const Violation& broken, int self, const std::string& call,
                     const std::string& other_call);

class Invariants {
 public:
  // `lookahead`: the least time from a rank's act to an arrival at another rank.
  Invariants(int self, int ranks, Interval lookahead)
      : self_(self), lookahead_(lookahead), named_(static_cast<std::size_t>(ranks)) {}

  // --- promises of other ranks
  // No rank blocks `key`.
  [[gnu::hot]] void clear(const Arrival& key, const Sources& sources) {
    if (!sources.everyone) {
      for (const int source : sources.named) raise(named_[static_cast<std::size_t>(source)], key);
    } else if (sources.except == except_) {
      raise(all_, key);
    } else if (all_ < key) {
      if (others_ < all_) others_ = all_;
      all_ = key;
      except_ = sources.except;
    } else {
      raise(others_, key);
    }
  }
  // No message arrives up to `until`, as long as this rank does nothing that others could answer.
  void clear_ahead(Instant until, const Sources& sources) {
    ahead_ = until;
    ahead_everyone_ = sources.everyone;
    ahead_except_ = sources.except;
    ahead_sources_.assign(sources.named.begin(), sources.named.end());
  }
  // A message has come in. Messages of this rank itself are exempt.
  [[gnu::hot]] std::optional<Violation> came(const Message& m) {
    const int source = m.arrival.source;
    if (source != self_) {
      // The excepted rank may still send earlier messages; others_ is the promise that includes it.
      const Arrival& all = source == except_ ? others_ : all_;
      const Arrival& promised = std::max(all, std::as_const(named_)[static_cast<std::size_t>(source)]);
      if (m.arrival < promised) return Violation{Violation::Kind::late, source, m.arrival.at, promised.at};
      if (m.arrival.at <= ahead_ && clear_ahead_of(source))
        return Violation{Violation::Kind::late, source, m.arrival.at, ahead_};
    }
    // A server acts at the arrival of an operation, even if the rank's clock is later.
    acts_ = std::min(acts_, m.kind == Message::Kind::operation ? m.arrival.at
                                                               : std::max(m.arrival.at, clock_) + reaction_);
    return std::nullopt;
  }

  // --- promises of this rank
  [[gnu::hot]] std::optional<Violation> publishes(Instant clock, Instant bound, Interval reaction) {
    if (clock < clock_) return Violation{Violation::Kind::backward, -1, clock, clock_};
    clock_ = clock;
    if (bound < acts_) return Violation{Violation::Kind::fell, -1, bound, acts_};
    acts_ = std::max(acts_, bound);
    reaction_ = reaction;
    return std::nullopt;
  }
  [[gnu::hot]] std::optional<Violation> sends(int to, const Message& m) {
    ahead_ = std::min(ahead_, m.arrival.at);  // answers to the message arrive later
    const Instant soonest = acts_ + lookahead_;
    // Other ranks do not see its messages to itself, which may take less time.
    if (to != self_ && m.arrival.at < soonest)
      return Violation{Violation::Kind::sent, to, m.arrival.at, soonest};
    return std::nullopt;
  }

 private:
  bool clear_ahead_of(int source) const {
    if (ahead_everyone_) return source != ahead_except_;
    return std::find(ahead_sources_.begin(), ahead_sources_.end(), source) != ahead_sources_.end();
  }
  static void raise(Arrival& promised, const Arrival& key) {
    if (promised < key) promised = key;
  }
  static constexpr Arrival nothing() { return {Instant(), std::numeric_limits<int>::min(), 0}; }

  const int self_;
  const Interval lookahead_;
  // all_: promise of all ranks except `except_` (-1: no exception). others_: promise of `except_` too, no later than
  // all_.
  Arrival all_ = nothing(), others_ = nothing();
  int except_ = -1;
  Paged<Arrival, 64> named_;  // by rank
  Instant ahead_ = Instant() - Interval::picoseconds(1);
  bool ahead_everyone_ = false;
  int ahead_except_ = -1;
  std::vector<int> ahead_sources_;
  Instant clock_;  // as published last
  Instant acts_;   // lower bound of its next act
  Interval reaction_;
};

}  // namespace emu::match
