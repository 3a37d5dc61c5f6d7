#include "wire/heap.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "wire/region.h"
#include "wire/shared_wire.h"

namespace emu::wire {
namespace {

constexpr int slots = 8;
constexpr model::Bytes MiB = 1 << 20;

class HeapTest : public testing::Test {
 protected:
  HeapTest() : map_(slots), region_(*Region::create(std::size_t{4} << 30)) {
    Table::create(region_.base(), map_);
    for (int slot = 0; slot < slots; ++slot) {
      tables_.push_back(std::make_unique<Table>(region_.base(), map_, slot, Lookaheads(Interval())));
      heaps_.push_back(std::make_unique<Heap>(region_.base(), region_.bytes(), *tables_.back(), slot));
    }
  }
  // Memory of the region that the system has allocated, in MiB.
  std::int64_t resident() const {
    struct stat file {};
    fstat(region_.fd(), &file);
    return file.st_blocks * 512 / MiB;
  }
  match::Message* taken(int slot, model::Bytes bytes) {
    return heaps_[static_cast<std::size_t>(slot)]->allocate(bytes);
  }
  match::Message* filled(int slot, model::Bytes bytes, int with = 1) {
    match::Message* const m = taken(slot, bytes);
    std::memset(m->payload(), with, static_cast<std::size_t>(bytes));
    return m;
  }
  void release(int slot, match::Message* m) { heaps_[static_cast<std::size_t>(slot)]->release(m); }

  NodeMap map_;
  Region region_;
  std::vector<std::unique_ptr<Table>> tables_;
  std::vector<std::unique_ptr<Heap>> heaps_;
};

TEST_F(HeapTest, AMessageThatGoesRoundLeavesNoMoreThanItself) {
  for (int slot = 0; slot < slots; ++slot) release((slot + 1) % slots, filled(slot, 17 * MiB));
  EXPECT_LE(resident(), 17 + 1);
}

TEST_F(HeapTest, MemoryThatIsUsedAgainAndAgainStays) {
  std::vector<match::Message*> under_way;
  for (int round = 0; round < 5; ++round) {
    for (int i = 0; i < 16; ++i)
      under_way.push_back(round == 0 ? filled(i % 2, 3 * MiB) : taken(i % 2, 3 * MiB));
    EXPECT_GE(resident(), 16 * 3);
    for (match::Message* m : under_way) release(2, m);
    under_way.clear();
    EXPECT_GE(resident(), 16 * 3) << round;
  }
}

TEST_F(HeapTest, MemoryThatGoesBackAndForthStays) {
  release(1, filled(0, 3 * MiB));          // other memory is idle as well
  for (int round = 0; round < 2; ++round)  // the second use of a block tells that there will be more
    for (int slot = 0; slot < 2; ++slot) release(1 - slot, filled(slot, 17 * MiB));
  for (int round = 0; round < 40; ++round) {
    for (int slot = 0; slot < 2; ++slot) release(1 - slot, taken(slot, 17 * MiB));
    ASSERT_GE(resident(), 2 * 17) << round;
  }
}

TEST_F(HeapTest, MemoryOfLongAgoGoesWhenItsRankSendsAgain) {
  std::vector<match::Message*> many;
  for (int i = 0; i < 12; ++i) many.push_back(filled(0, 3 * MiB));
  for (match::Message* m : many) release(1, m);
  EXPECT_GE(resident(), 12 * 3);
  for (int i = 0; i < 200; ++i) release(0, taken(1, 3 * MiB));
  release(1, taken(0, 3 * MiB));  // it reuses the memory that was given back
  EXPECT_LE(resident(), 9 * 3 + 1);
}

TEST_F(HeapTest, OnlyTheBlocksOwnBytesGo) {
  std::vector<match::Message*> all;
  for (int i = 0; i < 40; ++i) all.push_back(filled(0, i % 2 == 0 ? MiB : 500, i));
  const std::int64_t before = resident();
  for (int i = 0; i < 40; i += 2) release(1, all[static_cast<std::size_t>(i)]);
  for (int i = 0; i < 200; ++i) release(1, taken(0, MiB));
  EXPECT_LT(resident(), before);
  for (int i = 1; i < 40; i += 2)
    for (int k = 0; k < 500; ++k)
      ASSERT_EQ(all[static_cast<std::size_t>(i)]->payload()[k], static_cast<std::byte>(i));
}

TEST_F(HeapTest, ShortMessagesStayWhereTheyAre) {
  std::vector<match::Message*> all;
  for (int i = 0; i < 100; ++i) all.push_back(filled(0, 64 << 10));
  const std::int64_t before = resident();
  for (match::Message* m : all) release(1, m);
  EXPECT_EQ(resident(), before);
}

// Its search for leaks touches all pages of the region.
TEST(RegionTest, IsSmallUnderValgrind) {
  const NodeMap map(slots);
  unsetenv("LD_PRELOAD");
  const std::size_t usual = SharedWire::region_bytes(map);
  setenv("LD_PRELOAD", "/usr/libexec/valgrind/vgpreload_core-amd64-linux.so:/x/libemu.so", 1);
  const std::size_t small = SharedWire::region_bytes(map);
  unsetenv("LD_PRELOAD");
  EXPECT_EQ(small, Table::bytes(map) + SharedWire::bytes_under_valgrind);
  EXPECT_LT(small, usual);
}

}  // namespace
}  // namespace emu::wire
