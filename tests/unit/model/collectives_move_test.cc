// As collectives_test.cc, for the operations that only move data: gather, scatter, allgather and alltoall.
#include <gtest/gtest.h>

#include <bit>
#include <numeric>

#include "collectives_data.h"
#include "collectives_world.h"
#include "model/collectives.h"

namespace emu::model {
namespace {

using namespace testing;  // NOLINT: the test's own helpers

// Lengths of the parts of irregular operations: equal, growing, with empty ones, all at one rank, none.
std::vector<std::vector<Bytes>> irregular(int size) {
  std::vector<std::vector<Bytes>> all(5, std::vector<Bytes>(size, 0));
  for (int i = 0; i < size; ++i) {
    all[0][i] = 24;
    all[1][i] = 8 * (i + 1);
    all[2][i] = 8 * ((i * 7 + 3) % 5);
  }
  all[3][size / 2] = 1000;
  return all;
}

Contents all_blocks(int size, Bytes block) {
  Contents all;
  for (int i = 0; i < size; ++i) append(all, contents(i, 0, block));
  return all;
}

std::string label(int size, int root, Bytes bytes, bool in_place) {
  return "size " + std::to_string(size) + " root " + std::to_string(root) + " bytes " +
         std::to_string(bytes) + " in place " + std::to_string(in_place);
}

// Sum of the bytes over the edges of the tree: each edge carries the blocks of its subtree once.
Bytes tree_bytes(int size, Bytes block) {
  Bytes total = 0;
  for (int number = 1; number < size; ++number) total += std::min(number & -number, size - number) * block;
  return total;
}

void check_gather(int size, int root, Bytes block, bool in_place) {
  SCOPED_TRACE(label(size, root, block, in_place));
  World world(size);
  const Contents expected = all_blocks(size, block);
  for (int r = 0; r < size; ++r) {
    const bool placed = in_place && r == root;
    if (!placed) world.input(r).filled(contents(r, 0, block));
    if (r == root) world.output(r).undefined(size * block);
    if (placed) {
      std::copy_n(expected.begin() + r * block, block, world.output(r).bytes.begin() + r * block);
      std::fill_n(world.output(r).defined.begin() + r * block, block, 1);
    }
    world.schedule(r, gather(r, size, root, block, in_place));
  }
  ASSERT_TRUE(world.run(add)) << world.error;
  ASSERT_EQ(world.output(root).bytes, expected);
  EXPECT_EQ(world.messages, block == 0 ? 0 : size - 1);
  EXPECT_EQ(world.bytes, tree_bytes(size, block));
}

void check_scatter(int size, int root, Bytes block, bool in_place) {
  SCOPED_TRACE(label(size, root, block, in_place));
  World world(size);
  for (int r = 0; r < size; ++r) {
    if (r == root) world.input(r).filled(all_blocks(size, block));
    if (r != root || !in_place) world.output(r).undefined(block);
    world.schedule(r, scatter(r, size, root, block, in_place));
  }
  ASSERT_TRUE(world.run(add)) << world.error;
  for (int r = 0; r < size; ++r) {
    if (r == root && in_place) continue;
    ASSERT_EQ(world.output(r).bytes, contents(r, 0, block)) << r;
  }
  EXPECT_EQ(world.messages, block == 0 ? 0 : size - 1);
  EXPECT_EQ(world.bytes, tree_bytes(size, block));
}

TEST(GatherAndScatter, MoveBlocksInRankOrder) {
  for (const int size : kSizes) {
    for (const int root : roots(size)) {
      for (const Bytes block : {0, 1, 13, 1023, 1024, 1500}) {
        for (const bool in_place : {false, true}) {
          check_gather(size, root, block, in_place);
          check_scatter(size, root, block, in_place);
        }
      }
    }
  }
}

// Places the parts of the group according to `places` in one memory, with gaps that no rank writes.
void place_all(Memory& memory, const std::vector<Block>& places, int only = -1) {
  for (int i = 0; i < static_cast<int>(places.size()); ++i) {
    if (only >= 0 && i != only) continue;
    const Contents c = contents(i, 0, places[i].bytes);
    std::copy(c.begin(), c.end(), memory.bytes.begin() + places[i].offset);
    std::fill_n(memory.defined.begin() + places[i].offset, places[i].bytes, 1);
  }
}

void expect_all(const Memory& memory, const std::vector<Block>& places) {
  for (int i = 0; i < static_cast<int>(places.size()); ++i) {
    ASSERT_EQ(slice(memory.bytes, places[i].offset, places[i].bytes), contents(i, 0, places[i].bytes)) << i;
  }
}

void check_gatherv(int size, int root, const std::vector<Bytes>& lengths, bool in_place) {
  SCOPED_TRACE(label(size, root, lengths[0], in_place));
  const std::vector<Block> places = blocks(lengths, 5);
  World world(size);
  std::int64_t full = 0;
  for (int r = 0; r < size; ++r) {
    const bool placed = in_place && r == root;
    if (!placed) world.input(r).filled(contents(r, 0, lengths[r]));
    if (r == root) world.output(r).undefined(end_of(places));
    if (placed) place_all(world.output(r), places, r);
    full += r != root && lengths[r] > 0;
    world.schedule(r,
                   gatherv(r, size, root, lengths[r], r == root ? places : std::vector<Block>{}, in_place));
  }
  ASSERT_TRUE(world.run(add)) << world.error;
  expect_all(world.output(root), places);
  EXPECT_EQ(world.messages, full);
}

void check_scatterv(int size, int root, const std::vector<Bytes>& lengths, bool in_place) {
  SCOPED_TRACE(label(size, root, lengths[0], in_place));
  const std::vector<Block> places = blocks(lengths, 5);
  World world(size);
  for (int r = 0; r < size; ++r) {
    if (r == root) {
      world.input(r).undefined(end_of(places));
      place_all(world.input(r), places);
    }
    if (r != root || !in_place) world.output(r).undefined(lengths[r]);
    world.schedule(r,
                   scatterv(r, size, root, r == root ? places : std::vector<Block>{}, lengths[r], in_place));
  }
  ASSERT_TRUE(world.run(add)) << world.error;
  for (int r = 0; r < size; ++r) {
    if (r == root && in_place) continue;
    ASSERT_EQ(world.output(r).bytes, contents(r, 0, lengths[r])) << r;
  }
  EXPECT_EQ(world.bytes, std::accumulate(lengths.begin(), lengths.end(), Bytes{0}) - lengths[root]);
}

TEST(GathervAndScatterv, MoveEachPartItsPlace) {
  for (const int size : kSizes) {
    for (const int root : roots(size)) {
      for (const auto& lengths : irregular(size)) {
        for (const bool in_place : {false, true}) {
          check_gatherv(size, root, lengths, in_place);
          check_scatterv(size, root, lengths, in_place);
        }
      }
    }
  }
}

TEST(Gatherv, IsSynchronousFrom32RanksOn) {
  EXPECT_FALSE(gatherv_synchronous(31));
  EXPECT_TRUE(gatherv_synchronous(32));
}

void check_allgather(int size, Bytes block, bool in_place) {
  SCOPED_TRACE(label(size, 0, block, in_place));
  const std::vector<Block> places = blocks(std::vector<Bytes>(size, block), 0);
  World world(size);
  for (int r = 0; r < size; ++r) {
    world.output(r).undefined(size * block);
    if (in_place) place_all(world.output(r), places, r);
    if (!in_place) world.input(r).filled(contents(r, 0, block));
    world.schedule(r, allgather(r, size, block, in_place));
  }
  ASSERT_TRUE(world.run(add)) << world.error;
  const Contents expected = all_blocks(size, block);
  for (int r = 0; r < size; ++r) ASSERT_EQ(world.output(r).bytes, expected) << r;
  const bool long_way = size * block >= (power(size) ? 524288 : 81920);
  const int rounds = block == 0 ? 0 : long_way ? size - 1 : ceil_log2(size);
  for (int r = 0; r < size; ++r) EXPECT_EQ(world.sends_of[r], rounds);
  EXPECT_EQ(world.bytes, size * (size - 1) * block);
}

TEST(Allgather, GivesAllEverything) {
  for (const int size : kSizes) {
    for (const bool in_place : {false, true}) {
      for (const Bytes block : {0, 1, 100}) check_allgather(size, block, in_place);
      for (const Bytes limit : {81920, 524288}) {
        for (const Bytes block : {limit / size - 1, limit / size, limit / size + 1}) {
          check_allgather(size, block, in_place);
        }
      }
    }
  }
}

void check_allgatherv(int size, const std::vector<Bytes>& lengths, Element element, bool in_place) {
  SCOPED_TRACE(label(size, 0, lengths[0], in_place));
  const std::vector<Block> places = blocks(lengths, 3);
  World world(size);
  for (int r = 0; r < size; ++r) {
    world.output(r).undefined(end_of(places));
    if (in_place) place_all(world.output(r), places, r);
    if (!in_place) world.input(r).filled(contents(r, 0, lengths[r]));
    world.schedule(r, allgatherv(r, size, places, element, in_place));
  }
  ASSERT_TRUE(world.run(add)) << world.error;
  for (int r = 0; r < size; ++r) expect_all(world.output(r), places);
  const Bytes total = std::accumulate(lengths.begin(), lengths.end(), Bytes{0});
  EXPECT_EQ(world.bytes, (size - 1) * total);
  std::int64_t messages = size * ceil_log2(size);
  if (total == 0) messages = 0;
  if (total >= (power(size) ? 524288 : 81920)) {
    const Bytes piece = std::max<Bytes>(32768 / element.extent, 1) * element.size;
    messages = 0;
    for (const Bytes length : lengths) messages += (size - 1) * ((length + piece - 1) / piece);
  }
  EXPECT_EQ(world.messages, messages);
}

TEST(Allgatherv, GivesAllEverythingInItsPlace) {
  for (const int size : kSizes) {
    for (const bool in_place : {false, true}) {
      auto cases = irregular(size);
      std::vector<Bytes> even(size, 32768 + 8), one(size, 0), uneven(size, 0), ends(size, 8);
      one[size - 1] = 600000;
      for (int i = 0; i < size; ++i) uneven[i] = i % 2 ? 0 : 70000 + 8 * i;
      ends[0] = ends[size - 1] = 300000;
      if (size <= 17) cases.insert(cases.end(), {even, one, uneven, ends});
      for (const auto& lengths : cases) check_allgatherv(size, lengths, {8, 8}, in_place);
      if (size <= 17) check_allgatherv(size, uneven, {8, 24}, in_place);
      if (size <= 9) check_allgatherv(size, ends, {8, 100000}, in_place);
    }
  }
}

void check_alltoall(int size, Bytes block, bool in_place) {
  SCOPED_TRACE(label(size, 0, block, in_place));
  World world(size);
  for (int r = 0; r < size; ++r) {
    Contents sent;
    for (int i = 0; i < size; ++i) append(sent, contents(r, i, block));
    world.output(r).undefined(size * block);
    (in_place ? world.output(r) : world.input(r)).filled(sent);
    world.schedule(r, alltoall(r, size, block, in_place));
  }
  ASSERT_TRUE(world.run(add)) << world.error;
  for (int r = 0; r < size; ++r) {
    for (int i = 0; i < size; ++i) {
      ASSERT_EQ(slice(world.output(r).bytes, i * block, block), contents(i, r, block)) << i << "->" << r;
    }
  }
  const bool bruck = !in_place && size > 8 && block <= 256;
  Bytes blocks_sent = bruck ? 0 : size - 1;
  for (int i = 1; bruck && i < size; ++i) blocks_sent += std::popcount(static_cast<unsigned>(i));
  EXPECT_EQ(world.messages, block == 0 ? 0 : size * (bruck ? ceil_log2(size) : size - 1));
  EXPECT_EQ(world.bytes, size * blocks_sent * block);
}

TEST(Alltoall, Transposes) {
  for (const int size : kSizes) {
    for (const bool in_place : {false, true}) {
      for (const Bytes block : {0, 1, 255, 256, 257}) check_alltoall(size, block, in_place);
      if (size > 17) continue;
      for (const Bytes block : {32767, 32768, 32769}) check_alltoall(size, block, in_place);
    }
  }
}

// The maximal number of messages of a rank that are in progress at once.
int in_flight(const Schedule& schedule) {
  int now = 0, most = 0;
  for (const Step& step : schedule.steps) {
    if (step.kind == Step::Kind::send) most = std::max(most, ++now);
    if (step.kind == Step::Kind::wait) now = 0;
  }
  return most;
}

TEST(Alltoall, ThrottlesMiddleBlocksAndPairsLongOnes) {
  EXPECT_EQ(in_flight(alltoall(3, 64, 257)), 32);
  EXPECT_EQ(in_flight(alltoall(3, 32, 32768)), 31);
  EXPECT_EQ(in_flight(alltoall(3, 64, 32769)), 1);
  EXPECT_EQ(in_flight(alltoall(3, 7, 1)), 6);
}

// length(from, to)
template <typename Length>
void check_alltoallv(int size, Length length, bool in_place) {
  SCOPED_TRACE(label(size, 0, length(0, 0), in_place));
  World world(size);
  std::vector<std::vector<Block>> received(size);
  std::int64_t messages = 0;
  for (int r = 0; r < size; ++r) {
    std::vector<Bytes> out_lengths(size), in_lengths(size);
    for (int i = 0; i < size; ++i) {
      out_lengths[i] = length(r, i);
      in_lengths[i] = length(i, r);
      messages += i != r && (in_place || out_lengths[i] > 0);
    }
    const std::vector<Block> sends = blocks(out_lengths, 2);
    received[r] = blocks(in_lengths, 4);
    world.output(r).undefined(end_of(received[r]));
    world.input(r).undefined(end_of(sends));
    Memory& from = in_place ? world.output(r) : world.input(r);
    const std::vector<Block>& places = in_place ? received[r] : sends;
    if (in_place) world.input(r).absent();
    for (int i = 0; i < size; ++i) {
      const Contents c = contents(r, i, places[i].bytes);
      std::copy(c.begin(), c.end(), from.bytes.begin() + places[i].offset);
      std::fill_n(from.defined.begin() + places[i].offset, places[i].bytes, 1);
    }
    world.schedule(r, alltoallv(r, size, in_place ? std::vector<Block>{} : sends, received[r], in_place));
  }
  ASSERT_TRUE(world.run(add)) << world.error;
  for (int r = 0; r < size; ++r) {
    for (int i = 0; i < size; ++i) {
      const Block& place = received[r][i];
      ASSERT_EQ(slice(world.output(r).bytes, place.offset, place.bytes), contents(i, r, place.bytes)) << i;
    }
  }
  EXPECT_EQ(world.messages, messages);
}

TEST(Alltoallv, MovesEachPartItsPlace) {
  for (const int size : kSizes) {
    check_alltoallv(
        size, [](int a, int b) { return Bytes{8} * ((a * 3 + b * 5) % 4); }, false);
    check_alltoallv(
        size, [](int a, int b) { return Bytes{1} + a + 2 * b; }, false);
    check_alltoallv(
        size, [](int, int) { return Bytes{0}; }, false);
    check_alltoallv(
        size, [](int a, int) { return Bytes{a == 0 ? 40000 : 0}; }, false);
    check_alltoallv(
        size, [](int a, int b) { return Bytes{1} + a + b; }, true);
    check_alltoallv(
        size, [](int a, int b) { return Bytes{8} * ((a + b) % 3); }, true);
  }
}

}  // namespace
}  // namespace emu::model
