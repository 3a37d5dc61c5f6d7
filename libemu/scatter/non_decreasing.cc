// The least makespan for costs that never decrease.
//
// Whether n items can be done by T is answered exactly, and T is found by bisection between a lower bound and
// the makespan of a good distribution. It is monotone in T: what is done by T is done by any later T.
//
// By T: the processors are gone through in the order of sending. A state is how many items the first i have
// got, and when the root is done with sending them. Of two states, the one with no fewer items and no later
// time is at least as good, as items can be taken away again at no cost: the other one goes. A state also goes
// if the processors behind it cannot take the items that are left in the time that is left, by the linear
// bounds of relaxation.h. Nothing else is left out, so the answer is exact. (To give each processor in turn as
// much as it can finish by T is not: its items may hold up the root just so long that each of those behind it
// loses one.)
//
// What makes it fast: the bounds are close to the truth where costs are linear or convex, or affine with a
// small fixed part. At a T near the least one only some tens of items can be given away without going below
// n, so each processor's number is one of few below the greatest it can finish.

#include <algorithm>
#include <limits>
#include <optional>

#include "base/units.h"
#include "scatter/exact.h"
#include "scatter/relaxation.h"

namespace emu::scatter {
namespace {

constexpr std::int64_t most_steps = 10'000'000;  // of 32 bytes each, at most

struct State {
  Items given;        // to the processors so far
  Interval port;      // the root is done with sending to them
  Items here;         // of these, the last one's
  std::int32_t from;  // the state before, one level up
};

class Solver {
 public:
  explicit Solver(const Problem& problem)
      : problem_(problem), n_(problem.items), processors_(problem.processors) {
    for (const Processor& p : processors_) {
      // Costs stop growing where they are too long for any plan: lines below them must not.
      const auto possible = [&](Items n) { return plus(p.send.of(n), p.compute.of(n)) < too_long; };
      const Items most = possible(0) ? std::max<Items>(1, greatest(n_, possible)) : 1;
      possible_ += static_cast<long double>(most);
      envelopes_.push_back({Envelope(p.send, 0, most), Envelope(p.compute, 0, most),
                            Envelope(p.send, 1, most), Envelope(p.compute, 1, most)});
    }
    // The bounds are sums and products of some p numbers of at most n.
    slack_ = 1e-6L + 1e-15L * static_cast<long double>(n_);
  }

  Result<std::vector<Items>> solve() {
    if (possible_ < static_cast<long double>(n_)) return best_ = uniform(n_, processors_.size());  // too long
    start();
    // T - 1 is known to be too short for all T up to `least`; `best_` is done by `most`.
    Interval least = lower_bound();
    Interval most = makespan(problem_, best_);
    const Interval ps = Interval::picoseconds(1);
    for (std::int64_t step = 1; least < most;) {
      // From below, as that is where little is left over to try.
      const std::int64_t half = (most - least).picoseconds() / 2;
      const Interval at = least + Interval::picoseconds(std::min(step - 1, half));
      const auto counts = by(at);
      if (steps_ > most_steps) return gave_up(least, most);
      if (counts) {
        best_ = *counts;
        most = makespan(problem_, best_);
        step = std::numeric_limits<std::int64_t>::max();  // bisect from here on
      } else {
        least = at + ps;
        if (step < std::numeric_limits<std::int64_t>::max() / 8) step *= 8;
      }
    }
    return best_;
  }

 private:
  struct Envelopes {
    Envelope send, compute, send_some, compute_some;
  };

  // --- a good distribution, and bounds that are close at it

  void start() {
    best_ = uniform(n_, processors_.size());
    for (std::size_t i = 0; i < processors_.size(); ++i) {
      std::vector<Items> all(processors_.size(), 0);
      all[i] = n_;
      keep(all);
    }
    std::vector<Items> at = uniform(n_, processors_.size());
    std::vector<Interval> least_time(processors_.size());  // nothing is known yet
    for (int round = 0; round < 4; ++round) {
      touch(at, least_time);
      at = fill_by_least();
      keep(at);
      least_time = least_times();
    }
    touch(best_, least_time);
    touch(best_, least_times());
  }

