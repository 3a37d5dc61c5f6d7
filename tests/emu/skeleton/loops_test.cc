// Repeats and loops: compared with a brute-force search; and unfolding restores what was folded.
#include "skeleton/fold/loops.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>

#include "skeleton/fold/repeats.h"

using namespace emu::skeleton;

namespace {

using Text = std::vector<std::uint32_t>;

// All maximal runs, by definition.
std::vector<Run> plain_runs(const Text& text) {
  std::vector<Run> runs;
  const auto n = static_cast<std::uint32_t>(text.size());
  for (std::uint32_t period = 1; 2 * period <= n; ++period) {
    for (std::uint32_t begin = 0; begin + 2 * period <= n;) {
      std::uint32_t end = begin + period;
      while (end < n && text[end] == text[end - period]) ++end;
      if (end - begin >= 2 * period) {
        const bool known = std::any_of(runs.begin(), runs.end(), [&](const Run& run) {
          return period % run.period == 0 && run.begin <= begin && run.end >= end;
        });
        if (!known) runs.push_back({begin, end, period});
      }
      begin = std::max(begin + 1, end - period + 1);
    }
  }
  std::sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) {
    return std::pair(a.period, a.begin) < std::pair(b.period, b.begin);
  });
  return runs;
}

std::string words(const Text& text) {
  std::string words;
  for (const std::uint32_t letter : text) words += std::to_string(letter) + " ";
  return words;
}

Text unfolded(const std::vector<LoopNode>& nodes) {
  Text text;
  walk(nodes, [&](const LoopNode& leaf) { text.push_back(leaf.symbol); });
  return text;
}

// In readable form: letters and "(ab)3".
Text written(const std::string& text) {
  Text result;
  for (const char c : text) result.push_back(static_cast<std::uint32_t>(c - 'a'));
  return result;
}
std::string folded(const std::string& text) { return text_of(fold(written(text), 26)); }

TEST(Repeats, AreThoseOfTheDefinitionInAllShortWords) {
  for (std::uint32_t letters = 2; letters <= 3; ++letters) {
    const std::size_t longest = letters == 2 ? 10 : 6;
    for (std::size_t n = 0; n <= longest; ++n) {
      Text text(n, 0);
      for (;;) {
        ASSERT_EQ(runs_of(text, letters), plain_runs(text)) << words(text);
        ASSERT_EQ(unfolded(fold(text, letters)), text) << words(text);
        std::size_t i = 0;
        while (i < n && ++text[i] == letters) text[i++] = 0;
        if (i == n) break;
      }
    }
  }
}

TEST(Repeats, AreThoseOfTheDefinitionInLongWordsOfManyLetters) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 300; ++trial) {
    const std::uint32_t letters = trial % 3 == 0 ? 300 : trial % 3 == 1 ? 70'000 : 4;
    Text text;
    while (text.size() < 200) {
      Text word(1 + random() % 9);
      for (auto& letter : word) letter = random() % letters;
      for (std::uint32_t i = 1 + random() % 6; i > 0; --i) text.insert(text.end(), word.begin(), word.end());
    }
    ASSERT_EQ(runs_of(text, letters), plain_runs(text)) << words(text);
    ASSERT_EQ(unfolded(fold(text, letters)), text) << words(text);
  }
}

TEST(Loops, AreNested) {
  EXPECT_EQ(folded("abc"), "1 2 3");
  EXPECT_EQ(folded("xababab"), "1 (2 3)x3");
  EXPECT_EQ(folded("xabbbabbbabbby"), "1 (2 (3)x3)x3 4");
  EXPECT_EQ(folded("aaaa"), "(1)x4");
}

TEST(Loops, OfTheSameWordBeginAtTheSamePlace) {
  // The second loop could also begin with c, which precedes it.
  EXPECT_EQ(folded("xabcabcabcyabcabcabcxabcabcabcyabcabcabc"), "(1 (2 3 4)x3 5 (2 3 4)x3)x2");
  EXPECT_EQ(folded("cabcabcabcdabcabcabcd").find("(2 1"), std::string::npos);
}

TEST(Loops, WithCountsThatDifferLittleAreOne) {
  Text text;
  for (const int times : {20, 21, 20, 19, 21}) {
    text.push_back(1);
    text.insert(text.end(), static_cast<std::size_t>(times), 2);
  }
  const auto nodes = fold(text, 3);
  EXPECT_EQ(text_of(nodes), "(1 (2)x~20.2)x5");
  EXPECT_EQ(unfolded(nodes), text);
}

TEST(Loops, WithAnyCountsAreOneIfThatMakesALoop) {
  Text text;
  for (const int times : {3, 20, 7, 40, 11}) {
    text.push_back(1);
    text.insert(text.end(), static_cast<std::size_t>(times), 2);
  }
  const auto nodes = fold(text, 3);
  EXPECT_EQ(symbols_in(nodes), 2u) << text_of(nodes);
  EXPECT_EQ(unfolded(nodes), text);
}

TEST(Loops, OfRandomProgramsUnfoldToTheSame) {
  std::mt19937 random(2);
  for (int trial = 0; trial < 300; ++trial) {
    Text text;
    const std::function<void(int)> program = [&](int depth) {
      for (std::uint32_t part = 1 + random() % 4; part > 0 && text.size() < 3000; --part) {
        if (depth == 0 || random() % 2) {
          text.push_back(random() % 5);
          continue;
        }
        const auto state = random;
        for (std::uint32_t i = 2 + random() % 6; i > 0; --i) {
          if (random() % 4) random = state;  // usually repeats
          program(depth - 1);
        }
      }
    };
    program(4);
    const auto nodes = fold(text, 5, {trial % 2 ? 0.3 : 0.0});
    ASSERT_EQ(unfolded(nodes), text) << text_of(nodes);
  }
}

}  // namespace
