// From recordings with small numbers of ranks to a larger one: the result equals a recording with the larger number.
#include "skeleton/extrapolate/extrapolate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

using namespace emu::skeleton;

namespace {

// The script of one rank out of a number of ranks.
struct Script {
  struct Event {
    Call call;
    double work;
  };
  std::vector<Event> events;

  Call& add(Function function, double work = 0) {
    Call call;
    call.function = function;
    events.push_back({call, work});
    return events.back().call;
  }
  void message(Function function, int peer, std::int64_t bytes, int comm = world, double work = 0) {
    Call& call = add(function, work);
    call.peer = peer;
    call.bytes = function == Function::recv ? 0 : bytes;
    call.comm = comm;
  }
};
using Program = std::function<Script(int rank, int ranks)>;

Skeleton skeleton_of(const Program& program, int ranks) {
  Recording recording;
  for (int rank = 0; rank < ranks; ++rank) {
    RankTrace& trace = recording.ranks.emplace_back();
    trace.rank = rank;
    trace.ranks = ranks;
    trace.seconds = 1;
    for (const auto& [call, work] : program(rank, ranks).events) {
      const auto known = std::find(trace.calls.begin(), trace.calls.end(), call);
      trace.call.push_back(static_cast<std::uint32_t>(known - trace.calls.begin()));
      if (known == trace.calls.end()) trace.calls.push_back(call);
      trace.work.push_back(static_cast<float>(work));
      trace.inside.push_back(0);
    }
  }
  auto compressed = compress(std::move(recording));
  EXPECT_TRUE(compressed) << compressed.error().message;
  return std::move(compressed->skeleton);
}

emu::Result<Extrapolated> told(const Program& program, const std::vector<int>& from, int ranks) {
  std::vector<Skeleton> recorded;
  for (const int each : from) recorded.push_back(skeleton_of(program, each));
  return extrapolate(std::move(recorded), ranks);
}

struct Played {
  std::vector<Call> calls;
  double work = 0;
};
void play(const std::vector<Node>& nodes, std::size_t rank, Played& to) {
  for (const Node& node : nodes) {
    if (!node.is_loop() && node.step.calls[rank].function != Function::nothing) {
      to.calls.push_back(node.step.calls[rank]);
      to.work += node.step.work[rank];
    }
    for (int i = 0; node.is_loop() && i < static_cast<int>(node.times); ++i) play(node.body, rank, to);
  }
}

void expect_told(const Program& program, const std::vector<int>& from, int ranks) {
  const auto extrapolated = told(program, from, ranks);
  ASSERT_TRUE(extrapolated) << extrapolated.error().message;
  ASSERT_EQ(extrapolated->skeleton.ranks, ranks);
  for (int rank = 0; rank < ranks; ++rank) {
    const Script right = program(rank, ranks);
    Played played;
    play(extrapolated->skeleton.nodes, static_cast<std::size_t>(rank), played);
    ASSERT_EQ(played.calls.size(), right.events.size()) << "rank " << rank;
    double work = 0;
    for (std::size_t i = 0; i < right.events.size(); ++i) {
      EXPECT_EQ(played.calls[i], right.events[i].call) << "rank " << rank << ", event " << i;
      work += right.events[i].work;
    }
    EXPECT_NEAR(played.work, work, 1e-6 * work) << "rank " << rank;
  }
}
void expect_refused(const Program& program, const std::vector<int>& from, int ranks,
                    const std::string& words) {
  const auto extrapolated = told(program, from, ranks);
  ASSERT_FALSE(extrapolated);
  EXPECT_NE(extrapolated.error().message.find(words), std::string::npos) << extrapolated.error().message;
}

// A ring of 20 rounds: a fixed problem cut into one part per rank, and an activity of each rank.
Script ring(int rank, int ranks) {
  Script script;
  for (int round = 0; round < 20; ++round) {
    Call& call = script.add(Function::sendrecv, 0.001 + 1.0 / ranks);
    call.peer = (rank + 1) % ranks;
    call.source = (rank + ranks - 1) % ranks;
    call.bytes = 5'040'000 / ranks;
    Call& sum = script.add(Function::allreduce);
    sum.bytes = sum.unit = 8;
  }
  return script;
}

// An open line: the first and the last rank have one neighbour.
Script line(int rank, int ranks) {
  Script script;
  for (int round = 0; round < 12; ++round) {
    if (rank > 0) script.message(Function::recv, rank - 1, 0, world, rank + 1 == ranks ? 0.3 : 0.2);
    if (rank + 1 < ranks) script.message(Function::send, rank + 1, 512);
  }
  return script;
}

// A grid of rows and columns, with a communicator for each row, in which its first rank is the root.
Script grid(int rank, int ranks) {
  int rows = 1;
  while ((rows + 1) * (rows + 1) <= ranks) ++rows;
  const int columns = ranks / rows, row = rank / columns, column = rank % columns;
  Script script;
  Call& split = script.add(Function::communicator);
  split.peer = row;
  split.tag = column;
  split.slot = 2;
  for (int round = 0; round < 15; ++round) {
    Call& down = script.add(Function::sendrecv, row > 0 ? 2.0 / columns : 3.0 / columns);
    down.peer = row + 1 < rows ? rank + columns : none;
    down.source = row > 0 ? rank - columns : none;
    down.bytes = row + 1 < rows ? 5040 / columns : 0;
    script.message(Function::bcast, 0, 64, 2);
    Call& back = script.add(Function::sendrecv);
    back.comm = 2;
    back.peer = (column + columns - 1) % columns;
    back.source = (column + 1) % columns;
    back.bytes = 8;
  }
  return script;
}

TEST(Extrapolate, RingOfAFixedProblem) { expect_told(ring, {4, 6, 9}, 20); }
TEST(Extrapolate, LineWithEnds) {
  expect_told(line, {4, 6}, 40);
  expect_told(line, {8, 40}, 5);  // a smaller number is possible, too
}
TEST(Extrapolate, GridWithCommunicators) { expect_told(grid, {9, 16, 36}, 144); }

TEST(Extrapolate, EvenAndOddRanks) {
  const auto pairs = [](int rank, int ranks) {
    Script script;
    for (int round = 0; round < 10; ++round)
      if (rank % 2)
        script.message(Function::recv, rank - 1, 0);
      else if (rank + 1 < ranks)
        script.message(Function::send, rank + 1, 8 * ranks);
    return script;
  };
  expect_told(pairs, {6, 10, 14}, 50);
}

TEST(Extrapolate, HalfOfTheRanksAway) {
  const auto halves = [](int rank, int ranks) {
    Script script;
    for (int round = 0; round < 10; ++round) {
      Call& call = script.add(Function::sendrecv);
      call.peer = call.source = (rank + ranks / 2) % ranks;
      call.bytes = 100;
    }
    return script;
  };
  expect_told(halves, {8, 12, 16}, 64);
}

TEST(Extrapolate, BlocksOfEachRank) {
  const auto blocks = [](int rank, int ranks) {
    Script script;
    for (int round = 0; round < 5; ++round) {
      Call& all = script.add(Function::allgatherv);
      all.bytes = rank == 0 ? 80 : 720'720 / ranks;
      for (int each = 0; each < ranks; ++each) all.list.push_back(each == 0 ? 80 : 720'720 / ranks);
      Call& gather = script.add(Function::gatherv);
      gather.peer = ranks - 1;
      gather.bytes = rank == ranks - 1 ? 0 : 16;
      if (rank == ranks - 1)
        for (int each = 0; each < ranks; ++each) gather.list.push_back(each == ranks - 1 ? 32 : 16);
      Call& exchange = script.add(Function::alltoallv);
      exchange.list.assign(static_cast<std::size_t>(2 * ranks), 7'207'200 / ranks / ranks);
    }
    return script;
  };
  expect_told(blocks, {4, 6, 12}, 20);
}

// Which message a receive from any source took depends on the recorded run.
TEST(Extrapolate, ReceivesFromAnySource) {
  const auto neighbours = [](bool recorded) {
    return [recorded](int rank, int ranks) {
      Script script;
      for (const int peer : {rank - 1, rank + 1}) {
        if (peer < 0 || peer == ranks) continue;
        script.message(Function::send, peer, 8);
        script.message(Function::recv, any, 0);
        const int other = 2 * rank - peer;
        if (recorded)
          script.events.back().call.source = rank % 3 || other < 0 || other == ranks ? peer : other;
      }
      return script;
    };
  };
  const auto extrapolated = told(neighbours(true), {5, 7}, 12);
  ASSERT_TRUE(extrapolated) << extrapolated.error().message;
  for (int rank = 0; rank < 12; ++rank) {
    Played played;
    play(extrapolated->skeleton.nodes, static_cast<std::size_t>(rank), played);
    const Script right = neighbours(false)(rank, 12);
    ASSERT_EQ(played.calls.size(), right.events.size()) << "rank " << rank;
    for (std::size_t i = 0; i < right.events.size(); ++i)
      EXPECT_EQ(played.calls[i], right.events[i].call) << "rank " << rank << ", event " << i;
  }
}

TEST(Extrapolate, LoopsThatGoWithTheRanks) {
  const auto rounds = [](int, int ranks) {
    Script script;
    for (int round = 0; round < 3 * ranks; ++round) script.add(Function::barrier, 0.01);
    return script;
  };
  expect_told(rounds, {4, 8, 12}, 100);
}

TEST(Extrapolate, FarmWithMoreSlaves) {
  const auto farm = [](int, int) {
    Script script;
    Call& call = script.add(Function::farm);
    call.peer = 0;
    call.list = {1000, 8, 1'000'000, 5'000'000'000};
    return script;
  };
  expect_told(farm, {3, 5}, 30);
}

// With a constant and any power of the number of ranks such sizes fit better, but become arbitrarily large.
TEST(Extrapolate, SizesThatJump) {
  const auto sizes = [](int, int ranks) {
    Script script;
    for (int round = 0; round < 10; ++round) script.add(Function::allgather).bytes = ranks < 16 ? 6000 : 6750;
    return script;
  };
  const auto extrapolated = told(sizes, {4, 8, 16}, 256);
  ASSERT_TRUE(extrapolated) << extrapolated.error().message;
  Played played;
  play(extrapolated->skeleton.nodes, 0, played);
  for (const Call& call : played.calls) {
    EXPECT_GE(call.bytes, 6000);
    EXPECT_LE(call.bytes, 6750);
  }
  const auto& notes = extrapolated->notes;
  EXPECT_TRUE(std::any_of(notes.begin(), notes.end(), [](const std::string& note) {
    return note.find(
               "fit the recordings as well give values for 256 ranks that differ by 0 % in loop counts") !=
           std::string::npos;
  }));
}

TEST(Extrapolate, SaysWhatFollowsNoLaw) {
  const auto sizes = [](int, int ranks) {
    Script script;
    for (int round = 0; round < 10; ++round)
      script.add(Function::allgather).bytes = ranks == 4 ? 1000 : ranks == 6 ? 7 : 5000;
    return script;
  };
  expect_refused(sizes, {4, 6, 9}, 20, "step 1 (allgather): the ranks like rank");
  const auto work = [](int, int ranks) {
    Script script;
    for (int round = 0; round < 10; ++round)
      script.add(Function::barrier, ranks == 4 ? 1 : ranks == 6 ? 30 : 2);
    return script;
  };
  expect_refused(work, {4, 6, 9}, 20, "work before it that follows no law");
  const auto rounds = [](int, int ranks) {
    Script script;
    for (int round = 0; round < (ranks == 6 ? 50 : 10); ++round) script.add(Function::barrier);
    return script;
  };
  expect_refused(rounds, {4, 6, 9}, 20, "runs 10, 50, 10 times with 4, 6 and 9 ranks");
  const auto peers = [](int rank, int ranks) {
    Script script;
    Call& call = script.add(Function::sendrecv);
    call.peer = rank * (ranks - 1) % ranks;
    call.source = call.peer;
    return script;
  };
  expect_refused(peers, {9, 16, 25}, 36, "peers in different relations to them");
}

// log P steps are not a loop, because each step has another peer.
TEST(Extrapolate, SaysThatLoopsDiffer) {
  const auto doubling = [](int rank, int ranks) {
    Script script;
    for (int distance = 1; distance < ranks; distance *= 2) {
      Call& call = script.add(Function::sendrecv);
      call.peer = call.source = rank ^ distance;
      call.bytes = 8;
    }
    return script;
  };
  expect_refused(doubling, {4, 8, 16}, 64, "the loops differ with 4, 8 and 16 ranks (2, 3, 4 steps");
}

TEST(Extrapolate, SaysWhichRecordingsWouldHelp) {
  EXPECT_NE(told(ring, {4}, 8).error().message.find("two or three"), std::string::npos);
  EXPECT_NE(told(ring, {4, 4}, 8).error().message.find("two of the recordings have 4 ranks"),
            std::string::npos);
  // With two ranks no rank has two neighbours.
  expect_refused(line, {2, 6}, 40, "ecord");
}

}  // namespace
