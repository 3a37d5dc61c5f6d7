// The trace of a rank whose node fails, by hand: L = 1000, o_s = 100, o_r = 200, G = 1 per byte; all times are in
// picoseconds.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <memory>

#include "analysis/history.h"
#include "rank/rank.h"
#include "scripted_wire.h"

namespace emu::rank {
namespace {

using Kind = match::Message::Kind;

struct Failed {};

Instant at(std::int64_t ps) { return Instant::from_picoseconds(ps); }
Interval ps(std::int64_t n) { return Interval::picoseconds(n); }

class Recorded : public testing::Test {
 protected:
  Recorded() {
    parameters_.latency = ps(1000);
    parameters_.gap_per_byte = Rate::femtoseconds_per_byte(1000);
    parameters_.eager_limit = 1000;
    parameters_.send.fixed = ps(100);
    parameters_.receive.fixed = ps(200);
    std::filesystem::create_directory(folder_);
  }
  ~Recorded() override { std::filesystem::remove_all(folder_); }

  // Rank 0 of two executes `act`. Its node is down from `from` on: for good, or until
  // `until`. The trace of rank 1 contains only its end. Returns the history of both.
  template <class Act>
  analysis::History play(std::int64_t from, std::int64_t until, Act act) {
    network_ = std::make_unique<model::Network>(parameters_, 2);
    Node node;
    node.outages = model::Outages({{at(from), until > 0 ? at(until) : Instant::never()}});
    node.failed = [] { throw Failed(); };
    node.failures = {until > 0 ? Instant::never() : at(from), Instant::never()};
    Rank rank(0, 2, *network_, wire_, std::move(node));
    const auto recorder = record(0), other = record(1);
    other->finish(at(0), {});
    other->close();
    if (until > 0) recorder->outage(at(from), at(until));
    rank.record(*recorder);
    try {
      rank.start();
      act(rank);
      recorder->finish(rank.now(), rank.clock().path());
    } catch (const Failed&) {
      rank.record_failure();
    }
    recorder->close();
    time_ = rank.clock().breakdown();
    const auto folder = analysis::Folder::open(folder_);
    EXPECT_TRUE(folder);
    auto history = analysis::read_history(*folder);
    EXPECT_TRUE(history) << history.error().message;
    return history ? std::move(*history) : analysis::History();
  }
  std::unique_ptr<record::Recorder> record(int rank) const {
    return std::move(
        *record::Recorder::create(folder_, {.rank = rank, .ranks = 2}, [](const std::string&) {}));
  }
  Buffer buffer(model::Bytes bytes) { return Buffer::contiguous(memory_.data(), bytes); }

