#include "base/paged.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace emu
