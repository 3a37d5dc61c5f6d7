#include "wire/jitter.h"

#include <gtest/gtest.h>

namespace emu::wire {
namespace {

// Total microseconds and number of the pauses at `places` places.
struct Slept {
  std::int64_t microseconds = 0, pauses = 0, longest = 0;
};
Slept sleep(Pauses& pauses, std::int64_t places) {
  Slept all;
  for (std::int64_t i = 0; i < places; ++i) {
    const std::int64_t pause = pauses.next();
    all.microseconds += pause;
    all.pauses += pause > 0;
    all.longest = std::max(all.longest, pause);
  }
  return all;
}

TEST(Pauses, AreDenseAtFirst) {
  Pauses pauses(200, 3);
  const Slept first = sleep(pauses, 8000);
  EXPECT_GT(first.pauses, 800);
  EXPECT_LT(first.pauses, 1200);
  EXPECT_GT(first.longest, 190);
  EXPECT_LT(first.longest, 200);
}

// Dense pauses at all places would take 250 s.
TEST(Pauses, OfTwentyMillionPlacesTakeSomeSeconds) {
  Pauses pauses(200, 5);
  EXPECT_LT(sleep(pauses, 20'000'000).microseconds, 10'000'000);
}

TEST(Pauses, GoOnToTheEnd) {
  Pauses pauses(200, 7);
  sleep(pauses, 20'000'000);
  EXPECT_GT(sleep(pauses, 1'000'000).pauses, 100);
}

TEST(Pauses, ThatAreLongAreFewer) {
  Pauses pauses(100'000, 9);
  const Slept all = sleep(pauses, 1'000'000);
  EXPECT_LT(all.microseconds, 20'000'000);
  EXPECT_GT(all.longest, 90'000);
}

}  // namespace
}  // namespace emu::wire
