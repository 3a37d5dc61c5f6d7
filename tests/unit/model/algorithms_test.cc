// The algorithms that a target can choose for collectives: each gives equal answers at every size, root and length,
// without a deadlock under rendezvous, and sends as many messages as its description says.
#include "model/algorithms.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <map>

#include "collectives_data.h"
#include "collectives_world.h"
#include "model/collectives.h"

namespace emu::model {
namespace {

using namespace testing;  // NOLINT: the test's own helpers

bool power(int size) { return std::has_single_bit(static_cast<unsigned>(size)); }

template <class Check>
void each_algorithm(Collective operation, Check check) {
  for (const NamedAlgorithm& a : named_collectives()[static_cast<std::size_t>(operation)].algorithms) {
    SCOPED_TRACE(a.name);
    for (const int size : kSizes) {
      SCOPED_TRACE("size " + std::to_string(size));
      check(a.algorithm, size);
    }
  }
}

TEST(Algorithms, AreNamedInOrder) {
  std::size_t i = 0;
  for (const NamedCollective& operation : named_collectives()) {
    EXPECT_EQ(static_cast<std::size_t>(operation.operation), i++);
    EXPECT_EQ(operation.algorithms[0].algorithm, Algorithm::mpich);
    const auto others = operation.algorithms.subspan(1);
    EXPECT_TRUE(std::ranges::is_sorted(others, {}, &NamedAlgorithm::name)) << operation.name;
  }
}

TEST(Algorithms, AreChosenBySize) {
  Algorithms algorithms;
  EXPECT_FALSE(algorithms.any());
  algorithms.choose(Collective::bcast, {{100, Algorithm::linear}, {1000, Algorithm::binomial}});
  EXPECT_TRUE(algorithms.any());
  for (const auto& [bytes, as] : std::map<Bytes, Algorithm>{{0, Algorithm::linear},
                                                            {100, Algorithm::linear},
                                                            {101, Algorithm::binomial},
                                                            {1000, Algorithm::binomial},
                                                            {1001, Algorithm::mpich}})
    EXPECT_EQ(algorithms.of({Collective::bcast, bytes}).algorithm, as) << bytes;
  EXPECT_EQ(algorithms.of({Collective::reduce, 1}).algorithm, Algorithm::mpich);
}

// True if any rank reaches the end although `missing` has not begun. Sends do not wait for receives.
bool passes_without(int missing, int size, Algorithm as) {
  std::vector<Schedule> plans;
  for (int r = 0; r < size; ++r) plans.push_back(barrier(r, size, as));
  std::vector<std::size_t> next(static_cast<std::size_t>(size), 0);
  std::map<std::pair<int, int>, int> sent, taken;
  for (bool moved = true; moved;) {
    moved = false;
    for (int r = 0; r < size; ++r) {
      if (r == missing) continue;
      for (auto& at = next[r]; at < plans[r].steps.size(); ++at, moved = true) {
        const Step& step = plans[r].steps[at];
        if (step.kind == Step::Kind::send) ++sent[{r, step.peer}];
        if (step.kind != Step::Kind::wait) continue;
        // All receives before step `at`.
        std::map<int, int> wanted;
        for (std::size_t i = 0; i < at; ++i)
          if (plans[r].steps[i].kind == Step::Kind::receive) ++wanted[plans[r].steps[i].peer];
        bool there = true;
        for (const auto& [peer, n] : wanted) there = there && sent[{peer, r}] >= n;
        if (!there) break;
      }
      if (next[r] == plans[r].steps.size()) return true;
    }
  }
  return false;
}

TEST(Algorithms, NobodyPassesABarrierBeforeAllAreThere) {
  each_algorithm(Collective::barrier, [](Algorithm as, int size) {
    World world(size);
    for (int r = 0; r < size; ++r) world.schedule(r, barrier(r, size, as));
    ASSERT_TRUE(world.run(add)) << world.error;
    if (size == 1) return;
    for (int missing = 0; missing < size; ++missing)
      EXPECT_FALSE(passes_without(missing, size, as)) << missing;
    if (as == Algorithm::tree) {
      EXPECT_EQ(world.messages, 2 * (size - 1));
    }
    if (as == Algorithm::recursive_doubling && power(size)) {
      EXPECT_EQ(world.messages, size * std::countr_zero(static_cast<unsigned>(size)));
    }
  });
}

TEST(Algorithms, Bcast) {
  each_algorithm(Collective::bcast, [](Algorithm as, int size) {
    for (const int root : roots(size)) {
      for (const Bytes bytes : {0, 1, 40, 1000}) {
        World world(size);
        ASSERT_NO_FATAL_FAILURE(play_bcast(world, size, root, bytes, as));
        if (bytes == 0) continue;
        if (as == Algorithm::binomial || as == Algorithm::linear) {
          EXPECT_EQ(world.messages, size - 1);
        }
        if (as == Algorithm::linear) {
          EXPECT_EQ(world.sends_of[root], size - 1);
        }
        if (as == Algorithm::scatter_ring && bytes == 1000 && size > 1) {
          EXPECT_GE(world.messages, size * (size - 1));
        }
      }
    }
  });
}

const std::vector<Reduction> kinds(Bytes count) {
  return {{count, 8, true, true}, {count, 8, true, false}, {count, 8, false, false}};
}

TEST(Algorithms, Reduce) {
  each_algorithm(Collective::reduce, [](Algorithm as, int size) {
    for (const int root : roots(size)) {
      for (const Bytes count : {0, 1, 70}) {
        for (const Reduction& what : kinds(count)) {
          for (const bool in_place : {false, true}) {
            World world(size);
            play_reduce(world, size, root, what, in_place,
                        [&](int r) { return reduce(r, size, root, what, in_place, as); });
            if (as == Algorithm::linear && count > 0) {
              EXPECT_EQ(world.messages, size - 1);
            }
          }
        }
      }
    }
  });
}

TEST(Algorithms, Allreduce) {
  each_algorithm(Collective::allreduce, [](Algorithm as, int size) {
    for (const Bytes count : {0, 1, 70, 640}) {
      for (const Reduction& what : kinds(count)) {
        for (const bool in_place : {false, true}) {
          World world(size);
          for (int r = 0; r < size; ++r) {
            if (!in_place) world.input(r).filled(contents(r, 0, what.bytes()));
            if (!in_place) world.output(r).undefined(what.bytes());
            if (in_place) world.output(r).filled(contents(r, 0, what.bytes()));
            world.schedule(r, allreduce(r, size, what, in_place, as));
          }
          ASSERT_TRUE(world.run(what.commutative ? add : compose)) << world.error;
          const Contents sum = reduced(0, size - 1, what.bytes(), what.commutative);
          for (int r = 0; r < size; ++r) ASSERT_EQ(world.output(r).bytes, sum) << r;
          if (as == Algorithm::reduce_bcast && count == 1) {
            EXPECT_EQ(world.messages, 2 * (size - 1));
          }
          if (as == Algorithm::ring && what.commutative && count == 640) {
            EXPECT_EQ(world.messages, 2 * size * (size - 1));
            EXPECT_EQ(world.bytes, 2 * (size - 1) * what.bytes());
          }
        }
      }
    }
  });
}

TEST(Algorithms, ReduceScatter) {
  each_algorithm(Collective::reduce_scatter, [](Algorithm as, int size) {
    for (const Bytes most : {0, 1, 5}) {
      for (const Reduction& what : kinds(0)) {
        for (const auto [in_place, block] :
             {std::pair(false, false), {true, false}, {false, true}, {true, true}}) {
          std::vector<Bytes> counts;
          Bytes all = 0;
          for (int r = 0; r < size; ++r) counts.push_back(most == 5 && !block ? r % 4 : most);
          for (const Bytes count : counts) all += 8 * count;
          World world(size);
          for (int r = 0; r < size; ++r) {
            if (!in_place) world.input(r).filled(contents(r, 0, all));
            if (!in_place) world.output(r).undefined(8 * counts[r]);
            if (in_place) world.output(r).filled(contents(r, 0, all));
            const Reduction own{most, what.element, what.commutative, what.predefined};
            world.schedule(r, block ? reduce_scatter_block(r, size, own, in_place, as)
                                    : reduce_scatter(r, size, counts, what, in_place, as));
          }
          ASSERT_TRUE(world.run(what.commutative ? add : compose)) << world.error;
          const Contents sum = reduced(0, size - 1, all, what.commutative);
          Bytes begin = 0;
          for (int r = 0; r < size; begin += 8 * counts[r], ++r)
            ASSERT_EQ(slice(world.output(r).bytes, 0, 8 * counts[r]), slice(sum, begin, 8 * counts[r])) << r;
        }
      }
    }
  });
}

TEST(Algorithms, GatherAndScatter) {
  each_algorithm(Collective::gather, [](Algorithm as, int size) {
    for (const int root : roots(size)) {
      for (const Bytes block : {0, 8, 100}) {
        World gathering(size), scattering(size);
        Contents all;
        for (int r = 0; r < size; ++r) append(all, contents(r, 0, block));
        for (int r = 0; r < size; ++r) {
          gathering.input(r).filled(contents(r, 0, block));
          if (r == root) gathering.output(r).undefined(size * block);
          gathering.schedule(r, gather(r, size, root, block, false, as));
          if (r == root) scattering.input(r).filled(all);
          scattering.output(r).undefined(block);
          scattering.schedule(r, scatter(r, size, root, block, false, as));
        }
        ASSERT_TRUE(gathering.run(add)) << gathering.error;
        ASSERT_TRUE(scattering.run(add)) << scattering.error;
        ASSERT_EQ(gathering.output(root).bytes, block == 0 ? Contents() : all);
        for (int r = 0; r < size; ++r) ASSERT_EQ(scattering.output(r).bytes, contents(r, 0, block)) << r;
        if (block == 0) continue;
        EXPECT_EQ(gathering.messages, size - 1);
        EXPECT_EQ(scattering.messages, size - 1);
        if (as == Algorithm::linear) {
          EXPECT_EQ(scattering.sends_of[root], size - 1);
          EXPECT_EQ(gathering.bytes, (size - 1) * block);
        }
      }
    }
  });
}

TEST(Algorithms, Allgather) {
  each_algorithm(Collective::allgather, [](Algorithm as, int size) {
    for (const bool in_place : {false, true}) {
      for (const bool even : {true, false}) {
        std::vector<Block> blocks;
        Contents all;
        for (int r = 0; r < size; ++r) {
          const Bytes bytes = even ? 24 : 8 * (r % 3);
          blocks.push_back({static_cast<Bytes>(all.size()), bytes});
          append(all, contents(r, 0, bytes));
        }
        World world(size);
        for (int r = 0; r < size; ++r) {
          const Block own = blocks[r];
          if (!in_place) world.input(r).filled(contents(r, 0, own.bytes));
          world.output(r).undefined(static_cast<Bytes>(all.size()));
          if (in_place) {
            std::copy_n(all.begin() + own.offset, own.bytes, world.output(r).bytes.begin() + own.offset);
            std::fill_n(world.output(r).defined.begin() + own.offset, own.bytes, 1);
          }
          world.schedule(r, even ? allgather(r, size, 24, in_place, as)
                                 : allgatherv(r, size, blocks, {8, 8}, in_place, as));
        }
        ASSERT_TRUE(world.run(add)) << world.error;
        for (int r = 0; r < size; ++r) ASSERT_EQ(world.output(r).bytes, all) << r;
        if (even && as == Algorithm::ring) {
          EXPECT_EQ(world.messages, size * (size - 1));
        }
        if (even && as == Algorithm::bruck) {
          EXPECT_EQ(world.messages, size * ceil_log2(size));
        }
      }
    }
  });
}

TEST(Algorithms, Alltoall) {
  each_algorithm(Collective::alltoall, [](Algorithm as, int size) {
    for (const Bytes block : {8, 300}) {
      World world(size);
      for (int r = 0; r < size; ++r) {
        Contents row;
        for (int to = 0; to < size; ++to) append(row, contents(r, to, block));
        world.input(r).filled(row);
        world.output(r).undefined(size * block);
        world.schedule(r, alltoall(r, size, block, false, as));
      }
      ASSERT_TRUE(world.run(add)) << world.error;
      for (int r = 0; r < size; ++r) {
        Contents column;
        for (int from = 0; from < size; ++from) append(column, contents(from, r, block));
        ASSERT_EQ(world.output(r).bytes, column) << r;
      }
      if (as == Algorithm::linear || as == Algorithm::pairwise || as == Algorithm::rotation) {
        EXPECT_EQ(world.messages, size * (size - 1));
      }
      if (as == Algorithm::bruck) {
        EXPECT_EQ(world.messages, size * ceil_log2(size));
      }
    }
  });
}

}  // namespace
}  // namespace emu::model
