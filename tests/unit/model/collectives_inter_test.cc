// Schedules of collectives between two groups, run together for groups of many sizes: answers as MPI defines them, and
// no deadlock under rendezvous.
#include <gtest/gtest.h>

#include "collectives_data.h"
#include "collectives_world.h"
#include "model/intercollectives.h"

namespace emu::model {
namespace {

using namespace testing;  // NOLINT: the test's own helpers
using Side = InterRoot::Side;

// Two groups. The ranks of both are numbered together, and know their sides.
struct Groups {
  int first, second;

  int all() const { return first + second; }
  Sides sides(int r) const {
    return r < first ? Sides{r, first, second, true} : Sides{r - first, second, first, false};
  }
  // The root is rank `of` of the second group, or of the first one.
  InterRoot root(int r, bool in_second, int of) const {
    if (sides(r).first == in_second) return {Side::other, of};
    return {sides(r).rank == of ? Side::self : Side::own, of};
  }
  // The members of the group to which `r` does not belong: [from, to).
  int from(int r) const { return r < first ? first : 0; }
  int to(int r) const { return r < first ? all() : first; }
};

template <class Check>
void for_groups(Check check) {
  for (const int first : {1, 2, 3, 5, 8})
    for (const int second : {1, 2, 4, 7}) {
      SCOPED_TRACE(std::to_string(first) + " and " + std::to_string(second));
      check(Groups{first, second});
    }
}

template <class Check>
void for_roots(Check check) {
  for_groups([&](const Groups& g) {
    for (const bool second : {false, true})
      for (const int of : {0, (second ? g.second : g.first) - 1})
        for (const Bytes bytes : {Bytes{0}, Bytes{8}, Bytes{4096}, Bytes{20000}}) check(g, second, of, bytes);
  });
}

// Contributions of the members of the other group, concatenated.
Contents given_to(const Groups& g, int r, Bytes bytes) {
  Contents all;
  for (int i = g.from(r); i < g.to(r); ++i) append(all, contents(i, 0, bytes));
  return all;
}

TEST(InterBcast, ReachesTheOtherGroup) {
  for_roots([](const Groups& g, bool second, int of, Bytes bytes) {
    World world(g.all());
    const int from = (second ? g.first : 0) + of;
    for (int r = 0; r < g.all(); ++r) {
      const InterRoot root = g.root(r, second, of);
      if (root.side == Side::self) world.output(r).filled(contents(from, 0, bytes));
      if (root.side == Side::other) world.output(r).undefined(bytes);
      world.schedule(r, inter_bcast(g.sides(r), root, bytes));
    }
    ASSERT_TRUE(world.run(add)) << world.error;
    for (int r = 0; r < g.all(); ++r)
      if (g.root(r, second, of).side == Side::other) {
        ASSERT_EQ(world.output(r).bytes, contents(from, 0, bytes)) << r;
      }
  });
}

TEST(InterGather, HasWhatTheOthersGive) {
  for_roots([](const Groups& g, bool second, int of, Bytes bytes) {
    World world(g.all());
    for (int r = 0; r < g.all(); ++r) {
      const InterRoot root = g.root(r, second, of);
      if (root.side == Side::other) world.input(r).filled(contents(r, 0, bytes));
      if (root.side == Side::self) world.output(r).undefined(bytes * (g.to(r) - g.from(r)));
      world.schedule(r, inter_gather(g.sides(r), root, bytes));
    }
    ASSERT_TRUE(world.run(add)) << world.error;
    const int root = (second ? g.first : 0) + of;
    ASSERT_EQ(world.output(root).bytes, given_to(g, root, bytes));
  });
}

TEST(InterScatter, GivesEachOtherItsPart) {
  for_roots([](const Groups& g, bool second, int of, Bytes bytes) {
    World world(g.all());
    const int from = (second ? g.first : 0) + of;
    for (int r = 0; r < g.all(); ++r) {
      const InterRoot root = g.root(r, second, of);
      Contents all;
      for (int i = g.from(r); i < g.to(r); ++i) append(all, contents(from, i, bytes));
      if (root.side == Side::self) world.input(r).filled(all);
      if (root.side == Side::other) world.output(r).undefined(bytes);
      world.schedule(r, inter_scatter(g.sides(r), root, bytes));
    }
    ASSERT_TRUE(world.run(add)) << world.error;
    for (int r = 0; r < g.all(); ++r)
      if (g.root(r, second, of).side == Side::other) {
        ASSERT_EQ(world.output(r).bytes, contents(from, r, bytes)) << r;
      }
  });
}

// Each rank contributes a different number of bytes.
TEST(InterAllgatherv, HasWhatTheOthersGive) {
  const auto bytes_of = [](int r) { return Bytes{7} * (r % 3); };
  for_groups([&](const Groups& g) {
    World world(g.all());
    std::vector<std::vector<Block>> placed;
    for (int r = 0; r < g.all(); ++r) {
      std::vector<Bytes> bytes;
      for (int i = g.from(r); i < g.to(r); ++i) bytes.push_back(bytes_of(i));
      placed.push_back(blocks(bytes, 3));
      world.input(r).filled(contents(r, 0, bytes_of(r)));
      world.output(r).undefined(end_of(placed[r]));
      world.schedule(r, inter_allgatherv(g.sides(r), bytes_of(r), placed[r]));
    }
    ASSERT_TRUE(world.run(add)) << world.error;
    for (int r = 0; r < g.all(); ++r)
      for (int i = g.from(r); i < g.to(r); ++i) {
        const Block& block = placed[r][i - g.from(r)];
        ASSERT_EQ(slice(world.output(r).bytes, block.offset, block.bytes), contents(i, 0, block.bytes));
      }
  });
}

// The groups contribute different amounts.
TEST(InterAllgather, HasWhatTheOthersGive) {
  for_groups([](const Groups& g) {
    for (const Bytes bytes : {Bytes{0}, Bytes{16}, Bytes{30000}}) {
      World world(g.all());
      const auto own = [&](int r) { return r < g.first ? bytes : bytes / 2; };
      for (int r = 0; r < g.all(); ++r) {
        world.input(r).filled(contents(r, 0, own(r)));
        world.output(r).undefined(own(g.from(r)) * (g.to(r) - g.from(r)));
        world.schedule(r, inter_allgather(g.sides(r), own(r), own(g.from(r))));
      }
      ASSERT_TRUE(world.run(add)) << world.error;
      for (int r = 0; r < g.all(); ++r) ASSERT_EQ(world.output(r).bytes, given_to(g, r, own(g.from(r)))) << r;
    }
  });
}

TEST(InterAlltoallv, MovesEachPartToItsPlace) {
  for_groups([](const Groups& g) {
    World world(g.all());
    std::vector<std::vector<Block>> received;
    for (int r = 0; r < g.all(); ++r) {
      std::vector<Bytes> to, from;
      for (int i = g.from(r); i < g.to(r); ++i) to.push_back(r + 2 * i), from.push_back(i + 2 * r);
      const std::vector<Block> sent = blocks(to, 2);
      received.push_back(blocks(from, 5));
      Contents all(end_of(sent));
      for (std::size_t i = 0; i < sent.size(); ++i)
        std::ranges::copy(contents(r, g.from(r) + static_cast<int>(i), sent[i].bytes),
                          all.begin() + sent[i].offset);
      world.input(r).filled(all);
      world.output(r).undefined(end_of(received[r]));
      world.schedule(r, inter_alltoallv(g.sides(r), sent, received[r]));
    }
    ASSERT_TRUE(world.run(add)) << world.error;
    for (int r = 0; r < g.all(); ++r)
      for (int i = g.from(r); i < g.to(r); ++i) {
        const Block& block = received[r][i - g.from(r)];
        ASSERT_EQ(slice(world.output(r).bytes, block.offset, block.bytes), contents(i, r, block.bytes));
      }
  });
}

TEST(InterReduce, CombinesWhatTheOthersGive) {
  for_roots([](const Groups& g, bool second, int of, Bytes bytes) {
    for (const bool commutative : {true, false}) {
      World world(g.all());
      const int at = (second ? g.first : 0) + of;
      for (int r = 0; r < g.all(); ++r) {
        const InterRoot root = g.root(r, second, of);
        if (root.side == Side::other) world.input(r).filled(contents(r, 0, bytes));
        if (root.side == Side::self) world.output(r).undefined(bytes);
        world.schedule(r, inter_reduce(g.sides(r), root, {bytes / 8, 8, commutative, commutative}));
      }
      ASSERT_TRUE(world.run(commutative ? add : compose)) << world.error;
      ASSERT_EQ(world.output(at).bytes, reduced(g.from(at), g.to(at) - 1, bytes, commutative));
    }
  });
}

TEST(InterAllreduce, CombinesWhatTheOthersGive) {
  for_groups([](const Groups& g) {
    for (const Bytes bytes : {Bytes{0}, Bytes{8}, Bytes{24000}})
      for (const bool commutative : {true, false}) {
        World world(g.all());
        for (int r = 0; r < g.all(); ++r) {
          world.input(r).filled(contents(r, 0, bytes));
          world.output(r).undefined(bytes);
          world.schedule(r, inter_allreduce(g.sides(r), {bytes / 8, 8, commutative, commutative}));
        }
        ASSERT_TRUE(world.run(commutative ? add : compose)) << world.error;
        for (int r = 0; r < g.all(); ++r)
          ASSERT_EQ(world.output(r).bytes, reduced(g.from(r), g.to(r) - 1, bytes, commutative)) << r;
      }
  });
}

// Each member of a group gets as many elements as the other group has members, so that all totals are equal.
TEST(InterReduceScatter, GivesEachItsPart) {
  for_groups([](const Groups& g) {
    for (const bool block : {true, false}) {
      World world(g.all());
      const Bytes all = Bytes{8} * g.first * g.second;
      for (int r = 0; r < g.all(); ++r) {
        const Sides sides = g.sides(r);
        world.input(r).filled(contents(r, 0, all));
        world.output(r).undefined(Bytes{8} * sides.other);
        const std::vector<Bytes> counts(sides.own, sides.other);
        world.schedule(r, block ? inter_reduce_scatter_block(sides, {sides.other, 8, true, true})
                                : inter_reduce_scatter(sides, counts, {0, 8, true, true}));
      }
      ASSERT_TRUE(world.run(add)) << world.error;
      for (int r = 0; r < g.all(); ++r) {
        const Sides sides = g.sides(r);
        const Contents sum = reduced(g.from(r), g.to(r) - 1, all, true);
        ASSERT_EQ(world.output(r).bytes,
                  slice(sum, Bytes{8} * sides.other * sides.rank, Bytes{8} * sides.other))
            << r;
      }
    }
  });
}

TEST(InterNames, BothGroupsHaveBoth) {
  for_groups([](const Groups& g) {
    World world(g.all());
    const Bytes bytes = 64;
    for (int r = 0; r < g.all(); ++r) {
      world.input(r).filled(contents(r, 0, bytes));
      world.output(r).undefined(bytes + 8);
      world.schedule(r, inter_names(g.sides(r), {8, 8, true, true}, 8));
    }
    ASSERT_TRUE(world.run(add)) << world.error;
    for (int r = 0; r < g.all(); ++r) {
      const int own = g.from(g.from(r));
      Contents both = reduced(own, g.to(g.from(r)) - 1, bytes, true);
      append(both, slice(reduced(g.from(r), g.to(r) - 1, bytes, true), 0, 8));
      ASSERT_EQ(world.output(r).bytes, both) << r;
    }
  });
}

TEST(InterTrade, EachGroupHasTheListOfTheOtherLeader) {
  for_groups([](const Groups& g) {
    World world(g.all());
    for (int r = 0; r < g.all(); ++r) {
      const Sides sides = g.sides(r);
      const Bytes own = 4 * sides.own, theirs = 4 * sides.other;
      world.input(r).filled(contents(r, 0, own));
      world.output(r).undefined(theirs);
      world.schedule(r, inter_trade(sides, own, theirs));
    }
    ASSERT_TRUE(world.run(add)) << world.error;
    for (int r = 0; r < g.all(); ++r)
      ASSERT_EQ(world.output(r).bytes, contents(g.from(r), 0, Bytes{4} * g.sides(r).other)) << r;
  });
}

TEST(Neighborhood, MovesEachPartToItsPlace) {
  // A ring of two and more, whose ranks have both neighbours twice.
  for (const int size : {2, 3, 5})
    for (const bool grid : {false, true}) {
      World world(size);
      const std::vector<Block> parts = blocks({8, 8, 8, 8}, 4);
      for (int r = 0; r < size; ++r) {
        const int behind = (r + size - 1) % size, before = (r + 1) % size;
        const std::vector<int> near = {behind, before, behind, before};
        Contents all(end_of(parts));
        for (std::size_t i = 0; i < parts.size(); ++i)
          std::ranges::copy(contents(r, static_cast<int>(i), 8), all.begin() + parts[i].offset);
        world.input(r).filled(all);
        world.output(r).undefined(end_of(parts));
        world.schedule(r, neighborhood(near, parts, near, parts, grid));
      }
      ASSERT_TRUE(world.run(add)) << world.error;
      // The k-th receive from a rank takes the k-th message that this rank sends here; in a grid, data sent forward
      // come from behind.
      for (int r = 0; r < size; ++r) {
        const auto got = [&](int i) { return slice(world.output(r).bytes, parts[i].offset, 8); };
        const int behind = (r + size - 1) % size;
        const std::vector<int> sent = size > 2 ? std::vector{1, 3} : std::vector{0, 1, 2, 3};
        const std::vector<int> taken = size > 2 ? std::vector{0, 2} : std::vector{0, 1, 2, 3};
        for (std::size_t k = 0; k < sent.size(); ++k) {
          const std::size_t at = grid && size == 2 ? k ^ 1 : k;
          ASSERT_EQ(got(taken[at]), contents(behind, sent[k], 8)) << r;
        }
      }
    }
}

}  // namespace
}  // namespace emu::model
