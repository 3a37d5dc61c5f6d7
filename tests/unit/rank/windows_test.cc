// Operations on a rank's memory: the instants at which they take effect, and the rank's messages meanwhile.
#include "rank/protocols/windows.h"

#include <cstring>

#include "rank_fixture.h"

namespace emu::rank {
namespace {

constexpr match::Context window = 40;
constexpr model::Bytes size = 8;

// Adds the operand, and answers with the previous value.
class Sum final : public WindowMemory {
 public:
  void apply(std::span<const std::byte> operation, std::byte* answer) override {
    if (answer) std::memcpy(answer, &value, sizeof value);
    std::int64_t more = 0;
    std::memcpy(&more, operation.data(), sizeof more);
    value += more;
  }
  std::int64_t value = 0;
};

class WindowsTest : public RankTest {
 protected:
  using WindowKind = Windows::Kind;
  WindowsTest() { rank_->windows().open(window, memory); }
  ~WindowsTest() override { rank_->windows().close(window); }

  // An operation of rank `origin` that arrives at `at`.
  void arrives(int origin, std::int64_t at, WindowKind kind, std::int64_t value = 0) {
    ScriptedWire wire;
    Rank other(origin, ranks, *network_, wire);
    Windows::Operation o{.window = window, .to = 0, .kind = kind, .exclusive = true};
    if (kind == WindowKind::act) {
      o.bytes = o.answers = size;
      o.described = std::as_bytes(std::span(&value, 1));
    }
    if (kind == WindowKind::lock)
      other.windows().send(o);
    else
      other.windows().ask(o, {});
    match::Message& m = *wire.sent.at(0).message;
    match::Message* const here = wire_.hand_in(Kind::operation, at, m.envelope);
    std::memcpy(here->payload(), m.payload(), static_cast<std::size_t>(m.envelope.bytes));
  }
  Instant at(std::int64_t picoseconds) { return Instant::from_picoseconds(picoseconds); }
  void nobody_is_certain() {
    wire_.blocking_rank_answer = [](const ScriptedWire::Question&) { return 2; };
  }