  const std::string folder_ = testing::TempDir() + "recorded-test-" + std::to_string(::getpid());
  const Communicator world_{2, 0, {0, 1}};
  model::Parameters parameters_;
  std::unique_ptr<model::Network> network_;
  std::array<std::byte, 1024> memory_{};
  ScriptedWire wire_;
  record::Breakdown time_;
};

// Overheads end at 100, at 200 and, with the node down in [250, 1000), at 1050. The card is busy with the first message
// until 600, so the second message never leaves.
TEST_F(Recorded, AMessageThatTheCardLosesIsOneOfThoseThatWereSent) {
  parameters_.card = model::Card::serial;
  const analysis::History history = play(250, 1000, [&](Rank& rank) {
    rank.enter("MPI_Send");
    for (const model::Bytes bytes : {501, 1, 1}) rank.send(world_, 1, 0, buffer(bytes));
    rank.leave();
  });
  ASSERT_EQ(wire_.sent.size(), 2u);
  EXPECT_EQ(wire_.sent[1].message->arrival.sequence, 2u);
  ASSERT_EQ(history.ranks[0].sent.size(), 3u);
  EXPECT_EQ(history.ranks[0].sent[1].left, at(200));
  EXPECT_EQ(history.ranks[0].sent[2].left, at(1050));
  EXPECT_EQ(history.ranks[0].time.send_overhead, ps(300));
  EXPECT_EQ(history.ranks[0].time.wait, Interval());
}

// The message is there at 10 already, so no message is on the rank's path. The node is down in [400, 1000).
TEST_F(Recorded, AnOutageWhileARankReceivesThatHasNeverWaited) {
  wire_.hand_in(Kind::eager, 10, {world_.context, 1, 0, 1});
  const analysis::History history = play(400, 1000, [&](Rank& rank) {
    (void)rank.declared(ps(300));
    rank.enter("MPI_Recv");
    rank.receive(world_, 1, 0, buffer(1));
    rank.leave();
  });
  ASSERT_EQ(history.ranks.size(), 2u);
  const analysis::RankHistory& own = history.ranks[0];
  EXPECT_TRUE(own.waited.empty());
  EXPECT_EQ(own.finish, at(1100));
  EXPECT_EQ(own.time.receive_overhead, ps(200));
  EXPECT_EQ(own.time.down, ps(600));
}

TEST_F(Recorded, AFailureInWhatFollowsWaitingForAMessage) {
  record::Path& path = wire_.hand_in(Kind::eager, 5000, {world_.context, 1, 0, 1})->path;
  path.latency = ps(5000);
  path.hop = {1, 7};
  const analysis::History history = play(5150, 0, [&](Rank& rank) {
    (void)rank.declared(ps(300));
    rank.enter("MPI_Recv");
    rank.receive(world_, 1, 0, buffer(1));
  });
  const analysis::RankHistory& own = history.ranks[0];
  EXPECT_TRUE(own.failed);
  EXPECT_EQ(own.finish, at(5150));
  ASSERT_EQ(own.waited.size(), 2u);
  EXPECT_EQ(own.waited[0].from, at(300));
  EXPECT_EQ(own.waited[0].until, at(5000));
  EXPECT_EQ(own.waited[0].hop, record::Hop(1, 7));
  EXPECT_EQ(own.waited[0].failure, -1);
  EXPECT_EQ(own.waited[1].until, at(5150));
  EXPECT_EQ(own.waited[1].failure, 0);
  EXPECT_EQ(own.waited[1].fails, at(5150));
  EXPECT_EQ(own.time.compute, ps(300));
  EXPECT_EQ(time_.receive_overhead, ps(150));
  EXPECT_EQ(own.time.total(), time_.total());
}

TEST_F(Recorded, AFailureInWhatFollowsWaitingForTheGap) {
  parameters_.gap = ps(700);
  const analysis::History history = play(750, 0, [&](Rank& rank) {
    rank.enter("MPI_Send");
    rank.send(world_, 1, 0, buffer(1));
    rank.send(world_, 1, 0, buffer(1));
  });
  const analysis::RankHistory& own = history.ranks[0];
  ASSERT_EQ(own.waited.size(), 2u);
  EXPECT_TRUE(own.waited[0].gap);
  EXPECT_EQ(own.waited[0].from, at(100));
  EXPECT_EQ(own.waited[0].until, at(700));
  EXPECT_EQ(own.waited[1].failure, 0);
  EXPECT_EQ(own.waited[1].until, at(750));
}

TEST_F(Recorded, AFailureWhileItWaits) {
  wire_.hand_in(Kind::eager, 5000, {world_.context, 1, 0, 1});
  const analysis::History history = play(4000, 0, [&](Rank& rank) {
    rank.enter("MPI_Recv");
    rank.receive(world_, 1, 0, buffer(1));
  });
  ASSERT_EQ(history.ranks[0].waited.size(), 1u);
  EXPECT_EQ(history.ranks[0].waited[0].failure, 0);
  EXPECT_EQ(history.ranks[0].waited[0].from, at(0));
}

// The node fails in a call that declares work, or in a call whose operation computes.
TEST_F(Recorded, AFailureWhileItComputes) {
  for (const bool declares : {true, false}) {
    const analysis::History history = play(4000, 0, [&](Rank& rank) {
      rank.enter("MPI_Send");
      rank.send(world_, 1, 0, buffer(1));
      if (declares) rank.leave();
      if (declares) rank.enter("emu_compute");
      (void)rank.declared(ps(5000));
    });
    EXPECT_EQ(history.ranks[0].time.compute, ps(3900));
    EXPECT_EQ(history.ranks[0].time.wait, Interval());
  }
}

}  // namespace
}  // namespace emu::rank
