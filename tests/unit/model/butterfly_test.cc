// Traeff's butterfly of a reduce-scatter, also among numbers of ranks that are no power of two: its results, and the
// messages, copies, reductions and temporary memory that follow from its description.
#include <gtest/gtest.h>

#include <bit>
#include <numeric>

#include "collectives_data.h"
#include "collectives_world.h"
#include "model/collectives.h"

namespace emu::model {
namespace {

using namespace testing;  // NOLINT: the test's own helpers

constexpr Bytes element = 8;

// Work of all ranks.
struct Work {
  std::int64_t messages = 0;
  Bytes sent = 0, reduced = 0, copied = 0;
  friend bool operator==(const Work&, const Work&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Work& work) {
    return out << work.messages << " messages, " << work.sent << " sent, " << work.reduced << " reduced, "
               << work.copied << " copied";
  }
};

// The bits of a number below `power`, in reverse order.
int mirror(int number, int power) {
  int result = 0;
  for (int bit = 1; bit < power; bit *= 2)
    if (number & bit) result += power / 2 / bit;
  return result;
}

// `parts`: bytes of each rank's result.
Work expected(const std::vector<Bytes>& parts, bool block) {
  const int size = static_cast<int>(parts.size()), power = static_cast<int>(std::bit_floor(parts.size()));
  const int rest = size - power, rounds = std::countr_zero(parts.size() - static_cast<std::size_t>(rest));
  const Bytes all = std::accumulate(parts.begin(), parts.end(), Bytes{0});
  Work work;
  if (all == 0) return work;
  // The even ranks of the first pairs send their vectors and get their parts. In round i the others send 1/2^i of
  // their vectors.
  work.messages = 2 * rest + power * rounds;
  work.sent = work.reduced = (rest + power - 1) * all;
  work.copied = size * all;
  for (int i = 0; i < rest; ++i) work.sent += parts[static_cast<std::size_t>(2 * i)];
  for (int number = 0; number < power; ++number) {
    const int rank = number < rest ? 2 * number + 1 : number + rest;
    const Bytes part = parts[static_cast<std::size_t>(rank)];
    if (mirror(number, power) == number || (block && rest == 0)) {
      work.copied += part;
    } else {
      ++work.messages;
      work.sent += part;
    }
  }
  return work;
}

void check(int size, const std::vector<Bytes>& counts, const Reduction& what, bool in_place, bool block) {
  SCOPED_TRACE(std::to_string(size) + " ranks" + (block ? ", equal parts" : "") +
               (in_place ? ", in place" : "") + (what.commutative ? "" : ", in order"));
  std::vector<Bytes> parts;
  for (const Bytes count : counts) parts.push_back(count * element);
  const Bytes all = std::accumulate(parts.begin(), parts.end(), Bytes{0});
  World world(size);
  Work work;
  for (int r = 0; r < size; ++r) {
    world.output(r).undefined(parts[static_cast<std::size_t>(r)]);
    (in_place ? world.output(r) : world.input(r)).filled(contents(r, 0, all));
    const Schedule schedule = block ? reduce_scatter_block(r, size, what, in_place, Algorithm::butterfly)
                                    : reduce_scatter(r, size, counts, what, in_place, Algorithm::butterfly);
    for (const Step& step : schedule.steps) {
      if (step.kind == Step::Kind::copy) work.copied += step.slice.bytes;
      if (step.kind == Step::Kind::combine) work.reduced += step.slice.bytes;
    }
    world.schedule(r, schedule);
  }
  ASSERT_TRUE(world.run(what.commutative ? add : compose)) << world.error;
  work.messages = world.messages;
  work.sent = world.bytes;
  EXPECT_EQ(work, expected(parts, block));
  const Contents sum = reduced(0, size - 1, all, what.commutative);
  Bytes begin = 0;
  for (int r = 0; r < size; ++r) {
    const Bytes part = parts[static_cast<std::size_t>(r)];
    ASSERT_EQ(slice(world.output(r).bytes, 0, part), slice(sum, begin, part)) << r;
    begin += part;
  }
}

TEST(Butterfly, GivesEachItsPart) {
  for (int size = 1; size <= 40; ++size) {
    const auto ranks = static_cast<std::size_t>(size);
    std::vector<Bytes> uneven(ranks), sparse(ranks, 0);
    for (std::size_t i = 0; i < ranks; ++i) uneven[i] = static_cast<Bytes>((i * 7 + 3) % 5);
    sparse[ranks / 2] = 11;
    for (const bool in_place : {false, true}) {
      for (const bool commutative : {false, true}) {
        const Reduction what{3, element, commutative, true};
        for (const auto& counts :
             {std::vector<Bytes>(ranks, 0), std::vector<Bytes>(ranks, 3), uneven, sparse})
          ASSERT_NO_FATAL_FAILURE(check(size, counts, what, in_place, false));
        ASSERT_NO_FATAL_FAILURE(check(size, std::vector<Bytes>(ranks, 3), what, in_place, true));
      }
    }
  }
}

// A rank has the sum, and receives the half that it keeps in the first round, or the vector of its partner.
TEST(Butterfly, ReceivesHalfOfTheVector) {
  constexpr Bytes part = 16 * element;
  const auto memory = [](int rank, int size, bool block) {
    const Reduction what{16, element, true, true};
    const std::vector<Bytes> counts(static_cast<std::size_t>(size), what.count);
    const Schedule schedule = block ? reduce_scatter_block(rank, size, what, false, Algorithm::butterfly)
                                    : reduce_scatter(rank, size, counts, what, false, Algorithm::butterfly);
    EXPECT_EQ(schedule.largest, size * part);
    return schedule.scratch;
  };
  for (int rank = 0; rank < 8; ++rank) {
    EXPECT_EQ(memory(rank, 8, true), (8 + 4) * part) << rank;
    EXPECT_EQ(memory(rank, 8, false), (8 + 4) * part) << rank;
  }
  // Ranks 1 and 3 are joined by others, and have the numbers 0 and 1 of 4; ranks 4 and 5 have 2 and 3. Numbers 0 and 1
  // stand for two parts.
  EXPECT_EQ(memory(0, 6, false), 6 * part);
  EXPECT_EQ(memory(1, 6, false), (6 + 6) * part);
  EXPECT_EQ(memory(4, 6, false), (6 + 4) * part);
  EXPECT_EQ(memory(5, 6, false), (6 + 2) * part);
}

}  // namespace
}  // namespace emu::model
