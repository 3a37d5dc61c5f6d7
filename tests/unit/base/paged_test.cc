#include "base/paged.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

namespace emu {
namespace {

struct Counted {
  static inline int made = 0;
  int value = 7;
  Counted() { ++made; }
};

TEST(Paged, WhatIsOnlyReadTakesNoMemory) {
  const int before = Counted::made;
  Paged<Counted, 4> array(1000);
  for (std::size_t i = 0; i < 1000; ++i) EXPECT_EQ(std::as_const(array)[i].value, 7);
  EXPECT_LE(Counted::made - before, 1);
  array[999].value = 3;
  array[997].value = 2;
  EXPECT_LE(Counted::made - before, 5);
  EXPECT_EQ(std::as_const(array)[999].value, 3);
  EXPECT_EQ(std::as_const(array)[998].value, 7);
  EXPECT_EQ(std::as_const(array)[997].value, 2);
}

TEST(Paged, ElementsOfAPageThatIsNotFull) {
  Paged<int, 64> array(65);
  array[64] = 1;
  EXPECT_EQ(std::as_const(array)[64], 1);
  EXPECT_EQ(std::as_const(array)[63], 0);
}

TEST(Paged, ElementsFarFromEachOther) {
  Paged<int, 4> array(100'000);
  const auto places = {0u, 3u, 4u, 255u, 256u, 257u, 511u, 99'999u};
  for (const unsigned i : places) array[i] = static_cast<int>(i) + 1;
  int others = 0;
  for (unsigned i = 0; i < 100'000; ++i) {
    if (std::count(places.begin(), places.end(), i) == 0)
      others += std::as_const(array)[i];
    else
      EXPECT_EQ(std::as_const(array)[i], static_cast<int>(i) + 1);
  }
  EXPECT_EQ(others, 0);
}

}  // namespace
}  // namespace emu
