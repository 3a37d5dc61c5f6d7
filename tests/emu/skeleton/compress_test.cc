// From recordings to a skeleton: ranks that differ, orders that differ, loops that must not be changed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "ranks.h"
#include "skeleton/fold/merge.h"
#include "skeleton/fold/regularise.h"
#include "skeleton/generate/generate.h"
#include "skeleton/program/scale.h"
#include "skeleton/program/text.h"

namespace emu::skeleton {
namespace {

TEST(Compress, RanksAtTheEndsOfALineHaveFewerCalls) {
  constexpr int count = 5, rounds = 100;
  Ranks ranks(count);
  for (int rank = 0; rank < count; ++rank) {
    for (int i = 0; i < rounds; ++i) {
      if (rank > 0) ranks.add(rank, message(Function::recv, rank - 1), 1e-3);
      if (rank + 1 < count) ranks.add(rank, message(Function::send, rank + 1, 0, 800), 1e-3);
      ranks.add(rank, all(Function::allreduce));
    }
  }
  const Compressed compressed = ranks.compressed();
  EXPECT_LE(compressed.symbols, 5u) << compressed.structure;
  expect_the_same(ranks, compressed.skeleton);
}

void expect_order_kept(const Ranks& ranks, const Columns& columns, int trial) {
  for (std::size_t rank = 0; rank < ranks.recording.ranks.size(); ++rank) {
    const RankTrace& trace = ranks.recording.ranks[rank];
    const auto& of_event = columns.of_event[rank];
    ASSERT_EQ(of_event.size(), trace.size());
    std::map<std::uint32_t, std::uint32_t> call_of;  // by symbol
    for (std::size_t i = 0; i < of_event.size(); ++i) {
      ASSERT_TRUE(i == 0 || of_event[i - 1] < of_event[i]) << "trial " << trial << ", rank " << rank;
      ASSERT_LT(of_event[i], columns.count);
      const auto [known, first] = call_of.emplace(columns.symbol[of_event[i]], trace.call[i]);
      ASSERT_EQ(known->second, trace.call[i]) << "trial " << trial << ", rank " << rank << ", event " << i;
    }
  }
}

TEST(Compress, AnyMixtureOfRanksKeepsEachOnesOrder) {
  std::mt19937 random(3);
  for (int trial = 0; trial < 100; ++trial) {
    Ranks ranks(2 + static_cast<int>(random() % 6));
    const int count = static_cast<int>(ranks.recording.ranks.size());
    for (int rank = 0; rank < count; ++rank)
      for (int i = 0; i < 30; ++i)
        for (int tag = 0; tag < 4; ++tag)
          if (random() % 8) ranks.add(rank, message(Function::send, (rank + 1) % count, tag, 8));
    // Loops whose counts vary get their mean, so the columns must be right.
    expect_order_kept(ranks, merge(ranks.recording.ranks, 0.1), trial);
    const auto by_loops = merge_by_loops(ranks.recording.ranks, 0.1);
    ASSERT_TRUE(by_loops);
    expect_order_kept(ranks, *by_loops, trial);
  }
}

// A sweep over a grid from one corner and one from the opposite one: ranks at the edges lack some messages of the
// others.
TEST(Compress, SweepsThatTurnRound) {
  constexpr int side = 4, planes = 20;
  Ranks ranks(side * side);
  for (int rank = 0; rank < side * side; ++rank)
    for (int round = 0; round < 10; ++round)
      for (const int way : {1, -1})
        for (int plane = 0; plane < planes; ++plane) {
          const auto there = [&](int row, int column) {
            return row >= 0 && row < side && column >= 0 && column < side;
          };
          const int row = rank / side, column = rank % side;
          if (there(row - way, column)) ranks.add(rank, message(Function::recv, rank - way * side));
          if (there(row, column - way)) ranks.add(rank, message(Function::recv, rank - way));
          if (there(row + way, column)) ranks.add(rank, message(Function::send, rank + way * side, 0, 8));
          if (there(row, column + way)) ranks.add(rank, message(Function::send, rank + way, 0, 8));
        }
  const Compressed compressed = ranks.compressed();
  EXPECT_EQ(compressed.structure, "((1 2 3 4)x20 (5 6 7 8)x20)x10");
  expect_the_same(ranks, compressed.skeleton);
}

TEST(Compress, RemaindersAreKept) {
  for (const int rounds : {3, 7, 249, 1000}) {
    Ranks ranks(2);
    for (int rank = 0; rank < 2; ++rank)
      for (int i = 0; i < rounds; ++i)
        ranks.add(rank, message(rank == 0 ? Function::send : Function::recv, 1 - rank), 1e-3);
    const Compressed compressed = ranks.compressed();
    for (const double scale : {1.0, 2.0, 10.0, 100.0, 1e6}) {
      const Scaling scaling = scale_down(compressed.skeleton, scale);
      for (const auto& [loop, each] : scaling.loops) {
        EXPECT_GE(each.rest, 1);
        EXPECT_DOUBLE_EQ(static_cast<double>(each.first) + static_cast<double>(each.rest) * each.weight,
                         loop->times);
      }
      EXPECT_EQ(scaling.loops.empty(), scale == 1) << rounds << " times, scale " << scale;
      EXPECT_EQ(!scaling.notes.empty(), scaling.share * scale > 2) << rounds << " times, scale " << scale;
    }
  }
}

// The sender has 60 rounds of one message, the receiver 20 of three: their
// loops must be left unchanged, or be scaled so that both numbers agree.
TEST(Compress, SendsAndReceivesStayAsMany) {
  Ranks ranks(2);
  for (int i = 0; i < 60; ++i) ranks.add(0, message(Function::send, 1, 5, 8));
  ranks.add(0, all(Function::barrier));
  ranks.add(1, all(Function::barrier));
  for (int i = 0; i < 20; ++i) {
    for (int k = 0; k < 3; ++k) ranks.add(1, message(Function::recv, 0, 5));
    ranks.add(1, message(Function::send, 1, 9, 8));
    ranks.add(1, message(Function::recv, 1, 9));
  }
  const Compressed compressed = ranks.compressed();
  for (const double scale : {2.0, 7.0, 10.0, 19.0, 100.0}) {
    const Scaling scaling = scale_down(compressed.skeleton, scale);
    std::map<int, double> sent, received;
    const auto count = [&](const auto& self, const std::vector<Node>& nodes, double times) -> void {
      for (const Node& node : nodes) {
        const auto found = scaling.loops.find(&node);
        const double n = !node.is_loop() ? 1
                         : found == scaling.loops.end()
                             ? node.times
                             : static_cast<double>(found->second.first + found->second.rest);
        for (const Call& call : node.step.calls) {
          if (call.function == Function::send) sent[call.tag] += times;
          if (call.function == Function::recv) received[call.tag] += times;
        }
        self(self, node.body, times * n);
      }
    };
    count(count, compressed.skeleton.nodes, 1);
    EXPECT_EQ(sent, received) << "scale " << scale;
  }
}

TEST(Compress, OrdersThatDoNotMatterAreOne) {
  constexpr int rounds = 50;
  std::mt19937 random(4);
  Ranks ranks(4);
  for (int rank = 0; rank < 4; ++rank) {
    for (int i = 0; i < rounds; ++i) {
      std::vector<int> peers{0, 1, 2, 3};
      std::shuffle(peers.begin(), peers.end(), random);
      for (int k = 0; k < 4; ++k)
        ranks.add(rank, message(Function::irecv, peers[static_cast<std::size_t>(k)], 0, 0, k));
      std::shuffle(peers.begin(), peers.end(), random);
      for (int k = 0; k < 4; ++k)
        ranks.add(rank, message(Function::isend, peers[static_cast<std::size_t>(k)], 0, 64, 4 + k));
      std::vector<std::int64_t> slots{0, 1, 2, 3, 4, 5, 6, 7};
      std::shuffle(slots.begin(), slots.end(), random);
      for (const std::int64_t slot : slots) ranks.add(rank, wait({slot}));
      ranks.add(rank, all(Function::allreduce), 1e-3);
    }
  }
  const Compressed compressed = ranks.compressed();
  EXPECT_EQ(compressed.symbols, 10u) << compressed.structure;  // 4 + 4, one wait, one reduction
}

TEST(Compress, NowAndThenAGapIsMeasuredTooLong) {
  std::mt19937 random(5);
  Ranks ranks(2);
  for (int rank = 0; rank < 2; ++rank) {
    for (int i = 0; i < 100; ++i) {
      const auto gap = [&random] { return random() % 5 == 0 ? 4e-6 : 1e-7; };
      ranks.add(rank, message(Function::irecv, 1 - rank, 0, 0, 0), 1e-3);
      ranks.add(rank, message(Function::irecv, rank, 0, 0, 1), gap());
      ranks.add(rank, message(Function::isend, 1 - rank, 0, 64, 2), gap());
      ranks.add(rank, message(Function::isend, rank, 0, 64, 3), gap());
      for (const std::int64_t slot : {0, 1, 2, 3}) ranks.add(rank, wait({slot}), slot == 0 ? 2e-6 : gap());
    }
  }
  const Compressed compressed = ranks.compressed();
  EXPECT_EQ(compressed.symbols, 5u) << compressed.structure;  // four that begin, one wait
}

// Work between two calls that takes about as long as a gap that does not count.
TEST(Compress, NowAndThenWorkIsMeasuredTooShort) {
  std::mt19937 random(6);
  Ranks ranks(2);
  for (int rank = 0; rank < 2; ++rank) {
    for (int i = 0; i < 100; ++i) {
      ranks.add(rank, message(Function::isend, 1 - rank, 0, 64, 0), 1e-3);
      ranks.add(rank, message(Function::irecv, 1 - rank, 0, 0, 1), random() % 5 == 0 ? 8e-7 : 2e-6);
      ranks.add(rank, wait({0, 1}));
    }
  }
  const Compressed compressed = ranks.compressed();
  EXPECT_EQ(compressed.structure, "(1 2 3)x100");
}

TEST(Compress, OrdersThatMatterStay) {
  // The first send and the first receive of a peer and tag match.
  RankTrace trace;
  Ranks ranks(2);
  ranks.add(0, message(Function::isend, 1, 0, 300, 0));
  ranks.add(0, message(Function::isend, 1, 0, 100, 1));
  ranks.add(0, message(Function::isend, 1, 0, 200, 2));
  trace = ranks.recording.ranks[0];
  regularise(trace);
  std::vector<std::int64_t> bytes;
  for (const std::uint32_t call : trace.call) bytes.push_back(trace.calls[call].bytes);
  EXPECT_EQ(bytes, (std::vector<std::int64_t>{300, 100, 200}));
}

TEST(Compress, FourCornersOfAWavefrontStandSideBySide) {
  // From the first corner to the last and back; no rank both sends and receives in each direction.
  constexpr int rounds = 40, blocks = 20, tag = 1;
  Ranks ranks(4);
  for (int round = 0; round < rounds; ++round) {
    for (int block = 0; block < blocks; ++block) {
      for (const int across : {2, 1}) {
        ranks.add(0, message(Function::send, across, tag, 8));
        ranks.add(3, message(Function::recv, across, tag));
      }
      for (const int corner : {1, 2}) {
        ranks.add(corner, message(Function::recv, 0, tag));
        ranks.add(corner, message(Function::send, 3, tag, 8));
      }
    }
    for (int block = 0; block < blocks; ++block) {
      for (const int across : {2, 1}) {
        ranks.add(0, message(Function::recv, across, tag));
        ranks.add(3, message(Function::send, across, tag, 8));
      }
      for (const int corner : {1, 2}) {
        ranks.add(corner, message(Function::recv, 3, tag));
        ranks.add(corner, message(Function::send, 0, tag, 8));
      }
    }
    for (int rank = 0; rank < 4; ++rank) ranks.add(rank, all(Function::allreduce));
  }
  const auto columns = merge_by_loops(ranks.recording.ranks, 0.1);
  ASSERT_TRUE(columns);
  EXPECT_EQ(text_of(fold(columns->symbol, columns->symbols)), "((1 2 3 4)x20 (5 6 7 8)x20 9)x40");
  EXPECT_LE(ranks.compressed().symbols, 13u);
}

// Work that varies from one time to the next: equally for all ranks, or independently.
Ranks varying(bool alike) {
  std::mt19937 random(3);
  std::exponential_distribution<double> work(1e3);
  Ranks ranks(4);
  for (int i = 0; i < 2000; ++i) {
    const double of_all = work(random);
    for (int rank = 0; rank < 4; ++rank)
      ranks.add(rank, all(Function::barrier), (rank + 1) * (alike ? of_all : work(random)));
  }
  return ranks;
}

TEST(Compress, WorkThatDiffersKeepsItsSizes) {
  for (const bool alike : {false, true}) {
    const Skeleton skeleton = varying(alike).compressed().skeleton;
    ASSERT_EQ(skeleton.nodes.size(), 1u);
    const Variation& variation = skeleton.nodes[0].body.at(0).step.variation;
    ASSERT_EQ(variation.classes.size(), class_ends.size());
    double sum = 0, begin = 0;
    for (std::size_t i = 0; i < class_ends.size(); ++i) {
      sum += (class_ends[i] - begin) * variation.classes[i];
      begin = class_ends[i];
    }
    EXPECT_NEAR(sum, 1, 1e-6);
    // Exponential distribution: the shortest eighth, the longest 64th.
    EXPECT_NEAR(variation.classes.front(), 0.0652, 0.01);
    EXPECT_NEAR(variation.classes.back(), 1 + std::log(64), 0.5);
    // The longest of four independent times is 1 + 1/2 + 1/3 + 1/4 times the mean.
    EXPECT_NEAR(variation.together, alike ? 1 : 0, 0.05);
  }
}

TEST(Compress, WorkThatIsAlwaysTheSameHasNoSizes) {
  Ranks ranks(2);
  for (int i = 0; i < 100; ++i)
    for (int rank = 0; rank < 2; ++rank) ranks.add(rank, all(Function::barrier), 1e-3 * (rank + 1));
  EXPECT_TRUE(ranks.compressed().skeleton.nodes.at(0).body.at(0).step.variation.none());
}

TEST(Compress, TextIsTheSameSkeletonWhereWorkDiffers) {
  const Skeleton skeleton = varying(false).compressed().skeleton;
  const std::string text = to_text(skeleton);
  const auto again = parse_text(text, "text");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(to_text(*again), text);
  EXPECT_EQ(*c_program(skeleton, scale_down(skeleton, 5)), *c_program(*again, scale_down(*again, 5)));
  const std::size_t at = text.find("classes=");
  ASSERT_NE(at, text.npos);
  const auto wrong = parse_text(std::string(text).insert(at + 8, "1/"), "text");
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().message.find("classes has 12 values; 11 are needed"), std::string::npos);
}

}  // namespace
}  // namespace emu::skeleton
