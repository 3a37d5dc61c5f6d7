// Accounts of one rank of a skeleton during a run. The arithmetic and its order are those of the C program
// (skeleton/generate/prelude.h), so that both predict the same time.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "skeleton/fold/variation.h"
#include "skeleton/generate/generate.h"

namespace emu::skeleton {

struct Samples {
  double last = 0, sum = 0, squares = 0;
  long count = 0;
};

class Accounts {
 public:
  double weight = 1, predicted = 0, scaled = 0, whole = 0, variance = 0;

  void account(double at) {
    const double taken = at - since_;
    since_ = at;
    predicted += weight * taken;
    (weight > 1 ? scaled : whole) += taken;
  }
  void weigh(double factor, double at) {
    account(at);
    weight *= factor;
  }
  static void sample(Samples& s, bool first, double at) {
    const double taken = at - s.last;
    s.last = at;
    if (first) return;
    s.sum += taken;
    s.squares += taken * taken;
    ++s.count;
  }
  void end_of_samples(Samples& s) {
    if (s.count > 1) {
      const double mean = s.sum / static_cast<double>(s.count),
                   spread = s.squares / static_cast<double>(s.count) - mean * mean;
      if (spread > 0) variance += weight * weight * spread * static_cast<double>(s.count);
    }
    s.sum = s.squares = 0;
    s.count = 0;
  }

 private:
  double since_ = 0;
};

// Number of executions of a loop this time, if the mean number is `mean`.
inline long times(double mean, double& left) {
  left += mean;
  const auto n = static_cast<long>(left + 0.5);
  left -= static_cast<double>(n);
  return n;
}

inline constexpr long most_turns_kept = 64;

// Order of the recorded times of a step whose work differs between executions.
struct Turns {
  int count = 0, at = 0;
  std::array<unsigned char, most_turns_kept> order{};
};

class Random {
 public:
  explicit Random(int rank) : rank_(rank) {}

  double turn(const std::array<double, class_ends.size()>& of_class, Turns& t, double together) {
    if (t.at == 0) shuffle(t, together);
    const auto place = static_cast<std::size_t>(t.at);
    const double from = static_cast<double>(t.order[place]) / t.count,
                 until = (t.order[place] + 1.0) / t.count;
    t.at = (t.at + 1) % t.count;
    double begin = 0, sum = 0;
    for (std::size_t i = 0; i < class_ends.size(); ++i) {
      const double low = begin > from ? begin : from, high = class_ends[i] < until ? class_ends[i] : until;
      if (high > low) sum += (high - low) * of_class[i];
      begin = class_ends[i];
    }
    return sum * t.count;
  }

 private:
  static std::uint64_t next(std::uint64_t& state) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state >> 11;
  }
  // Draws an order that is equal on all ranks, except for a share of 1 - `together`.
  void shuffle(Turns& t, double together) {
    if (own_ == 0) own_ = of_all_ * static_cast<std::uint64_t>(2 * rank_ + 3);
    std::array<unsigned char, most_turns_kept> apart{};
    const auto swap = [&](unsigned char& a, unsigned char& b) { std::swap(a, b); };
    std::size_t n = 0;
    const auto count = static_cast<std::size_t>(t.count);
    for (std::size_t i = 0; i < count; ++i) t.order[i] = static_cast<unsigned char>(i);
    for (std::size_t i = count; i-- > 1;) swap(t.order[i], t.order[next(of_all_) % (i + 1)]);
    for (std::size_t i = 0; i < count; ++i)
      if (static_cast<double>(next(of_all_) % 1000000) >= 1e6 * together)
        apart[n++] = static_cast<unsigned char>(i);
    for (std::size_t i = n; i-- > 1;) swap(t.order[apart[i]], t.order[apart[next(own_) % (i + 1)]]);
  }

  const int rank_;
  std::uint64_t of_all_ = 0x9e3779b97f4a7c15u, own_ = 0;
};

// The summary of the accounts of all ranks. `all` has an entry for each rank.
inline Outcome outcome_of(const std::vector<Accounts>& all) {
  std::size_t last = 0;
  for (std::size_t i = 1; i < all.size(); ++i)
    if (all[i].predicted > all[last].predicted) last = i;
  const Accounts& latest_account = all[last];
  double least = latest_account.predicted;
  double soonest = latest_account.scaled + latest_account.whole, latest = soonest;
  for (const Accounts& each : all) {
    const double ran = each.scaled + each.whole;
    if (each.scaled == 0) continue;
    if (each.predicted < least) least = each.predicted;
    if (ran < soonest) soonest = ran;
    if (ran > latest) latest = ran;
  }
  double half = 1.96 * std::sqrt(latest_account.variance);
  if (latest_account.predicted - least > latest - soonest)
    half += latest_account.predicted - least - (latest - soonest);
  Outcome outcome;
  outcome.predicted = latest_account.predicted;
  outcome.scaled = latest_account.scaled;
  outcome.whole = latest_account.whole;
  outcome.factor = latest_account.scaled > 0 ? (outcome.predicted - outcome.whole) / outcome.scaled : 1;
  outcome.half_width = half;
  outcome.ran = outcome.scaled + outcome.whole;
  return outcome;
}

}  // namespace emu::skeleton
