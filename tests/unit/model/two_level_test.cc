// Collectives by node leaders: correct results for any layout of members over nodes, the messages, and the operations
// for which MPICH uses node leaders.
#include "model/two_level.h"

#include <gtest/gtest.h>

#include "collectives_data.h"
#include "collectives_world.h"

namespace emu::model {
namespace {

using namespace testing;  // NOLINT: the test's own helpers

using Layout = std::vector<int>;  // the node of each member

NodeGroups groups(const Layout& nodes, int rank) {
  return {rank, static_cast<int>(nodes.size()), [&](int i) { return nodes[static_cast<std::size_t>(i)]; }};
}

const std::vector<Layout> layouts = {{0},
                                     {0, 0},
                                     {0, 1, 2},
                                     {4, 4, 4},
                                     {0, 0, 1, 1, 2, 2, 3, 3},
                                     {0, 0, 0, 0, 1, 1, 1, 2},
                                     {0, 1, 2, 0, 1, 2, 0, 1},
                                     {7, 3, 3, 7, 1, 7, 3, 0, 0, 9, 1},
                                     {0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
                                     {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}};

TEST(NodeGroups, KnowMatesAndLeaders) {
  for (const Layout& nodes : layouts) {
    Layout leaders;
    for (int i = 0; i < static_cast<int>(nodes.size()); ++i)
      if (std::find(nodes.begin(), nodes.begin() + i, nodes[i]) == nodes.begin() + i) leaders.push_back(i);
    for (int rank = 0; rank < static_cast<int>(nodes.size()); ++rank) {
      const NodeGroups g = groups(nodes, rank);
      EXPECT_EQ(g.shared(), leaders.size() < nodes.size());
      ASSERT_EQ(g.leaders(), static_cast<int>(leaders.size()));
      for (int l = 0; l < g.leaders(); ++l) EXPECT_EQ(g.leader(l), leaders[l]);
      Layout mates;
      for (int i = 0; i < g.size(); ++i) {
        EXPECT_EQ(nodes[leaders[g.number_of(i)]], nodes[i]);
        if (nodes[i] == nodes[rank]) mates.push_back(i);
        EXPECT_EQ(g.among_mates(i) >= 0, nodes[i] == nodes[rank]);
      }
      EXPECT_EQ(g.mates(), mates);
      EXPECT_EQ(g.leads(), mates.front() == rank);
      EXPECT_EQ(g.own_number(), g.number_of(rank));
    }
  }
}

template <class Check>
void each_layout(const Check& check) {
  for (const Layout& nodes : layouts) {
    std::string shown;
    for (const int node : nodes) shown += " " + std::to_string(node);
    SCOPED_TRACE("nodes" + shown);
    check(nodes, static_cast<int>(nodes.size()));
  }
}

TEST(TwoLevel, Bcast) {
  each_layout([](const Layout& nodes, int size) {
    for (const int root : roots(size))
      for (const Bytes bytes : {0, 1, 1000, 12287, 12288, 20000}) {
        World world(size);
        for (int r = 0; r < size; ++r) {
          if (r == root) world.output(r).filled(contents(root, 0, bytes));
          if (r != root) world.output(r).undefined(bytes);
          world.schedule(r, bcast_by_nodes(groups(nodes, r), root, bytes));
        }
        ASSERT_TRUE(world.run(add)) << world.error;
        for (int r = 0; r < size; ++r) ASSERT_EQ(world.output(r).bytes, contents(root, 0, bytes)) << r;
      }
  });
}

TEST(TwoLevel, Reduce) {
  each_layout([](const Layout& nodes, int size) {
    for (const int root : roots(size))
      for (const Bytes count : {0, 1, 70, 256, 257, 1000})
        for (const bool predefined : {false, true})
          for (const bool in_place : {false, true}) {
            const Reduction what{count, 8, true, predefined};
            World world(size);
            play_reduce(world, size, root, what, in_place,
                        [&](int r) { return reduce_by_nodes(groups(nodes, r), root, what, in_place); });
          }
  });
}

TEST(TwoLevel, Allreduce) {
  each_layout([](const Layout& nodes, int size) {
    for (const Bytes count : {0, 1, 70, 257, 3000})
      for (const bool in_place : {false, true}) {
        const Reduction what{count, 8, true, true};
        World world(size);
        for (int r = 0; r < size; ++r) {
          if (!in_place) world.input(r).filled(contents(r, 0, what.bytes()));
          if (!in_place) world.output(r).undefined(what.bytes());
          if (in_place) world.output(r).filled(contents(r, 0, what.bytes()));
          world.schedule(r, allreduce_by_nodes(groups(nodes, r), what, in_place));
        }
        ASSERT_TRUE(world.run(add)) << world.error;
        for (int r = 0; r < size; ++r)
          ASSERT_EQ(world.output(r).bytes, reduced(0, size - 1, what.bytes(), true)) << r;
      }
  });
}

// The messages of all members: those within a node, and those between nodes.
struct Crossing {
  int inside = 0, between = 0;
};
template <class Of>
Crossing crossing(const Layout& nodes, const Of& of) {
  Crossing result;
  for (int r = 0; r < static_cast<int>(nodes.size()); ++r)
    for (const Step& step : of(groups(nodes, r)).steps)
      if (step.kind == Step::Kind::send) ++(nodes[r] == nodes[step.peer] ? result.inside : result.between);
  return result;
}

// 4 nodes of 4 members: members send to their leader, leaders to each other, and leaders to their nodes.
TEST(TwoLevel, OnlyLeadersSendBetweenNodes) {
  const Layout nodes = {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3};
  const Crossing barrier = crossing(nodes, [](const NodeGroups& g) { return barrier_by_nodes(g); });
  EXPECT_EQ(barrier.inside, 4 * (4 * 2 + 3));  // two rounds of dissemination, and a tree
  EXPECT_EQ(barrier.between, 4 * 2);
  const Crossing bcast = crossing(nodes, [](const NodeGroups& g) { return bcast_by_nodes(g, 5, 100); });
  EXPECT_EQ(bcast.inside, 1 + 4 * 3);  // the root sends to its leader, and gets the data back from it
  EXPECT_EQ(bcast.between, 3);
  const Crossing longer = crossing(nodes, [](const NodeGroups& g) { return bcast_by_nodes(g, 5, 12288); });
  EXPECT_EQ(longer.inside, 4 * 3);
  EXPECT_EQ(longer.between, 3);
  const auto reduction = [&](Bytes count) {
    return crossing(nodes, [&](const NodeGroups& g) {
      return reduce_by_nodes(g, 5, {count, 8, true, false});
    });
  };
  EXPECT_EQ(reduction(256).inside, 4 * 3);
  EXPECT_EQ(reduction(256).between, 3);
  EXPECT_EQ(reduction(257).inside, 4 * 3);
  EXPECT_EQ(reduction(257).between, 3 + 1);  // and from rank 0 to the root
  const Crossing all = crossing(nodes, [](const NodeGroups& g) {
    return allreduce_by_nodes(g, {1, 8, true, true});
  });
  EXPECT_EQ(all.inside, 4 * (3 + 3));
  EXPECT_EQ(all.between, 4 * 2);
}

TEST(TwoLevel, AreTakenAsMpichTakesThem) {
  const Layout alone = {0, 1, 2, 3, 4, 5, 6, 7}, one = {5, 5, 5, 5, 5, 5, 5, 5},
               pairs = {0, 0, 1, 1, 2, 2, 3, 3}, odd = {0, 0, 1, 1, 2, 2, 3, 3, 4}, few = {0, 0, 1};
  const auto takes = [](const Layout& nodes, Collective operation, Bytes bytes, bool commutative = true) {
    return takes_nodes(groups(nodes, 0), {.operation = operation,
                                          .bytes = bytes,
                                          .ranks = static_cast<int>(nodes.size()),
                                          .commutative = commutative});
  };
  for (const Collective operation :
       {Collective::barrier, Collective::bcast, Collective::reduce, Collective::allreduce}) {
    EXPECT_FALSE(takes(alone, operation, 8));
    EXPECT_TRUE(takes(pairs, operation, 8));
    EXPECT_EQ(takes(one, operation, 8), operation != Collective::allreduce);
  }
  EXPECT_TRUE(takes(pairs, Collective::bcast, 524287));
  EXPECT_FALSE(takes(pairs, Collective::bcast, 524288));
  EXPECT_TRUE(takes(odd, Collective::bcast, 12287));
  EXPECT_FALSE(takes(odd, Collective::bcast, 12288));
  EXPECT_TRUE(takes(few, Collective::bcast, 1 << 24));
  EXPECT_TRUE(takes(pairs, Collective::reduce, 1 << 24));
  EXPECT_TRUE(takes(pairs, Collective::allreduce, 1 << 24));
  EXPECT_FALSE(takes(pairs, Collective::reduce, 8, false));
  EXPECT_FALSE(takes(pairs, Collective::allreduce, 8, false));
  EXPECT_FALSE(takes(pairs, Collective::gather, 8));
  EXPECT_FALSE(takes(pairs, Collective::alltoall, 8));
}

}  // namespace
}  // namespace emu::model