  Sum memory;
};

TEST_F(WindowsTest, AnswersLeaveWhenOperationsArriveWhateverTheClockIs) {
  compute(50'000);
  arrives(1, 300, WindowKind::act, 5);
  arrives(2, 200, WindowKind::act, 7);
  rank_->leave();
  ASSERT_EQ(wire_.sent.size(), 2u);
  EXPECT_EQ(wire_.sent[0].to, 2);
  EXPECT_EQ(sent_at(0), 200 + L + trailing(size));
  EXPECT_EQ(wire_.sent[1].to, 1);
  EXPECT_EQ(sent_at(1), 300 + L + trailing(size));
  EXPECT_EQ(memory.value, 12);
  EXPECT_EQ(now(), 50'000);
  EXPECT_EQ(wire_.served, std::vector{at(50'000)});
}

TEST_F(WindowsTest, WhatIsNotCertainHoldsTheBoundDown) {
  compute(50'000);
  arrives(1, 300, WindowKind::act, 5);
  nobody_is_certain();
  rank_->leave();
  EXPECT_TRUE(wire_.sent.empty());
  EXPECT_EQ(memory.value, 0);
  EXPECT_EQ(wire_.served, std::vector{at(300)});
  ASSERT_FALSE(wire_.questions.empty());
  EXPECT_TRUE(wire_.questions.back().everyone);
  EXPECT_EQ(wire_.questions.back().key.at, at(300));
}

TEST_F(WindowsTest, NothingTakesEffectBeforeTheTargetIsThatFar) {
  compute(1000);
  arrives(1, 20'000, WindowKind::act, 5);
  rank_->leave();
  EXPECT_EQ(memory.value, 0);
  EXPECT_EQ(wire_.served, std::vector{at(1000)});
  compute(19'000);
  rank_->leave();
  EXPECT_EQ(memory.value, 5);
}

// It may wait in the middle of a step: when its clock passes the last instant of virtual time.
TEST_F(WindowsTest, ARankThatDoesNothingMoreCarriesOutNoOperation) {
  compute(50'000);
  arrives(1, 300, WindowKind::act, 5);
  rank_->wait_until_first();
  EXPECT_EQ(memory.value, 0);
  EXPECT_EQ(wire_.awaited, (std::vector<std::pair<int, Instant>>{{1, at(50'000)}, {2, at(50'000)}}));
  rank_->leave();
  EXPECT_EQ(memory.value, 5);
}

TEST_F(WindowsTest, ARankThatWaitsServesUpToWhatItWaitsFor) {
  arrives(1, 500, WindowKind::act, 5);
  arrives(1, 900, WindowKind::act, 7);
  wire_.hand_in(Kind::eager, 700, from(2, 3, 4));
  (void)rank_->receive(world_, 2, 3, buffer(4));
  EXPECT_EQ(memory.value, 5);
  EXPECT_EQ(now(), 700 + o_r(4));
  rank_->leave();
  EXPECT_EQ(memory.value, 5);  // 900 has not arrived yet
}

TEST_F(WindowsTest, WhatWaitsForALockTakesEffectAtTheUnlock) {
  compute(50'000);
  arrives(1, 100, WindowKind::lock);
  arrives(2, 200, WindowKind::lock);
  arrives(2, 250, WindowKind::act, 5);
  arrives(1, 400, WindowKind::act, 7);
  arrives(1, 600, WindowKind::unlock);
  rank_->leave();
  ASSERT_EQ(wire_.sent.size(), 3u);
  EXPECT_EQ(sent_at(0), 400 + L + trailing(size));  // to rank 1
  EXPECT_EQ(sent_at(1), 600 + L);                   // its unlock
  EXPECT_EQ(wire_.sent[2].to, 2);
  EXPECT_EQ(sent_at(2), 600 + L + trailing(size));
  std::int64_t before = 0;
  std::memcpy(&before, sent(2).payload(), sizeof before);
  EXPECT_EQ(before, 7);
}

// Rank 1 fails at 1500 while it has a lock for which rank 2 waits. This rank knows of the failure at 1500 + L.
// Operations of rank 1 that would take effect later have no effect.
TEST_F(WindowsTest, ALockIsTakenFromWhoeverHasFailed) {
  rank_->windows().close(window);
  Node node;
  node.failures = {Instant::never(), at(1500), Instant::never()};
  node.noticed = true;
  rank_ = std::make_unique<Rank>(0, ranks, *network_, wire_, std::move(node));
  rank_->windows().open(window, memory);
  compute(50'000);
  arrives(1, 100, WindowKind::lock);
  arrives(2, 200, WindowKind::lock);
  arrives(2, 250, WindowKind::act, 5);
  arrives(1, 1500 + L, WindowKind::act, 7);
  arrives(1, 1500 + L + 1, WindowKind::act, 9);
  rank_->leave();
  ASSERT_EQ(wire_.sent.size(), 2u);
  EXPECT_EQ(sent_at(0), 1500 + L + L + trailing(size));  // to rank 1
  EXPECT_EQ(wire_.sent[1].to, 2);
  EXPECT_EQ(sent_at(1), 1500 + L + L + trailing(size));
  EXPECT_EQ(memory.value, 12);
  EXPECT_EQ(sent(1).path.until_failure, Interval::picoseconds(1500));
  EXPECT_TRUE(sent(1).path.hop == record::Hop::failure_of(1));
}

TEST_F(WindowsTest, AFlushIsAnsweredOverAndBack) {
  rank_->windows().ask({.window = window, .to = 2, .kind = WindowKind::flush}, {});
  EXPECT_EQ(now(), c_s);
  EXPECT_EQ(sent_at(0), c_s + L);
  EXPECT_EQ(rank_->windows().awaited(window, 2), 1);
  EXPECT_EQ(rank_->windows().awaited(window, 1), 0);
  std::uint64_t answer = 0;  // its offset in the message, after the name of the window
  std::memcpy(&answer, sent(0).payload() + sizeof window, sizeof answer);
  wire_.while_asleep.emplace_back([&] {
    auto* const result = wire_.hand_in(Kind::result, 5000, from(2, 0, 0));
    result->sender_request = answer;
    result->envelope.context = window;
  });
  EXPECT_EQ(rank_->wait_for_answers(window, 2), -1);
  EXPECT_EQ(now(), 5000);
  EXPECT_EQ(wire_.blocks.at(0).bound, Instant::never());
  EXPECT_EQ(wire_.waited.at(0).peer, 2);
}

// The result costs nothing, and so does the end of the access: the rank may send at the end of the access.
TEST_F(WindowsTest, AResultBeforeTheEndOfAnAccessPromisesNothingBeyondThatEnd) {
  rank_->windows().ask({.window = window, .to = 2, .kind = WindowKind::flush}, {});
  std::uint64_t answer = 0;
  std::memcpy(&answer, sent(0).payload() + sizeof window, sizeof answer);
  Request* const requests[] = {rank_->start_access(0, {}), rank_->ireceive(world_, 1, 4, buffer(4))};
  const std::int64_t end = now() + model::Storage().latency.picoseconds();
  auto* const result = wire_.hand_in(Kind::result, end - c_r / 2, from(2, 0, 0));
  result->sender_request = answer;
  result->envelope.context = window;
  int asked = 0;
  wire_.blocking_rank_answer = [&](const ScriptedWire::Question&) -> std::optional<int> {
    return ++asked == 1 ? std::optional(2) : std::nullopt;
  };
  wire_.while_asleep.emplace_back([] {});
  EXPECT_EQ(rank_->wait_any(requests), 0);
  EXPECT_EQ(now(), end);
  ASSERT_EQ(wire_.blocks.size(), 1u);
  EXPECT_GE(wire_.blocks[0].bound, at(end - c_r / 2));
  EXPECT_LE(wire_.blocks[0].bound, at(end));
}

TEST_F(WindowsTest, OperationsArriveInTheOrderOfTheirIssue) {
  const std::vector<std::byte> text(60);
  rank_->windows().send({.window = window, .to = 2, .bytes = 60, .described = text});
  rank_->windows().send({.window = window, .to = 2, .kind = WindowKind::flush});
  EXPECT_EQ(sent_at(0), o_s(60) + L + trailing(60));
  EXPECT_GT(sent_at(0), o_s(60) + c_s + L);  // otherwise this test checks nothing
  EXPECT_EQ(sent_at(1), sent_at(0));
}

}  // namespace
}  // namespace emu::rank
