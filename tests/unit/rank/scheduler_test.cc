// The scheduler alone: protocols whose events the test determines, with a scripted wire.
#include "rank/scheduler.h"

#include <gtest/gtest.h>

#include "scripted_wire.h"

namespace emu::rank {
namespace {

using match::any_source;
using match::any_tag;
using match::Message;
using match::Posted;
using Kind = Message::Kind;

constexpr int self = 0, ranks = 4;
constexpr Interval cost = Interval::picoseconds(5);

Instant at(std::int64_t picoseconds) { return Instant::from_picoseconds(picoseconds); }

// Offers one event, or none.
class Offering : public Goal {
 public:
  Event& has(std::int64_t ps, int source = 1) {
    event = {.protocol = this, .key = {at(ps), source, 0}, .at = at(ps)};
    return event;
  }

  void offer(Event& least) override {
    if (event.before(least)) least = event;
  }
  void add_sources(const Event&, SourceList& sources) const override {
    sources.named.insert(sources.named.end(), waits_for.begin(), waits_for.end());
  }
  bool waits_only_for(const Posted& receive) const override { return &receive == only; }
  void handle(const Event&) override { event = {}; }
  Interval reaction() const override { return least_cost; }
  void describe(match::Waiting& waiting) const override { waiting.tag = 17; }

  Event event;
  std::vector<int> waits_for;
  const Posted* only = nullptr;
  Interval least_cost = cost;
};

class SchedulerTest : public testing::Test, protected Arrivals {
 protected:
  SchedulerTest() { scheduler_.add(standing_); }

  bool coming(Message*) override { return true; }
  void landed(Message*) override {}
  void arrived(Message* message) override {
    came_in.push_back(message);
    if (message->kind == Kind::eager) matched(queue_.add(message));
  }
  void matched(match::Queue::Pair pair) override {
    if (pair) pairs.push_back(pair);
  }
  void receive(Posted& posted, int source) {
    posted.filter = {2, source, any_tag};
    matched(queue_.post(&posted));
  }
  Message* hand_in(int source, std::int64_t ps) { return wire_.hand_in(Kind::eager, ps, {2, source, 0, 1}); }

  // Until the rank has slept once, a message of `source` could precede events after `ps`.
  void blocking_rank(int source, std::int64_t ps) {
    blocked_ = true;
    wire_.blocking_rank_answer = [this, source, ps](const ScriptedWire::Question& question) {
      return blocked_ && question.key.at > at(ps) ? std::optional(source) : std::nullopt;
    };
    wire_.while_asleep.push_back([this] { blocked_ = false; });
  }

