// Least makespan for costs that never decrease.
//
// A test decides exactly if n items can be processed by T. Bisection between a lower bound and the makespan of a good
// distribution finds the least T. The test is monotone in T: a distribution that ends by T ends by any later T.
//
// First the ranges of items that each processor can get in a distribution better than the best known one are
// narrowed down (search_space.h), from all numbers to a few: costs are evaluated only there. Then, for each T,
// the processors are processed in sending order. A state is the number of items that the first i have got, and
// the instant at which the root has sent them. Of two states, the one with no fewer items and no later time is
// at least as good, because items can be removed at no cost: the other one is dropped. A state is also dropped
// if the later processors cannot take the remaining items in the remaining time, by the bounds of
// relaxation.h. Nothing else is left out, so the result is exact. (Giving each processor in turn as much as it
// can finish by T is not: its items may delay the root just so much that each later processor loses one.)
//
// The search is fast because the bounds are close to the exact values if costs are linear, affine
// or convex, or nearly so. At a T near the least one, only some tens of items can be given up
// without falling below n, so each processor's number is one of few, and there are few states.

#include <algorithm>
#include <limits>
#include <optional>

#include "base/units.h"
#include "scatter/exact.h"
#include "scatter/exchange.h"
#include "scatter/search_space.h"

namespace emu::scatter {
namespace {

constexpr std::int64_t most_kept_steps = 10'000'000;  // of 32 bytes each, at most
constexpr Items first_look = 256;                     // number of values of each cost
constexpr Items few_items = 4096;  // up to this number, all values of functions are evaluated first
constexpr Items most_looks = Items{1} << 20;

struct State {
  Items given;        // to the processors so far
  Interval port;      // the instant at which the root has sent them
  Items here;         // number of these that the last processor gets
  std::int32_t from;  // the preceding state, one level up
};

class Search {
 public:
  explicit Search(const Problem& problem)
      : problem_(problem),
        n_(problem.items),
        p_(problem.processors.size()),
        space_(problem),
        exchanges_(exchanges(problem)) {}

  Result<Bracket> solve() {
    best_ = uniform(n_, p_);
    most_ = end_of(best_);
    for (std::size_t i = 0; i < p_; ++i) {
      std::vector<Items> all(p_, 0);
      all[i] = n_;
      take(all);
    }
    narrow();
    bisect();
    if (const auto good = space_.check(); !good) return tl::unexpected(good.error());
    return Bracket{plan(problem_, best_), std::min(least_, most_)};
  }

 private:
  static constexpr Interval ps = Interval::picoseconds(1);

  // The makespan, with evaluated values that are remembered.
  Interval end_of(const std::vector<Items>& counts) const {
    Interval port, last;
    for (std::size_t i = 0; i < p_; ++i) {
      const Row& row = space_.rows()[i];
      port = plus(port, row.send.of(counts[i]));
      last = std::max(last, plus(port, row.compute.of(counts[i])));
    }
    return last;
  }

  void take(const std::vector<Items>& counts) {
    const Interval end = end_of(counts);
    if (end >= most_) return;
    best_ = counts;
    most_ = end;
  }

  // --- search space

  // Every distribution better than the best known one is in the space; or none is better, if least_ reaches most_.
  void narrow() {
    Items looks = first_look;
    while (least_ < most_) {
      if (!space_.reach(most_ - ps)) return none_better();
      space_.look(looks);
      improve();
      if (least_ >= most_ || space_.all_affine() || !space_.coarse()) break;
      const long double before = space_.width();
      if (!space_.reach(most_ - ps) || !space_.narrow()) return none_better();
      if (space_.width() <= before / 2) continue;
      looks *= 4;
      if (looks > most_looks) break;
    }
    if (!space_.all_affine() && least_ < most_) space_.keep();
  }

  void none_better() { least_ = most_; }

  // Finds better distributions, and bounds that are close at the best one.
  void improve() {
    for (int round = 0; round < 3 && least_ < most_; ++round) {
      const Interval before = most_;
      space_.touch(best_, least_);
      least_ = std::max(least_, space_.least_time());
      fill();
      if (round > 0 && most_ == before) break;
    }
  }

