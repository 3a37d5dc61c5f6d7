// Every collective's schedules, run together for many group sizes, roots and lengths: answers as MPI defines
// them, no deadlock under rendezvous, and as many messages as the papers' formulas say.
#include "model/collectives.h"

#include <gtest/gtest.h>

#include <bit>
#include <numeric>

#include "collectives_data.h"
#include "collectives_world.h"

namespace emu::model {
namespace {

using namespace testing;  // NOLINT: the test's own helpers

int folded(int size) { return static_cast<int>(std::bit_floor(static_cast<unsigned>(size))); }

TEST(Barrier, SpreadsFromEveryoneToEveryone) {
  for (const int size : kSizes) {
    World world(size);
    for (int r = 0; r < size; ++r) world.schedule(r, barrier(r, size));
    ASSERT_TRUE(world.run(add)) << world.error;
    EXPECT_EQ(world.messages, size * ceil_log2(size));
    EXPECT_EQ(world.bytes, 0);
    // For each rank: the ranks whose messages it knows, directly or not, after each round. In the end it knows all.
    std::vector<std::vector<char>> heard(size, std::vector<char>(size, 0));
    for (int r = 0; r < size; ++r) heard[r][r] = 1;
    std::vector<Schedule> plans;
    for (int r = 0; r < size; ++r) plans.push_back(barrier(r, size));
    for (std::size_t step = 0; step < plans[0].steps.size(); ++step) {
      const auto before = heard;
      for (int r = 0; r < size; ++r) {
        const Step& s = plans[r].steps[step];
        if (s.kind != Step::Kind::receive) continue;
        for (int i = 0; i < size; ++i) heard[r][i] |= before[s.peer][i];
      }
    }
    for (int r = 0; r < size; ++r) EXPECT_EQ(std::count(heard[r].begin(), heard[r].end(), 1), size);
  }
}

void check_bcast(int size, int root, Bytes bytes) {
  SCOPED_TRACE("size " + std::to_string(size) + " root " + std::to_string(root) + " bytes " +
               std::to_string(bytes));
  World world(size);
  for (int r = 0; r < size; ++r) {
    if (r == root) world.output(r).filled(contents(root, 0, bytes));
    if (r != root) world.output(r).undefined(bytes);
    world.schedule(r, bcast(r, size, root, bytes));
  }
  ASSERT_TRUE(world.run(add)) << world.error;
  for (int r = 0; r < size; ++r) ASSERT_EQ(world.output(r).bytes, contents(root, 0, bytes)) << r;
  const std::int64_t log = ceil_log2(size);
  const Bytes piece = (bytes + size - 1) / size;
  std::int64_t scattered = 0;  // messages of the scatter: to all that get something
  for (int number = 1; number < size; ++number) scattered += number * piece < bytes;
  if (bytes == 0 || size == 1) {
    EXPECT_EQ(world.messages, 0);
  } else if (size < 8 || bytes <= 12288) {
    EXPECT_EQ(world.messages, size - 1);
    EXPECT_EQ(world.bytes, (size - 1) * bytes);
  } else if (power(size) && bytes <= 524288) {
    EXPECT_EQ(world.messages, scattered + size * log);
    if (bytes % size == 0) {
      EXPECT_EQ(world.bytes, bytes * log / 2 + (size - 1) * bytes);
    }
  } else {
    EXPECT_EQ(world.messages, scattered + size * (size - 1));
    EXPECT_GT(world.bytes, (size - 1) * bytes);
  }
}

TEST(Bcast, ReachesEveryone) {
  for (const int size : kSizes) {
    for (const int root : roots(size)) {
      for (const Bytes bytes : {0, 1, 7, 12287, 12288, 12289, 20001}) check_bcast(size, root, bytes);
    }
    for (const Bytes bytes : {524287, 524288, 524289, 600001}) check_bcast(size, size / 3, bytes);
  }
}

TEST(Bcast, LeavesLastRanksWithoutPieceWhereThereAreFewBytes) {
  // 12289 bytes in 113 pieces of 109: the last one is short. In 200 pieces of 62: the last one is empty.
  check_bcast(113, 5, 12289);
  check_bcast(200, 0, 12289);
}

struct Case {
  int size;
  int root;
  Reduction what;
  bool in_place;

