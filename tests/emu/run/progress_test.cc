#include "common/progress.h"

#include <gtest/gtest.h>

namespace emu::app {
namespace {

TEST(Progress, ABarHasTheShareAndTheTimeLeft) {
  EXPECT_EQ(bar(0.4, 2), "[########............] 40 %, about 3 s left");
  EXPECT_EQ(bar(0, 0), "[....................] 0 %");
  EXPECT_EQ(bar(1, 2), "[####################] 100 %");
  EXPECT_EQ(bar(1.7, 2), bar(1, 2));  // the count may exceed the expected total
}

}  // namespace
}  // namespace emu::app