  void fill() {
    Interval low = least_, high = most_ - ps;
    // To the picosecond only if all values are known.
    const Interval close =
        Interval::picoseconds(space_.all_affine() || !space_.coarse() ? 0 : (high - low).picoseconds() / 64);
    while (low + close <= high) {
      const Interval middle = low + Interval::picoseconds((high - low).picoseconds() / 2);
      Items left = 0;
      const auto counts = space_.filled(middle, left);
      if (left == 0) {
        take(counts);
        high = middle - ps;
      } else {
        low = middle + ps;
      }
    }
  }

  // --- exact search

  // No distribution ends before least_; `best_` ends by most_.
  void bisect() {
    for (std::int64_t step = 1; least_ < most_;) {
      // Starts from below, where few alternatives remain to be tried.
      const std::int64_t half = (most_ - least_).picoseconds() / 2;
      const Interval at = least_ + Interval::picoseconds(std::min(step - 1, half));
      const auto counts = by(at);
      if (steps_ > most_kept_steps) return;
      if (counts) {
        take(*counts);
        step = std::numeric_limits<std::int64_t>::max();  // bisection from here on
      } else {
        least_ = at + ps;
        if (step < std::numeric_limits<std::int64_t>::max() / 8) step *= 8;
      }
    }
  }

  std::optional<std::vector<Items>> by(Interval end) {
    levels_.assign(1, {State{0, Interval(), 0, -1}});
    for (std::size_t i = 0; i < p_; ++i) {
      std::vector<State> next;
      for (std::size_t s = 0; s < levels_[i].size(); ++s) {
        grow(i, levels_[i][s], static_cast<std::int32_t>(s), end, next);
        if (steps_ > most_kept_steps) return {};
      }
      if (next.empty()) return {};
      levels_.push_back(thinned(std::move(next), exchanges_[i]));
    }
    return counts_of_last();
  }

  // The numbers that processor i can get after `state`.
  void grow(std::size_t i, const State& state, std::int32_t number, Interval end, std::vector<State>& next) {
    const Row& row = space_.rows()[i];
    const Frontier& behind = space_.from(i + 1);
    const Interval time = end - state.port;
    const Items left = n_ - state.given;
    const long double wanted = space_.wanted(left), until = static_cast<long double>(time.picoseconds());
    const auto take = [&](Items e) {
      ++steps_;
      const Interval sent = row.send.of(e);
      const long double after = static_cast<long double>((time - sent).picoseconds());
      if (static_cast<long double>(e) + behind.in(after) >= wanted)
        next.push_back({state.given + e, state.port + sent, e, number});
    };
    if (row.none && plus(row.send.of(0), row.compute.of(0)) <= time) take(0);
    const Items most = space_.fitting(i, time, left);
    if (most == 0) return;
    // Upper bound of the items that result from e here, by the line below the sending cost. It is
    // a convex function of e, so it is large enough for the largest numbers and for the smallest.
    const auto hopeful = [&](Items e) {
      return static_cast<long double>(e) + behind.in(until - row.send_line.of(e)) >= wanted;
    };
    const Exchange& exchange = exchanges_[i];
    const Exchange::Wide needless =
        exchange.spent(row.send.of(most), most) + exchange.margin + exchange.own_margin;
    Items e = most;
    for (Items below; e >= row.least && hopeful(e) && steps_ <= most_kept_steps; e = below) {
      const Interval sent = row.send.of(e);
      if (e < most && exchange.rising && exchange.spent(sent, e) >= needless) return;
      take(e);
      below = e - 1;
      // Fewer items that occupy the root equally long are useless.
      if (below >= row.least && row.send.of(below) == sent) below = cheaper(row, below, sent);
    }
    for (Items k = row.least; k <= e && hopeful(k) && steps_ <= most_kept_steps; ++k) take(k);
  }

  // The greatest number below e that costs less to send than `sent`.
  static Items cheaper(const Row& row, Items e, Interval sent) {
    if (row.send.of(row.least) == sent) return row.least - 1;
    Items good = row.least;
    while (e - good > 1) {
      const Items middle = good + (e - good) / 2;
      (row.send.of(middle) < sent ? good : e) = middle;
    }
    return good;
  }

