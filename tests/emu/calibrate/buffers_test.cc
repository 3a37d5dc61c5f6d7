// The memory of the messages that emu-calibrate sends and receives.
#include "calibrate/buffers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace calibrate {
namespace {

constexpr std::int64_t cache = 1 << 20, longest = 100'000;

TEST(Buffers, WarmMessagesHaveTheSameMemory) {
  Buffers warm(longest, false, cache);
  EXPECT_FALSE(warm.cold());
  char* const first = warm.next(longest);
  first[longest - 1] = 1;
  warm.prepare(1000, longest);
  EXPECT_EQ(warm.next(1), first);
  EXPECT_EQ(warm.next(longest), first);
}

// Between two uses of any byte more than a cache of other bytes are used, or prepare() has read as much.
TEST(Buffers, ColdMessagesUseNoByteTwiceBeforeACacheOfOthers) {
  for (const std::int64_t bytes :
       {std::int64_t{0}, std::int64_t{1}, std::int64_t{4097}, longest, 3 * cache}) {
    Buffers cold(std::max(bytes, longest), true, cache);
    EXPECT_TRUE(cold.cold());
    std::map<char*, std::int64_t> used_at;  // by begin: bytes that were used before
    std::int64_t used = 0;
    char* last_end = nullptr;
    for (int i = 0; i < 200; ++i) {  // in one command
      char* const place = cold.next(bytes);
      std::fill_n(place, bytes, char{2});
      if (last_end && place > last_end - bytes) {
        EXPECT_GE(place, last_end) << "parts overlap";
      }
      last_end = place + bytes;
      if (const auto before = used_at.find(place); before != used_at.end()) {
        EXPECT_GT(used - before->second, cache) << bytes << " bytes, message " << i;
      }
      used_at[place] = used;
      used += bytes;
    }
    EXPECT_GT(used_at.size(), 1u);
  }
}

TEST(Buffers, ShortMessagesBeginAgainOnlyBehindACacheOfOtherMemory) {
  Buffers cold(longest, true, cache);
  std::map<char*, int> uses;
  int commands = 0;
  for (; uses.empty() || uses.begin()->second < 2; ++commands) {
    ASSERT_LT(commands, 10'000);
    cold.prepare(100, 8);
    for (int i = 0; i < 100; ++i)
      if (++uses[cold.next(8)] == 2) {
        EXPECT_EQ(i, 0) << "begins again within a command";
        break;
      }
  }
  EXPECT_GE(static_cast<std::int64_t>(uses.size()) * 4096, 2 * cache - 100 * 4096);
}

TEST(Buffers, ColdBuffersCanStayForAWhile) {
  Buffers cold(longest, true, cache);
  cold.stay(true);
  char* const same = cold.next(8);
  EXPECT_EQ(cold.next(longest), same);
  cold.stay(false);
  cold.next(8);
  EXPECT_NE(cold.next(8), same);
}

TEST(Buffers, TheCachesOfThisMachineHaveASize) { EXPECT_GE(cache_bytes(), 1 << 16); }

}  // namespace
}  // namespace calibrate
