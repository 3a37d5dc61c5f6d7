// CPU speed of one node over virtual time: a usual speed, and factors that change it at instants.
//
// Speeds and factors are whole billionths, instants whole picoseconds, so that equal descriptions give equal
// picoseconds on every host: work is done piece by piece in exact arithmetic, many repetitions of a periodic load in
// one step, and rounded at the end.
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
    Instant until;        // it applies at least until this instant
  };
  virtual ~Factor() = default;
  // The piece that begins at `at`.
  virtual Piece piece(Instant at) const = 0;
  virtual std::int64_t most() const = 0;  // upper bound
  // The period with which the factor repeats from `at` on, for ever; nothing if it does not repeat.
  virtual std::optional<Interval> round(Instant) const { return {}; }
};

// Factor that is 1 outside windows of time. Windows overlap only if their factors are equal.
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

// A recorded factor: 1 before the first step, from each step on the step's factor. With `loop_after`, the first step
// repeats this long after the last one, and so on for ever.
class Steps : public Factor {
 public:
  struct Step {
    Instant at;
    std::int64_t factor;
  };
  // At least one step, at ascending instants; loop_after is more than 0.
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
// 1/(1 + x) of it is left. x is uniformly distributed from 0 to twice the mean, and depends only on seed, node and
// period: rank/semantics.md, "Random load".
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

// Normally distributed random numbers with mean 0 and standard deviation 1, in
// millionths, which depend only on seed, stream and index: rank/semantics.md, "Spread".
std::int64_t normal(std::uint64_t seed, std::uint64_t stream, std::uint64_t index);

// Variation of work between pieces on the nodes of one group.
struct Jitter {
  std::int64_t deviation = 0;  // standard deviation of the factor on each piece, in millionths
  std::uint64_t seed = 1;

  // The work of piece number `piece` of `rank`, if the program declares `work`.
  Interval of(Interval work, int rank, std::uint64_t piece) const;
};
// value * (1 + deviation * z), with deviation and z in millionths; at least 1.
std::int64_t spread(std::int64_t value, std::int64_t deviation, std::int64_t z);

class Speed {
 public:
  explicit Speed(std::int64_t usual = one) : usual_(usual) {}  // billionths of the reference CPU's

  void vary(const Jitter& jitter) { jitter_ = jitter; }
  const Jitter& jitter() const { return jitter_; }
  // Multiplies the usual speed by `factor` billionths, rounded to a billionth; at least 1.
  void scale(std::int64_t factor);
  void change(std::shared_ptr<const Factor> factor) { factors_.push_back(std::move(factor)); }

  // The end of a piece of work, or its cut.
  struct Done {
    Instant at;
    Interval idle;            // time at speed 0
    std::int64_t begin, end;  // the speeds at the start and at the end; cut off: `end` is 0
  };
  // For work that takes the reference CPU `work`, begun at `start` and cut off at `limit`. `at` is never if nothing
  // ends it.
  Done done(Interval work, Instant start, Instant limit = Instant::never()) const;
  std::int64_t at(Instant instant) const { return piece(instant).factor; }
  std::int64_t fastest() const;  // upper bound
  bool steady() const { return factors_.empty(); }
  // The instant from which the speed is 0 for ever, or never.
  Instant stops() const;

 private:
  class Walk;
  // From some instant on, all factors repeat `number` times, with this period.
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
