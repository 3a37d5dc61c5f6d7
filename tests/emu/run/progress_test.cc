#include "common/progress.h"

#include <gtest/gtest.h>

namespace emu::app {
namespace {

TEST(Progress, ABarHasTheShareAndTheTimeLeft) {
  EXPECT_EQ(bar(0.4, 2), "[########............] 40 %, about 3 s left");
  EXPECT_EQ(bar(0, 0), "[....................] 0 %");
  EXPECT_EQ(bar(1, 2), "[####################] 100 %");
  EXPECT_EQ(bar(1.7, 2), bar(1, 2));  // what is counted may be more than was foreseen
}

}  // namespace
}  // namespace emu::app
