// Small random problems, and their optima by trying all distributions.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "scatter/problem.h"

namespace emu::scatter {

inline Interval ps(std::int64_t n) { return Interval::picoseconds(n); }
inline Rate per_item(std::int64_t picoseconds) { return Rate::femtoseconds_per_byte(picoseconds * 1000); }

// The minimal makespan, by trying all distributions.
inline Interval least(const Problem& problem, std::vector<Items>& counts, std::size_t i, Items left) {
  if (i + 1 == problem.processors.size()) {
    counts[i] = left;
    return makespan(problem, counts);
  }
  Interval best = too_long;
  for (Items n = 0; n <= left; ++n) {
    counts[i] = n;
    best = std::min(best, least(problem, counts, i + 1, left - n));
  }
  return best;
}
inline Interval least(const Problem& problem) {
  std::vector<Items> counts(problem.processors.size());
  return least(problem, counts, 0, problem.items);
}

enum class Shape { linear, affine, non_decreasing, any };

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  std::int64_t up_to(std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(0, most)(engine_);
  }

  // A whole number of picoseconds per item, or not.
  Rate rate(std::int64_t most) {
    return up_to(1) == 0 ? per_item(up_to(most)) : Rate::femtoseconds_per_byte(up_to(1000 * most));
  }

  Cost cost(Shape shape, Items n, std::int64_t most) {
    if (shape == Shape::linear) return Cost::affine(Interval(), rate(most));
    if (shape == Shape::affine) return Cost::affine(ps(up_to(3 * most)), rate(most));
    std::vector<Interval> values;
    std::int64_t value = up_to(3) == 0 ? up_to(most) : 0;
    for (Items i = 0; i <= n; ++i) {
      values.push_back(ps(value));
      value =
          shape == Shape::any ? up_to(3 * most) : value + (up_to(2) == 0 ? up_to(4 * most) : up_to(most / 4));
    }
    if (up_to(1) == 0) return Cost::table(values);
    return Cost::function([values](Items i) { return values[static_cast<std::size_t>(i)]; });
  }

  Problem problem(Shape shape) {
    Problem problem;
    problem.items = up_to(12);
    const auto p = 1 + up_to(3);
    const auto sends = up_to(3) == 0 ? 100 : up_to(20);  // from cheap to as expensive as the work
    for (std::int64_t i = 0; i < p; ++i)
      problem.processors.push_back({cost(shape, problem.items, sends), cost(shape, problem.items, 100)});
    return problem;
  }

 private:
  std::mt19937 engine_;
};

inline std::string told(const Problem& problem) {
  std::string text = std::to_string(problem.items) + " items";
  for (const Processor& p : problem.processors) {
    text += "\n send";
    for (Items n = 0; n <= problem.items; ++n) text += " " + std::to_string(p.send.of(n).picoseconds());
    text += "; compute";
    for (Items n = 0; n <= problem.items; ++n) text += " " + std::to_string(p.compute.of(n).picoseconds());
  }
  return text;
}

inline void expect_distribution(const Problem& problem, const Plan& plan) {
  const auto counts = plan.counts();
  ASSERT_EQ(counts.size(), problem.processors.size());
  EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), Items{0}), problem.items);
  for (const Items count : counts) EXPECT_GE(count, 0);
  EXPECT_EQ(plan.makespan, makespan(problem, counts));
}

}  // namespace emu::scatter
