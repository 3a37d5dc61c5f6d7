// CPU speed of one node over virtual time: a usual speed, and factors that change it at instants.
//
// Speeds and factors are whole billionths, instants whole picoseconds, so that the same description gives the
// same picoseconds everywhere: work is taken off piece by piece in exact arithmetic, many equal rounds of
// what comes again and again at once, and rounded in the end.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/time.h"

namespace emu::model {

inline constexpr std::int64_t one = 1'000'000'000;  // the speed of the reference CPU; the factor 1

// A factor over time.
class Factor {
 public:
  struct Piece {
    std::int64_t factor;  // billionths
    Instant until;        // it holds up to here, at least
  };
  virtual ~Factor() = default;
  // From `at` on.
  virtual Piece piece(Instant at) const = 0;
  virtual std::int64_t most() const = 0;  // it is never more
  // From `at` on it does the same again and again, for ever, each time for so long; nothing: it does not.
  virtual std::optional<Interval> round(Instant) const { return {}; }
};

// 1, but for windows of time. They do not overlap, unless they have the same factor.
class Windows : public Factor {
 public:
  struct Window {
    Instant from, until;  // [from, until)
    std::int64_t factor;
  };
  explicit Windows(std::vector<Window> windows) : windows_(std::move(windows)) {}
  Piece piece(Instant at) const override;
  std::int64_t most() const override;

 private:
  std::vector<Window> windows_;
};

// As recorded: 1 before the first step, from each step on its factor. With `loop_after`, the first step comes
// again so long after the last one, and so on for ever.
class Steps : public Factor {
 public:
  struct Step {
    Instant at;
    std::int64_t factor;
  };
  // At least one step, at growing instants; loop_after is more than 0.
  Steps(std::vector<Step> steps, std::optional<Interval> loop_after)
      : steps_(std::move(steps)), loop_after_(loop_after) {}
  Piece piece(Instant at) const override;
  std::int64_t most() const override;
  std::optional<Interval> round(Instant at) const override;

 private:
  std::vector<Step> steps_;
  std::optional<Interval> loop_after_;
};

// Random load: in each period other processes share the CPU, x of them on average over the period, so that
// 1/(1 + x) of it is left. x is evenly distributed from 0 to twice the mean, and follows from seed, node and
// period alone: rank/semantics.md, "Random load".
class Load : public Factor {
 public:
  Load(std::int64_t mean_millionths, Interval period, std::uint64_t seed, int node)
      : mean_(mean_millionths), period_(period), seed_(seed), node_(node) {}
  Piece piece(Instant at) const override;
  std::int64_t most() const override { return one; }

 private:
  std::int64_t mean_;
  Interval period_;
  std::uint64_t seed_;
  int node_;
};

// Normally distributed random numbers, mean 0, standard deviation 1, in millionths, that follow from seed, stream and
// index alone: rank/semantics.md, "Spread".
std::int64_t normal(std::uint64_t seed, std::uint64_t stream, std::uint64_t index);

// The variation of work from piece to piece on the nodes of one group.
struct Jitter {
  std::int64_t deviation = 0;  // standard deviation of the factor on each piece, in millionths
  std::uint64_t seed = 1;

  // The work of piece number `piece` of `rank`, of which the program says `work`.
  Interval of(Interval work, int rank, std::uint64_t piece) const;
};
// value * (1 + deviation * z), with deviation and z in millionths; at least 1.
std::int64_t spread(std::int64_t value, std::int64_t deviation, std::int64_t z);

class Speed {
 public:
  explicit Speed(std::int64_t usual = one) : usual_(usual) {}  // billionths of the reference CPU's

  void vary(const Jitter& jitter) { jitter_ = jitter; }
  const Jitter& jitter() const { return jitter_; }
  // The usual speed times so many billionths, rounded to a billionth; at least 1.
  void scale(std::int64_t factor);
  void change(std::shared_ptr<const Factor> factor) { factors_.push_back(std::move(factor)); }

  // Where work came to its end, or was cut off.
  struct Done {
    Instant at;
    Interval idle;            // what it took at speed 0
    std::int64_t begin, end;  // the speeds with which it began and ended; cut off: `end` is 0
  };
  // Of work that the reference CPU does in `work`, begun at `start` and cut off at `limit`. At never, if nothing
  // ends it.
  Done done(Interval work, Instant start, Instant limit = Instant::never()) const;
  std::int64_t at(Instant instant) const { return piece(instant).factor; }
  std::int64_t fastest() const;  // it is never more
  bool steady() const { return factors_.empty(); }
  // From then on it is 0 for ever; never: there is no such instant.
  Instant stops() const;

 private:
  class Walk;
  // From some instant on all factors do `number` times the same, each time for `length`.
  struct Rounds {
    Interval length;
    std::int64_t number;
  };
  Factor::Piece piece(Instant at) const;
  Rounds rounds(Instant from, Instant limit) const;
  Done done(Walk walk, Instant limit) const;

  std::int64_t usual_;
  Jitter jitter_;
  std::vector<std::shared_ptr<const Factor>> factors_;
};

}  // namespace emu::model