  ScriptedWire wire_;
  clock::Clock clock_;
  match::Queue queue_{ranks};
  Ingress ingress_{wire_, queue_};
  Horizon horizon_;
  const char* call_ = "MPI_Recv";
  const model::Network network_{model::Parameters{}, ranks};
  Scheduler scheduler_{self, network_, wire_, clock_, queue_, ingress_, horizon_, *this, call_};
  Offering standing_, goal_;
  bool blocked_ = false;
  std::vector<Message*> came_in;
  std::vector<match::Queue::Pair> pairs;
};

TEST_F(SchedulerTest, TheLeastEventOfAllIsNext) {
  goal_.has(200);
  standing_.has(100);
  EXPECT_EQ(scheduler_.next(goal_)->protocol, &standing_);
  standing_.has(300);
  EXPECT_EQ(scheduler_.next(goal_)->protocol, &goal_);
  goal_.has(300, 2);
  EXPECT_EQ(scheduler_.next(goal_)->protocol, &standing_);  // at a tie, the message of the lower rank
  scheduler_.remove(standing_);
  EXPECT_EQ(scheduler_.next(goal_)->protocol, &goal_);
}

TEST_F(SchedulerTest, WhatNobodyCanComeBeforeNeedsNoQuestion) {
  goal_.has(200);
  EXPECT_TRUE(scheduler_.next(goal_));
  EXPECT_TRUE(wire_.questions.empty());
}

TEST_F(SchedulerTest, AnEventWaitsForThoseWhoseMessagesCouldComeBefore) {
  goal_.has(200);
  goal_.waits_for = {3};
  standing_.waits_for = {2};
  blocking_rank(3, 100);
  EXPECT_TRUE(scheduler_.next(goal_));
  ASSERT_EQ(wire_.questions.size(), 2u);
  EXPECT_EQ(wire_.questions[0].named, (std::vector<int>{2, 3}));
  EXPECT_EQ(wire_.questions[0].key, goal_.event.key);
  EXPECT_EQ(wire_.slept_for, std::vector{match::Bounds::WakeUp::bound});
  // The rank does nothing before its event, and needs time to react to messages before it.
  ASSERT_EQ(wire_.blocks.size(), 1u);
  EXPECT_EQ(wire_.blocks[0].bound, at(200) + cost);
  EXPECT_EQ(wire_.blocks[0].reaction, cost);
  EXPECT_EQ(wire_.blocks[0].why.tag, 17);
  EXPECT_STREQ(wire_.blocks[0].why.call, "MPI_Recv");
}

// The rank may act after an event of any of them.
TEST_F(SchedulerTest, TheCheapestProtocolDeterminesTheBound) {
  standing_.least_cost = Interval();
  goal_.has(200);
  goal_.waits_for = {3};
  blocking_rank(3, 100);
  EXPECT_TRUE(scheduler_.next(goal_));
  EXPECT_EQ(wire_.blocks.at(0).bound, at(200));
  EXPECT_EQ(wire_.blocks.at(0).reaction, Interval());
}

TEST_F(SchedulerTest, WhatComesInWhileTheRankSleepsCounts) {
  goal_.has(200);
  goal_.waits_for = {3};
  blocking_rank(3, 100);
  wire_.while_asleep.clear();
  wire_.while_asleep.push_back([this] {
    blocked_ = false;
    goal_.has(150, 3);
    hand_in(3, 150);
  });
  EXPECT_EQ(scheduler_.next(goal_)->at, at(150));
  EXPECT_EQ(came_in.size(), 1u);
}

TEST_F(SchedulerTest, WithoutAnEventTheRankSleepsForGood) {
  wire_.while_asleep.push_back([this] { goal_.has(900); });
  EXPECT_EQ(scheduler_.next(goal_)->at, at(900));
  EXPECT_TRUE(wire_.blocks.at(0).bound.is_never());
  EXPECT_EQ(wire_.slept_for, std::vector{match::Bounds::WakeUp::announcement});
}

TEST_F(SchedulerTest, UpToALimitNothingIsAnAnswerOnceItIsCertain) {
  goal_.has(200);
  goal_.waits_for = {1};
  blocking_rank(1, 100);
  EXPECT_FALSE(scheduler_.next(goal_, at(150)));
  EXPECT_EQ(wire_.blocks.at(0).bound, at(150));
  EXPECT_EQ(wire_.questions.back().key, end_of(at(150)));
  EXPECT_TRUE(scheduler_.next(goal_, at(200)));
}

TEST_F(SchedulerTest, AChoiceComesBeforeWhatIsLater) {
  Posted any;
  receive(any, any_source);
  goal_.has(200);
  Message* const m = hand_in(2, 150);
  EXPECT_TRUE(scheduler_.next(goal_));
  EXPECT_EQ(any.matched, m);
  ASSERT_EQ(pairs.size(), 1u);
  EXPECT_EQ(pairs[0].receive, &any);
  EXPECT_TRUE(wire_.questions.at(0).everyone);
  EXPECT_EQ(wire_.questions.at(0).key, m->key());
  EXPECT_EQ(wire_.questions.at(0).except, -1);
}

TEST_F(SchedulerTest, AChoiceThatIsLaterThanTheEventIsNotMadeYet) {
  Posted any;
  receive(any, any_source);
  goal_.has(200);
  hand_in(2, 250);
  EXPECT_TRUE(scheduler_.next(goal_));
  EXPECT_EQ(any.matched, nullptr);
  goal_.event.unclaimed = true;  // whether a receive matches its message is known only when the rank acts
  clock_.compute(Interval::picoseconds(260), {at(260), Interval(), model::one, model::one});
  EXPECT_TRUE(scheduler_.next(goal_));
  EXPECT_NE(any.matched, nullptr);
}

TEST_F(SchedulerTest, TheSourceOfTheOnlyChoiceNeedNotBeAsked) {
  Posted any;
  receive(any, any_source);
  hand_in(2, 150);
  standing_.only = goal_.only = &any;
  EXPECT_FALSE(scheduler_.next(goal_, at(150)));
  EXPECT_EQ(wire_.questions.at(0).except, 2);
}

TEST_F(SchedulerTest, AHeadPassesTheCardBeforeAnythingLater) {
  Message* const m = hand_in(2, 100);
  m->card = true;
  m->occupancy = Interval::picoseconds(70);
  goal_.has(200);
  goal_.waits_for = {3};
  EXPECT_TRUE(scheduler_.next(goal_));
  EXPECT_EQ(came_in, std::vector<Message*>{m});
  EXPECT_EQ(m->arrival.at, at(170));
  EXPECT_TRUE(wire_.questions.at(0).everyone);
  EXPECT_EQ(wire_.questions.at(0).key.at, at(100));
}

// A result of the head's source, which passes no card, may come in later and end the call before the head's instant.
TEST_F(SchedulerTest, AThreadMayActBeforeAHeadThatHasPassed) {
  Monitor monitor({[] { return true; },
                   [](int) { return false; },
                   [] {
                     return Monitor::Others{true, true, {}};
                   },
                   {}},
                  [] {});
  monitor.at_switches([] {}, [](const char*) {});
  monitor.enter();
  scheduler_.share(monitor);
  hand_in(2, 100)->card = true;
  goal_.waits_for = {3};
  EXPECT_FALSE(scheduler_.next(goal_, at(100)));
  EXPECT_EQ(came_in.size(), 1u);
  EXPECT_EQ(monitor.stepped(), at(100) - network_.lookahead());
  monitor.leave();
}

TEST_F(SchedulerTest, AnEventMayNeedThatARankIsSilent) {
  Event& event = goal_.has(200);
  event.silent = 2;
  event.silent_from = at(120);
  bool silent = false;
  wire_.bound_below_answer = [&](int rank) { return silent ? std::nullopt : std::optional(rank); };
  wire_.while_asleep.push_back([&] { silent = true; });
  EXPECT_TRUE(scheduler_.next(goal_));
  EXPECT_EQ(wire_.questions.at(0).named, std::vector<int>{2});
  EXPECT_EQ(wire_.awaited.at(0), (std::pair<int, Instant>{2, at(120)}));
  EXPECT_EQ(wire_.slept_for, std::vector{match::Bounds::WakeUp::bound});
}

TEST_F(SchedulerTest, AheadIsCertainUpToTheHorizonOrTheLeastEvent) {
  standing_.waits_for = {2};
  wire_.certain_until = at(500);
  EXPECT_EQ(scheduler_.nothing_until(goal_, at(1000)), at(500));
  EXPECT_EQ(scheduler_.nothing_until(goal_, at(400)), at(400));
  goal_.has(300);
  EXPECT_EQ(scheduler_.nothing_until(goal_, at(1000)), at(299));
  EXPECT_EQ(wire_.asked_ahead, 1);  // once is enough
}

}  // namespace
}  // namespace emu::rank
