// The steps of the algorithms that a target can choose for collectives: algorithms of different names differ, unless one
// replaces the other.
#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "model/algorithms.h"
#include "model/collectives.h"

namespace emu::model {
namespace {

using Plans = std::vector<std::vector<Step>>;

// The steps of all ranks of an operation, at several sizes and lengths: of its function for equal blocks, or of that for
// unequal ones (reduce_scatter, scatter, allgatherv).
Plans plans_of(Collective operation, Algorithm as, bool unequal, bool commutative = true) {
  Plans plans;
  for (const int size : {4, 7, 8, 12}) {
    for (const Bytes count : {1, 5, 100, 640, 100'000}) {
      const Reduction what{count, 8, commutative, commutative};
      const std::vector<Bytes> counts(static_cast<std::size_t>(size), count);
      std::vector<Block> blocks;
      for (int r = 0; r < size; ++r) blocks.push_back({r * count * 8, count * 8});
      for (int r = 0; r < size; ++r) {
        const Schedule schedule = [&] {
          switch (operation) {
            case Collective::barrier:
              return barrier(r, size, as);
            case Collective::bcast:
              return bcast(r, size, 1, count, as);
            case Collective::reduce:
              return reduce(r, size, 1, what, false, as);
            case Collective::allreduce:
              return allreduce(r, size, what, false, as);
            case Collective::reduce_scatter:
              return unequal ? reduce_scatter(r, size, counts, what, false, as)
                             : reduce_scatter_block(r, size, what, false, as);
            case Collective::gather:
              return unequal ? scatter(r, size, 1, count, false, as) : gather(r, size, 1, count, false, as);
            case Collective::allgather:
              return unequal ? allgatherv(r, size, blocks, {8, 8}, false, as)
                             : allgather(r, size, count, false, as);
            case Collective::alltoall:
              return alltoall(r, size, count, false, as);
          }
          return Schedule();
        }();
        plans.push_back(schedule.steps);
      }
    }
  }
  return plans;
}

bool equal(const Plans& a, const Plans& b) {
  const auto fields = [](const Step& s) {
    return std::tuple(s.kind, s.peer, s.slice.space, s.slice.offset, s.slice.bytes, s.from.offset);
  };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](const auto& x, const auto& y) {
    return std::equal(x.begin(), x.end(), y.begin(), y.end(),
                      [&](const Step& s, const Step& t) { return fields(s) == fields(t); });
  });
}

// MPICH always chooses this algorithm, for elements of 8 bytes.
bool always_chosen(Collective operation, Algorithm as) {
  return (operation == Collective::barrier && as == Algorithm::dissemination) ||
         (operation == Collective::gather && as == Algorithm::binomial) ||
         (operation == Collective::allreduce && as == Algorithm::rabenseifner);
}

// A name that an operation accepts but does not know would have the steps of another name.
TEST(Algorithms, OfDifferentNamesDiffer) {
  for (const NamedCollective& operation : named_collectives()) {
    for (const bool unequal : {false, true}) {
      for (const NamedAlgorithm& a : operation.algorithms) {
        for (const NamedAlgorithm& b : operation.algorithms) {
          if (a.algorithm >= b.algorithm || b.algorithm == Algorithm::flat) continue;
          if (always_chosen(operation.operation, b.algorithm) && a.algorithm <= Algorithm::flat) continue;
          EXPECT_FALSE(equal(plans_of(operation.operation, a.algorithm, unequal),
                             plans_of(operation.operation, b.algorithm, unequal)))
              << operation.name << (unequal ? ", unequal blocks" : "") << ": " << a.name << " and " << b.name;
        }
      }
    }
  }
}

// emu warns that MPICH's algorithm takes the place of one that needs a commutative operation.
TEST(Algorithms, ThatKeepTheOrderAreKnown) {
  for (const Collective operation : {Collective::reduce, Collective::allreduce, Collective::reduce_scatter}) {
    const NamedCollective& named = named_collectives()[static_cast<std::size_t>(operation)];
    const auto plans = [&](Algorithm as) { return plans_of(operation, as, false, false); };
    for (const NamedAlgorithm& a : named.algorithms) {
      if (!needs_commutative(a.algorithm)) continue;
      EXPECT_TRUE(equal(plans(a.algorithm), plans(Algorithm::mpich))) << named.name << ": " << a.name;
    }
  }
}

// The peers of rank 1 of 4, in order: destinations of its sends, and sources of its receives.
void expect_peers(Algorithm as, std::vector<int> to, std::vector<int> from) {
  std::vector<int> sent, received;
  for (const Step& step : alltoall(1, 4, 100, false, as).steps) {
    if (step.kind == Step::Kind::send) sent.push_back(step.peer);
    if (step.kind == Step::Kind::receive) received.push_back(step.peer);
  }
  EXPECT_EQ(sent, to);
  EXPECT_EQ(received, from);
}

TEST(Algorithms, RotationOfAPowerOfTwoHasTwoPeersInARound) {
  expect_peers(Algorithm::pairwise, {0, 3, 2}, {0, 3, 2});
  expect_peers(Algorithm::rotation, {2, 3, 0}, {0, 3, 2});
}

}  // namespace
}  // namespace emu::model