  void keep(const std::vector<Items>& counts) {
    if (makespan(problem_, counts) < makespan(problem_, best_)) best_ = counts;
  }

  void touch(const std::vector<Items>& at, const std::vector<Interval>& least_time) {
    lines_.clear();
    for (std::size_t i = 0; i < processors_.size(); ++i) {
      const Envelopes& e = envelopes_[i];
      lines_.push_back({e.send.at(at[i]), e.compute.at(at[i]), e.send_some.at(at[i]),
                        e.compute_some.at(at[i]), processors_[i].send.of(0)});
    }
    behind_ = capacities(lines_, n_, least_time);
  }

  // What is left at the least of the time that is looked at when the root comes to each processor: those before
  // have got all that they can finish by then.
  std::vector<Interval> least_times() const {
    const Interval least = lower_bound(), most = makespan(problem_, best_);
    std::vector<Interval> result;
    Interval port;
    for (std::size_t i = 0; i < processors_.size(); ++i) {
      result.push_back(std::max(Interval(), least - port));
      port = plus(port, processors_[i].send.of(std::max<Items>(0, fitting(i, most, n_))));
    }
    return result;
  }

  Interval lower_bound() const {
    const Capacity& all = behind_[0];
    if (all.rate <= 0) return Interval();
    const long double time = (static_cast<long double>(n_) - slack_ - all.items) / all.rate;
    if (!(time > 0)) return Interval();
    const long double most = static_cast<long double>(too_long.picoseconds());
    return Interval::picoseconds(static_cast<std::int64_t>(std::min(time * (1 - 1e-15L), most)));
  }

  // As many as `i` finishes within `time` from when the root begins to send to it; -1: not even none.
  Items fitting(std::size_t i, Interval time, Items most) const {
    const Processor& p = processors_[i];
    const auto fits = [&](Items e) { return plus(p.send.of(e), p.compute.of(e)) <= time; };
    return fits(0) ? greatest(most, fits) : -1;
  }

  // To each processor that is worth it in turn as many as it can finish by `end`. Fewer than n in all: not
  // done.
  std::vector<Items> filled(Interval end, Items& left) const {
    std::vector<Items> counts;
    Interval port;
    left = n_;
    for (std::size_t i = 0; i < processors_.size(); ++i) {
      const bool wanted = worth(lines_[i].send_some, behind_[i + 1]) || i + 1 == processors_.size();
      counts.push_back(wanted ? std::max<Items>(fitting(i, end - port, left), 0) : 0);
      left -= counts.back();
      port = plus(port, processors_[i].send.of(counts.back()));
    }
    return counts;
  }

  std::vector<Items> fill_by_least() const {
    Interval low = lower_bound(), high = makespan(problem_, best_);
    std::vector<Items> found = best_;
    while (low < high) {
      const Interval middle = low + Interval::picoseconds((high - low).picoseconds() / 2);
      Items left = 0;
      auto counts = filled(middle, left);
      if (left == 0) {
        found = std::move(counts);
        high = middle;
      } else {
        low = middle + Interval::picoseconds(1);
      }
    }
    return found;
  }

  // --- exactly

  std::optional<std::vector<Items>> by(Interval end) {
    levels_.assign(1, {State{0, Interval(), 0, -1}});
    for (std::size_t i = 0; i < processors_.size(); ++i) {
      std::vector<State> next;
      for (std::size_t s = 0; s < levels_[i].size(); ++s) {
        grow(i, levels_[i][s], static_cast<std::int32_t>(s), end, next);
        if (steps_ > most_steps) return {};
      }
      if (next.empty()) return {};
      levels_.push_back(thinned(std::move(next)));
    }
    return counts_of_last();
  }

