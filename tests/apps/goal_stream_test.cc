// Operations that are read from the text during the run: operations may start in the order that they have in memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "order.h"
#include "stream.h"
#include "survey.h"

namespace emu::goal {
namespace {

constexpr std::int64_t plenty = 1 << 30;

// A stream of `text`.
std::shared_ptr<Streamed> streamed(const std::string& text, std::int64_t memory) {
  const auto kept = std::make_shared<std::string>(text);
  auto* const made = new Streamed(*kept, "x.goal", memory, [](std::string_view) {});
  return {made, [kept](Streamed* it) { delete it; }};
}

Part in_memory(const std::string& text) {
  Reader reader(text, "x.goal");
  Block block;
  EXPECT_TRUE(reader.ranks());
  EXPECT_TRUE(reader.next(block));
  return Part(block);
}

// The survey of the first block; null if the block has to be in memory.
std::shared_ptr<StreamedBlock> surveyed(const std::string& text, std::int64_t memory = plenty) {
  auto block = std::make_shared<StreamedBlock>(Survey{}, streamed(text, memory));
  Reader reader(text, "x.goal");
  Block scratch;
  EXPECT_TRUE(reader.ranks());
  EXPECT_TRUE(reader.begin(scratch));
  const auto found = Surveyor().survey(reader, scratch, *block->text, block->survey);
  EXPECT_TRUE(found) << found.error().message;
  return found && *found ? block : nullptr;
}

using Random = std::mt19937;

bool chance(Random& random, int percent) { return static_cast<int>(random() % 100) < percent; }
int below(Random& random, int limit) { return static_cast<int>(random() % static_cast<unsigned>(limit)); }

// One block in which operations wait for up to `far` preceding operations; statements about them follow soon. If `far`
// is large, the window is smaller than this distance: each operation depends on its predecessor, and the last one may
// always start.
std::string random_block(Random& random, int operations) {
  const bool follow = chance(random, 25);
  const int far = follow ? 65 + below(random, operations / 4 - 70) : 1 + below(random, 12);
  const int late = below(random, 4), free_before = follow ? 1 : below(random, operations);
  const int often = chance(random, 30) ? 0 : below(random, 101), first = below(random, 20);
  std::string text = "num_ranks 2\nrank 0 {\n";
  std::vector<std::string> pending;
  const auto label = [&](int i) { return "l" + std::to_string(first + i); };
  for (int i = 0; i < operations; ++i) {
    const char* const what[] = {"calc 5", "send 8b to 1 tag 1", "recv 8b from 1"};
    text += label(i) + ": " + what[below(random, 3)] + "\n";
    const bool must = i >= free_before && !(follow && i + 1 == operations);
    if (must && follow) pending.push_back(label(i) + " requires " + label(i - 1) + "\n");
    for (int k = below(random, 3) + (must ? 1 : 0); k > 0 && i > 0; --k)
      if (must || chance(random, often))
        pending.push_back(label(i) + (chance(random, 70) ? " requires " : " irequires ") +
                          label(std::max(0, i - 1 - below(random, far))) + "\n");
    if (below(random, late + 1) != 0 && i + 1 < operations) continue;
    for (const std::string& statement : pending) text += statement;
    pending.clear();
  }
  return text + "}\nrank 1 {\n}\n";
}

// Plays both parts in parallel: the operations that may start, and whether each is alone, must agree at each moment.
void expect_same_order(const Part& part, const Part& in_text, Random& random) {
  Order order(part), other(in_text);
  std::set<int> under_way;
  int at_most = 1 + below(random, 40);
  while (!order.over()) {
    ASSERT_FALSE(other.over());
    const bool starts =
        under_way.empty() || (static_cast<int>(under_way.size()) < at_most && chance(random, 70));
    if (starts) {
      const int next = order.take();
      ASSERT_EQ(other.take(), next);
      if (next >= 0) {
        const Operation16 &a = part[next], &b = other[next];
        ASSERT_TRUE(a.amount == b.amount && a.tag == b.tag && a.peer == b.peer && a.kind == b.kind) << next;
        if (chance(random, 50)) {
          ASSERT_EQ(other.alone(next), order.alone(next)) << next;
        }
        order.started(next);
        other.started(next);
        under_way.insert(next);
        continue;
      }
      ASSERT_FALSE(under_way.empty());
    }
    auto one = under_way.begin();
    std::advance(one, below(random, static_cast<int>(under_way.size())));
    order.complete(*one);
    other.complete(*one);
    under_way.erase(one);
  }
  EXPECT_TRUE(other.over());
}

TEST(Stream, OrderOfRandomBlocksIsThatInMemory) {
  int chains = 0, in_text = 0;
  for (unsigned seed = 1; seed <= 400; ++seed) {
    Random random(seed);
    const std::string text = random_block(random, 400 + below(random, 1000));
    const auto block = surveyed(text);
    if (!block) continue;
    ++in_text;
    const Part part = in_memory(text);
    chains += part.chain() ? 1 : 0;
    expect_same_order(part, Part(block), random);
    ASSERT_FALSE(HasFailure()) << "seed " << seed << "\n" << text;
  }
  EXPECT_GT(in_text, 300);
}

std::string block_of(int operations, const auto& statements) {
  std::string text = "num_ranks 2\nrank 1 {\n";
  for (int i = 0; i < operations; ++i) {
    text += "l" + std::to_string(i) + ": calc " + std::to_string(i) + "\n";
    text += statements(i);
  }
  return text + "}\n";
}

std::string chained(int i, int distance = 1) {
  return i < distance ? "" : "l" + std::to_string(i) + " requires l" + std::to_string(i - distance) + "\n";
}

TEST(Stream, SurveyFindsWhatToReadAhead) {
  const auto chain = surveyed(block_of(1000, [](int i) { return chained(i); }));
  ASSERT_TRUE(chain);
  EXPECT_EQ(chain->survey.operations, 1000);
  EXPECT_EQ(chain->survey.ahead, 1);
  EXPECT_EQ(chain->survey.last_free, 0);
  EXPECT_EQ(chain->survey.longest, 999);
  const auto pairs = surveyed(block_of(1000, [](int i) { return i == 500 ? "" : chained(i, 2); }));
  ASSERT_TRUE(pairs);
  EXPECT_EQ(pairs->survey.ahead, 2);
  EXPECT_EQ(pairs->survey.last_free, 500);
}

TEST(Stream, BlocksThatHaveToBeInMemory) {
  EXPECT_FALSE(surveyed(block_of(100, [](int i) { return chained(i); }))) << "short";
  EXPECT_FALSE(surveyed(block_of(1000, [](int i) { return chained(i, 600); }))) << "far";
  EXPECT_FALSE(surveyed(block_of(1000, [](int i) {
    return i == 999 ? std::string("l0 requires l999\n") : std::string();
  }))) << "backwards";
  EXPECT_FALSE(surveyed(block_of(1000, [](int i) {
    return i == 500 ? std::string("x: calc 1\n") : chained(i);
  }))) << "labels";
}

TEST(Stream, WindowsAreBounded) {
  // All operations may start at once, and none completes.
  const std::string text = block_of(100'000, [](int) { return ""; });
  const Part part(surveyed(text, 1 << 20));
  Order order(part);
  std::string message;
  try {
    for (int i = 0; i < 100'000; ++i) order.started(order.take());
  } catch (const Stream::Exceeded& exceeded) {
    message = exceeded.message;
  }
  EXPECT_EQ(
      message,
      "x.goal: rank 1 has 32768 operations in progress or waiting, and all ranks together more than 1 MiB of "
      "them (expected a larger --memory)");
  // A window is reused: a chain of operations needs no more memory than its first operations.
  const Part chain(surveyed(block_of(100'000, [](int i) { return chained(i); }), 1 << 14));
  Order one_by_one(chain);
  for (int i = 0; i < 100'000; ++i) {
    ASSERT_EQ(one_by_one.take(), i);
    EXPECT_EQ(one_by_one[i].amount, i);
    one_by_one.started(i);
    one_by_one.complete(i);
  }
  EXPECT_TRUE(one_by_one.over());
}

}  // namespace
}  // namespace emu::goal