  std::string name() const {
    return "size " + std::to_string(size) + " root " + std::to_string(root) + " count " +
           std::to_string(what.count) + " commutative " + std::to_string(what.commutative) + " predefined " +
           std::to_string(what.predefined) + " in place " + std::to_string(in_place);
  }
};

const std::vector<Reduction> kinds(Bytes count) {
  return {{count, 8, true, true}, {count, 8, true, false}, {count, 8, false, false}};
}

void check_reduce(const Case& c) {
  SCOPED_TRACE(c.name());
  const Bytes bytes = c.what.bytes();
  World world(c.size);
  play_reduce(world, c.size, c.root, c.what, c.in_place,
              [&](int r) { return reduce(r, c.size, c.root, c.what, c.in_place); });
  const int rest = c.size - folded(c.size);
  if (bytes == 0) {
    EXPECT_EQ(world.messages, 0);
  } else if (bytes <= 2048 || !c.what.predefined || c.what.count < folded(c.size)) {
    const int relay = !c.what.commutative && c.root != 0 ? 1 : 0;
    EXPECT_EQ(world.messages, c.size - 1 + relay);
    EXPECT_EQ(world.bytes, (c.size - 1 + relay) * bytes);
  } else {
    const bool aside = c.root < 2 * rest && c.root % 2 == 1;
    EXPECT_EQ(world.messages, rest + folded(c.size) * ceil_log2(folded(c.size)) + folded(c.size) - 1 + aside);
  }
}

TEST(Reduce, GivesTheRootTheSumInRankOrder) {
  for (const int size : kSizes) {
    for (const int root : roots(size)) {
      for (const Bytes count : {0, 1, 3, 256, 257, 300}) {
        for (const Reduction& what : kinds(count)) {
          check_reduce({size, root, what, false});
          check_reduce({size, root, what, true});
        }
      }
    }
  }
}

TEST(Reduce, IsNotCutWithFewerElementsThanRanks) {
  const Reduction few{33, 64, true, true};  // 2112 bytes, above the tree's limit
  check_reduce({33, 1, few, false});
  check_reduce({64, 1, few, false});  // 64 > 33 elements
}

void check_allreduce(const Case& c) {
  SCOPED_TRACE(c.name());
  const Bytes bytes = c.what.bytes();
  World world(c.size);
  for (int r = 0; r < c.size; ++r) {
    world.output(r).undefined(bytes);
    (c.in_place ? world.output(r) : world.input(r)).filled(contents(r, 0, bytes));
    world.schedule(r, allreduce(r, c.size, c.what, c.in_place));
  }
  ASSERT_TRUE(world.run(c.what.commutative ? add : compose)) << world.error;
  const Contents sum = reduced(0, c.size - 1, bytes, c.what.commutative);
  for (int r = 0; r < c.size; ++r) ASSERT_EQ(world.output(r).bytes, sum) << r;
  const std::int64_t core = folded(c.size), rest = c.size - core, log = ceil_log2(core);
  if (bytes == 0 && c.what.commutative) {
    EXPECT_EQ(world.messages, 0);
  } else if (bytes <= 8 || !c.what.predefined || c.what.count < core) {
    EXPECT_EQ(world.messages, core * log + 2 * rest);
    EXPECT_EQ(world.bytes, world.messages * bytes);
  } else {
    EXPECT_EQ(world.messages, 2 * core * log + 2 * rest);
    EXPECT_EQ(world.bytes, 2 * (core - 1) * bytes + 2 * rest * bytes);
  }
}

TEST(Allreduce, GivesAllTheSumInRankOrder) {
  for (const int size : kSizes) {
    for (const Bytes count : {0, 1, 2, 3, 4, 7, 8, 9, 15, 16, 31, 32, 33, 63, 64, 65, 1000}) {
      for (const Reduction& what : kinds(count)) {
        check_allreduce({size, 0, what, false});
        check_allreduce({size, 0, what, true});
      }
    }
  }
}

void check_scan(const Case& c, bool inclusive) {
  SCOPED_TRACE(c.name() + (inclusive ? " scan" : " exscan"));
  const Bytes bytes = c.what.bytes();
  World world(c.size);
  std::int64_t exchanges = 0;
  for (int r = 0; r < c.size; ++r) {
    world.output(r).undefined(bytes);
    (c.in_place ? world.output(r) : world.input(r)).filled(contents(r, 0, bytes));
    world.schedule(r, (inclusive ? scan : exscan)(r, c.size, c.what, c.in_place));
    for (int mask = 1; mask < c.size; mask *= 2) exchanges += (r ^ mask) < c.size ? 1 : 0;
  }
  ASSERT_TRUE(world.run(c.what.commutative ? add : compose)) << world.error;
  for (int r = inclusive ? 0 : 1; r < c.size; ++r) {
    ASSERT_EQ(world.output(r).bytes, reduced(0, inclusive ? r : r - 1, bytes, c.what.commutative)) << r;
  }
  if (!inclusive && c.in_place) {
    EXPECT_EQ(world.output(0).bytes, contents(0, 0, bytes));
  }
  EXPECT_EQ(world.messages, bytes == 0 ? 0 : exchanges);
}

TEST(Scan, GivesPrefixesInRankOrder) {
  for (const int size : kSizes) {
    for (const Bytes count : {0, 1, 20}) {
      for (const Reduction& what : kinds(count)) {
        for (const bool in_place : {false, true}) {
          check_scan({size, 0, what, in_place}, true);
          check_scan({size, 0, what, in_place}, false);
        }
      }
    }
  }
}

void check_reduce_scatter(const Case& c, const std::vector<Bytes>& counts, bool as_block = false) {
  SCOPED_TRACE(c.name());
  const Bytes total = std::accumulate(counts.begin(), counts.end(), Bytes{0}) * 8;
  World world(c.size);
  for (int r = 0; r < c.size; ++r) {
    world.output(r).undefined(counts[r] * 8);
    (c.in_place ? world.output(r) : world.input(r)).filled(contents(r, 0, total));
    world.schedule(r, as_block ? reduce_scatter_block(r, c.size, c.what, c.in_place)
                               : reduce_scatter(r, c.size, counts, c.what, c.in_place));
  }
  ASSERT_TRUE(world.run(c.what.commutative ? add : compose)) << world.error;
  const Contents sum = reduced(0, c.size - 1, total, c.what.commutative);
  Bytes at = 0;
  for (int r = 0; r < c.size; ++r) {
    ASSERT_EQ(slice(world.output(r).bytes, 0, counts[r] * 8), slice(sum, at, counts[r] * 8)) << r;
    at += counts[r] * 8;
  }
  if (c.what.commutative && total >= 524288) {
    EXPECT_EQ(world.messages, c.size * (c.size - 1));
    EXPECT_EQ(world.bytes, (c.size - 1) * total);
  }
}

TEST(ReduceScatter, GivesEachItsPart) {
  for (const int size : kSizes) {
    for (const bool in_place : {false, true}) {
      for (const Reduction& what : kinds(0)) {
        std::vector<Bytes> uneven(size), sparse(size, 0);
        for (int i = 0; i < size; ++i) uneven[i] = (i * 7 + 3) % 5;
        sparse[size / 2] = 11;
        check_reduce_scatter({size, 0, what, in_place}, std::vector<Bytes>(size, 0));
        check_reduce_scatter({size, 0, what, in_place}, uneven);
        check_reduce_scatter({size, 0, what, in_place}, sparse);
      }
      for (const Reduction& what : kinds(3)) {
        check_reduce_scatter({size, 0, what, in_place}, std::vector<Bytes>(size, 3), true);
      }
      std::vector<Bytes> many(size, 65536 / size + 1);
      many[0] += 5;
      check_reduce_scatter({size, 0, {0, 8, true, true}, in_place}, many);
    }
  }
}

}  // namespace
}  // namespace emu::model