  // Removes the states that another one dominates.
  static std::vector<State> thinned(std::vector<State> states, const Exchange& exchange) {
    std::sort(states.begin(), states.end(), [](const State& a, const State& b) {
      return a.given != b.given ? a.given > b.given : a.port < b.port;
    });
    std::size_t kept = 0;
    Exchange::Wide least = 0;
    for (const State& state : states) {
      const Exchange::Wide spent = exchange.spent(state.port, state.given);
      if (kept > 0 && (state.port >= states[kept - 1].port || spent >= least + exchange.margin)) continue;
      least = kept > 0 ? std::min(least, spent) : spent;
      states[kept++] = state;
    }
    states.resize(kept);
    return states;
  }

  std::optional<std::vector<Items>> counts_of_last() const {
    std::vector<Items> counts(p_);
    const State* state = &levels_.back().front();
    if (state->given != n_) return {};
    for (std::size_t i = p_; i-- > 0;) {
      counts[i] = state->here;
      state = &levels_[i][static_cast<std::size_t>(state->from)];
    }
    return counts;
  }

  const Problem& problem_;
  const Items n_;
  const std::size_t p_;
  SearchSpace space_;
  const std::vector<Exchange> exchanges_;
  std::vector<Items> best_;
  Interval least_, most_;
  std::vector<std::vector<State>> levels_;
  std::int64_t steps_ = 0;
};

// For a problem whose form has been checked.
Result<Bracket> searched(const Problem& problem) {
  if (problem.items == 0) {
    Bracket none{plan(problem, std::vector<Items>(problem.processors.size(), 0)), Interval()};
    none.least = none.plan.makespan;
    return none;
  }
  auto found = Search(problem).solve();
  if (found && found->plan.makespan >= too_long) return takes_too_long(problem);
  return found;
}

Result<void> never_decreases(const Problem& problem) {
  for (std::size_t i = 0; i < problem.processors.size(); ++i) {
    const Processor& processor = problem.processors[i];
    for (const Cost* cost : {&processor.send, &processor.compute})
      if (const Items at = cost->first_decrease(problem.items); at != 0)
        return fail(cost_name(cost == &processor.send, i) + ": " + std::to_string(at) +
                    " items cost less than " + std::to_string(at - 1) +
                    "; this method needs costs that never decrease; take the one for any costs");
  }
  return {};
}

// Tables have been checked at construction; functions are evaluated completely only if they have few values.
Result<void> seems_never_to_decrease(const Problem& problem) {
  if (problem.items <= few_items) return check_never_decreases(problem);
  if (const auto good = check_form(problem); !good) return good;
  for (const Processor& processor : problem.processors)
    for (const Cost* cost : {&processor.send, &processor.compute})
      if (!cost->is_function() && cost->first_decrease(problem.items) != 0) return never_decreases(problem);
  return {};
}

Result<Plan> exactly(const Problem& problem) {
  auto found = searched(problem);
  if (!found) return tl::unexpected(found.error());
  if (found->is_exact()) return std::move(found->plan);
  if (auto plan = exact_table(problem)) return plan;
  return fail("too many distributions are nearly as good as the best: " + std::to_string(most_kept_steps) +
              " steps did not find it. It takes " + format(found->least, 12) +
              " or more; one is known that takes " + format(found->plan.makespan, 12) +
              ". Plan packages of several items, or take the heuristic");
}

}  // namespace

Result<void> check_never_decreases(const Problem& problem) {
  if (const auto good = check(problem); !good) return good;
  return never_decreases(problem);
}

Result<Bracket> nearly_exact(const Problem& problem) {
  if (const auto good = seems_never_to_decrease(problem); !good) return tl::unexpected(good.error());
  return searched(problem);
}

Result<Plan> exact_non_decreasing(const Problem& problem) {
  if (const auto good = seems_never_to_decrease(problem); !good) return tl::unexpected(good.error());
  return exactly(problem);
}

Result<Plan> exact(const Problem& problem) {
  if (const auto good = check(problem); !good) return tl::unexpected(good.error());
  return never_decreases(problem) ? exactly(problem) : exact_any(problem);
}

}  // namespace emu::scatter
