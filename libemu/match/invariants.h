// Check of the promises between one rank and the others. The rule of order is right if all of it is kept (wire/table.h
// argues why it is), so what is not is an error of the library's own: better noticed than trusted.
//
// - Others to this rank: once nobody stands in the way of a key (match/wire.h), no message comes any more that
//   arrives before it.
// - This rank to others: its clock does not go back; nor does the bound that it published, but to what arrives
//   meanwhile; it does nothing before that bound; and what it sends takes the least time of a message from there on.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/paged.h"
#include "match/wire.h"

namespace emu::match {

struct Violation {
  enum class Kind {
    late,      // a message of `other` came that arrives before what was promised
    backward,  // this rank's clock went back
    fell,      // this rank's bound fell below what it had promised
    sent,      // this rank sends to `other` what arrives sooner than it promised
  };
  Kind kind;
  int other = -1;
  Instant at;        // of what breaks it
  Instant promised;  // no earlier than this
};

// In words, for the one who reports it. `call`, `other_call`: what this rank and the other one are about.
std::string describe(const Violation& broken, int self, const std::string& call,
                     const std::string& other_call);

class Invariants {
 public:
  // `lookahead`: the least time from a rank's act to an arrival elsewhere.
  Invariants(int self, int ranks, Interval lookahead)
      : self_(self), lookahead_(lookahead), named_(static_cast<std::size_t>(ranks)) {}

  // --- what others promise
  // Nobody stands in the way of `key`.
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
  // Nothing arrives up to `until`, as long as this rank does nothing that others could answer.
  void clear_ahead(Instant until, const Sources& sources) {
    ahead_ = until;
    ahead_everyone_ = sources.everyone;
    ahead_except_ = sources.except;
    ahead_sources_.assign(sources.named.begin(), sources.named.end());
  }
  // A message has come in. This rank's own are not promised by anyone.
  [[gnu::hot]] std::optional<Violation> came(const Message& m) {
    const int source = m.arrival.source;
    if (source != self_) {
      // Whoever is excepted may still send what comes before; others_ is what all that are not have promised.
      const Arrival& all = source == except_ ? others_ : all_;
      const Arrival& promised = std::max(all, std::as_const(named_)[static_cast<std::size_t>(source)]);
      if (m.arrival < promised) return Violation{Violation::Kind::late, source, m.arrival.at, promised.at};
      if (m.arrival.at <= ahead_ && clear_ahead_of(source))
        return Violation{Violation::Kind::late, source, m.arrival.at, ahead_};
    }
    // What it does for another one it does when that arrives, though its own clock be further.
    acts_ = std::min(acts_, m.kind == Message::Kind::operation ? m.arrival.at
                                                               : std::max(m.arrival.at, clock_) + reaction_);
    return std::nullopt;
  }

  // --- what this rank promises
  [[gnu::hot]] std::optional<Violation> publishes(Instant clock, Instant bound, Interval reaction) {
    if (clock < clock_) return Violation{Violation::Kind::backward, -1, clock, clock_};
    clock_ = clock;
    if (bound < acts_) return Violation{Violation::Kind::fell, -1, bound, acts_};
    acts_ = std::max(acts_, bound);
    reaction_ = reaction;
    return std::nullopt;
  }
  [[gnu::hot]] std::optional<Violation> sends(int to, const Message& m) {
    ahead_ = std::min(ahead_, m.arrival.at);  // what answers it arrives later
    const Instant soonest = acts_ + lookahead_;
    // What it sends to itself is nobody else's business, and may take less.
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
  // Of everyone but `except_`; and, no later, of him too. except_ -1: of everyone.
  Arrival all_ = nothing(), others_ = nothing();
  int except_ = -1;
  Paged<Arrival, 64> named_;  // by rank
  Instant ahead_ = Instant() - Interval::picoseconds(1);
  bool ahead_everyone_ = false;
  int ahead_except_ = -1;
  std::vector<int> ahead_sources_;
  Instant clock_;  // the last published
  Instant acts_;   // not before
  Interval reaction_;
};

}  // namespace emu::match
