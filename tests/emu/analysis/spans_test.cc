// Spans of time: cut at their ends, and counted back from an instant.
#include "analysis/spans.h"

#include <gtest/gtest.h>

#include <string>

namespace emu::analysis {
namespace {

Instant at(std::int64_t ps) { return Instant::from_picoseconds(ps); }
Interval ps(std::int64_t n) { return Interval::picoseconds(n); }

TEST(Spans, CutAndCountedBack) {
  Spans spans;
  spans.add(at(10), at(20));
  spans.add(at(20), at(25));  // merged with the previous span
  spans.add(at(40), at(50));
  EXPECT_EQ(spans.all().size(), 2u);
  const auto cut = [&](std::int64_t from, std::int64_t until) {
    std::string text;
    spans.cut(at(from), at(until), [&](bool inside, Instant a, Instant b) {
      text += (inside ? "+" : "-") + std::to_string(a.picoseconds()) + "," + std::to_string(b.picoseconds()) +
              " ";
    });
    return text;
  };
  EXPECT_EQ(cut(0, 60), "-0,10 +10,25 -25,40 +40,50 -50,60 ");
  EXPECT_EQ(cut(10, 25), "+10,25 ");
  EXPECT_EQ(cut(12, 41), "+12,25 -25,40 +40,41 ");
  EXPECT_EQ(cut(25, 40), "-25,40 ");
  EXPECT_EQ(cut(30, 30), "");
  EXPECT_EQ(spans.back(at(60), ps(10), at(0)), at(50));  // the latest instant: after the span
  EXPECT_EQ(spans.back(at(60), ps(11), at(0)), at(39));
  EXPECT_EQ(spans.back(at(50), ps(0), at(0)), at(50));
  EXPECT_EQ(spans.back(at(60), ps(26), at(0)), at(9));
  EXPECT_EQ(spans.back(at(60), ps(26), at(30)), at(30));
}

}  // namespace
}  // namespace emu::analysis