  // What processor i can get after `state`.
  void grow(std::size_t i, const State& state, std::int32_t number, Interval end, std::vector<State>& next) {
    const Cost& send = processors_[i].send;
    const Interval time = end - state.port;
    const Items most = fitting(i, time, n_ - state.given);
    const Capacity& behind = behind_[i + 1];
    const long double wanted = static_cast<long double>(n_ - state.given) - slack_;
    const auto take = [&](Items e) {
      ++steps_;
      const Interval sent = send.of(e);
      if (static_cast<long double>(e) + behind.in(time - sent) >= wanted)
        next.push_back({state.given + e, state.port + sent, e, number});
      return sent;
    };
    // The most items that come of `e` here, by the line below the cost of sending: monotone in e, from 1 on.
    const Line& line = lines_[i].send_some;
    const auto hopeful = [&](Items e) {
      return static_cast<long double>(e) + behind.in(time)-behind.rate * line.of(e) >= wanted;
    };
    if (most >= 0) take(0);
    if (!worth(line, behind)) {
      for (Items e = 1; e <= most && hopeful(e) && steps_ <= most_steps; ++e) take(e);
      return;
    }
    for (Items e = most; e >= 1 && hopeful(e) && steps_ <= most_steps;) {
      const Interval sent = take(e--);
      // Fewer items that keep the root as long are no use.
      if (e >= 1 && send.of(e) == sent)
        e = send.of(0) == sent ? 0 : greatest(e, [&](Items k) { return send.of(k) < sent; });
    }
  }

  // Without the states that another one is at least as good as.
  static std::vector<State> thinned(std::vector<State> states) {
    std::sort(states.begin(), states.end(), [](const State& a, const State& b) {
      return a.given != b.given ? a.given > b.given : a.port < b.port;
    });
    std::size_t kept = 0;
    for (const State& state : states)
      if (kept == 0 || state.port < states[kept - 1].port) states[kept++] = state;
    states.resize(kept);
    return states;
  }

  std::optional<std::vector<Items>> counts_of_last() const {
    std::vector<Items> counts(processors_.size());
    const State* state = &levels_.back().front();
    if (state->given != n_) return {};
    for (std::size_t i = processors_.size(); i-- > 0;) {
      counts[i] = state->here;
      state = &levels_[i][static_cast<std::size_t>(state->from)];
    }
    return counts;
  }

  tl::unexpected<Failure> gave_up(Interval least, Interval most) const {
    return fail("too many distributions are nearly as good as the best: " + std::to_string(most_steps) +
                " steps did not find it. It takes " + format(least, 12) +
                " or more; one is known that takes " + format(most, 12) +
                ". Plan packages of several items, or take the heuristic");
  }

  const Problem& problem_;
  const Items n_;
  const std::vector<Processor>& processors_;
  std::vector<Envelopes> envelopes_;
  std::vector<Lines> lines_;
  std::vector<Capacity> behind_;  // [i]: of the processors from i on
  long double possible_ = 0;      // so many all can be given
  long double slack_ = 0;         // more than the rounding of bounds
  std::vector<Items> best_;
  std::vector<std::vector<State>> levels_;
  std::int64_t steps_ = 0;
};

Result<void> never_decreases(const Problem& problem) {
  for (std::size_t i = 0; i < problem.processors.size(); ++i) {
    const Processor& processor = problem.processors[i];
    for (const Cost* cost : {&processor.send, &processor.compute}) {
      const Items at = cost->first_decrease(problem.items);
      if (at != 0)
        return fail(std::string(cost == &processor.send ? "sending to" : "computing on") + " processor " +
                    std::to_string(i) + ": " + std::to_string(at) + " items cost less than " +
                    std::to_string(at - 1) +
                    "; this method needs costs that never decrease; take the one for any costs");
    }
  }
  return {};
}

// Of a problem that has been checked.
Result<Plan> solved(const Problem& problem) {
  if (problem.items == 0) return finished(problem, std::vector<Items>(problem.processors.size(), 0));
  const auto counts = Solver(problem).solve();
  if (!counts) return tl::unexpected(counts.error());
  return finished(problem, *counts);
}

}  // namespace

Result<Plan> exact_non_decreasing(const Problem& problem) {
  if (const auto good = check(problem); !good) return tl::unexpected(good.error());
  if (const auto good = never_decreases(problem); !good) return tl::unexpected(good.error());
  return solved(problem);
}

Result<Plan> exact(const Problem& problem) {
  if (const auto good = check(problem); !good) return tl::unexpected(good.error());
  return never_decreases(problem) ? solved(problem) : exact_any(problem);
}

}  // namespace emu::scatter
