// A collective alone: an object that events advance, with point-to-point operations that the test controls.
#include "rank/protocols/collective.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <deque>

#include "rank/scheduler.h"
#include "scripted_wire.h"

namespace emu::rank {
namespace {

using match::Message;
using model::Slice;
using model::Space;
using model::Step;
using Kind = Step::Kind;

Instant at(std::int64_t picoseconds) { return Instant::from_picoseconds(picoseconds); }

// Requests that the test completes, at instants that it chooses.
class FakeOperations final : public Operations {
 public:
  struct Started {
    bool send;
    int peer;
    int tag;
    Mode mode;
    Buffer buffer;
    Receive request;
    Instant ends = Instant::never();
    int failed = -1;
    bool dropped = false;
  };
  std::deque<Started> started;
  bool eager = true;  // sends complete at once

  Request* start_send(match::Context, const Communicator&, int to, int tag, const Buffer& data,
                      Mode mode) override {
    Started& s = started.emplace_back(Started{true, to, tag, mode, data, {}});
    s.request.kind = Request::Kind::send;
    if (eager) s.request.state = Request::State::complete;
    return &s.request;
  }
  Request* start_receive(match::Context, const Communicator&, int from, int tag,
                         const Buffer& into) override {
    Started& s = started.emplace_back(Started{false, from, tag, Mode::standard, into, {}});
    return &s.request;
  }
  Request* start_access(model::Bytes bytes) override {
    Started& s =
        started.emplace_back(Started{false, -1, 0, Mode::standard, Buffer::contiguous(nullptr, bytes), {}});
    s.request.kind = Request::Kind::timed;
    s.request.state = Request::State::pending;
    return &s.request;
  }
  Event ending(Protocol& protocol, Request* request, Instant) const override {
    const Started& s = of(request);
    if (s.ends.is_never()) return {};
    return {.protocol = &protocol, .key = {s.ends, s.peer, 0}, .at = s.ends, .request = request};
  }
  void end(const Event& event) override { end(event.request); }
  void cancel(Request*) override {}
  void free(Request*) override {}
  void drop(Request* request) override {
    EXPECT_EQ(request->owner, nullptr);
    of(request).dropped = true;
  }
  void end(Request* request) {
    request->state = Request::State::complete;
    request->status.failed = of(request).failed;
    order.push_back(of(request).peer);
    request->owner->completed();
  }

  std::vector<int> order;  // of peers

 private:
  const Started& of(const Request* request) const {
    return *std::find_if(started.begin(), started.end(),
                         [=](const Started& s) { return &s.request == request; });
  }
  Started& of(const Request* request) { return const_cast<Started&>(std::as_const(*this).of(request)); }
};

model::Parameters parameters() {
  model::Parameters p;
  p.latency = Interval::picoseconds(1000);
  return p;
}

void add(void*, const std::byte* from, std::byte* into, model::Bytes bytes) {
  for (model::Bytes i = 0; i < bytes; ++i) into[i] = std::byte(int(into[i]) + int(from[i]));
}

class CollectiveTest : public testing::Test, private Arrivals {
 protected:
  bool coming(Message*) override { return true; }
  void landed(Message*) override {}
  void arrived(Message*) override {}
  void matched(match::Queue::Pair) override {}

  void run_until_done(Collective& collective) {
    while (!collective.done()) core_.handle(*scheduler_.next(collective));
  }

  static constexpr Slice slice(Space space, model::Bytes offset = 0) { return {space, offset, 1}; }
  // Receives from 1 and 2, adds the received data to its own, sends the sum to 3 and waits for its answer.
  const model::Schedule schedule_{{{Kind::copy, -1, slice(Space::output), slice(Space::input)},
                                   {Kind::receive, 1, slice(Space::scratch, 0), {}},
                                   {Kind::receive, 2, slice(Space::scratch, 1), {}},
                                   {Kind::wait, -1, {}, {}},
                                   {Kind::combine, -1, slice(Space::output), slice(Space::scratch, 0)},
                                   {Kind::combine, -1, slice(Space::output), slice(Space::scratch, 1)},
                                   {Kind::send, 3, slice(Space::output), {}},
                                   {Kind::wait, -1, {}, {}},
                                   {Kind::receive, 3, slice(Space::output), {}},
                                   {Kind::wait, -1, {}, {}}},
                                  2,
                                  false};
  const Communicator comm_{.context = 4, .rank = 0, .world = {0, 1, 2, 3}, .round = 9};
  std::byte input_[1]{std::byte{5}}, output_[1]{};
  const Memory memory_{input_, output_, &add, nullptr};

  ScriptedWire wire_;
  model::Network network_{parameters(), 4};
  Core core_{0, 4, network_, wire_, Failures({}, false, network_, 0), clock::Clock()};
  FakeOperations operations_;
  match::Queue queue_{4};
  Ingress ingress_{wire_, queue_};
  Scheduler scheduler_{0, network_, wire_, core_.clock, queue_, ingress_, core_.horizon, *this, core_.call};
};

TEST_F(CollectiveTest, StartGoesUpToTheFirstWaitThatHasSomethingToWaitFor) {
  Collective collective(core_, operations_, comm_, comm_.round, schedule_, memory_);
  collective.start();
  ASSERT_EQ(operations_.started.size(), 2u);
  EXPECT_FALSE(collective.done());
  EXPECT_EQ(operations_.started[1].peer, 2);
  EXPECT_EQ(operations_.started[1].tag, 9);
}

TEST_F(CollectiveTest, EachEventIsHandledAndTheLastOfAWaitGoesOn) {
  Collective collective(core_, operations_, comm_, comm_.round, schedule_, memory_);
  collective.start();
  operations_.started[0].ends = at(300);
  operations_.started[1].ends = at(200);
  *static_cast<std::byte*>(operations_.started[0].buffer.address) = std::byte{10};
  *static_cast<std::byte*>(operations_.started[1].buffer.address) = std::byte{20};
  core_.handle(*scheduler_.next(collective));
  EXPECT_EQ(operations_.order, std::vector<int>{2});
  EXPECT_EQ(operations_.started.size(), 2u);
  core_.handle(*scheduler_.next(collective));
  EXPECT_TRUE(operations_.started[0].dropped && operations_.started[1].dropped);
  // The eager send completes at once, so the schedule continues with the receive after it.
  ASSERT_EQ(operations_.started.size(), 4u);
  EXPECT_EQ(output_[0], std::byte{35});
  operations_.started[3].ends = at(900);
  EXPECT_FALSE(collective.done());
  core_.handle(*scheduler_.next(collective));
  EXPECT_TRUE(collective.done());
  EXPECT_EQ(collective.failed(), -1);
}

// The send completes by a handshake's event, which is not an event of the collective.
TEST_F(CollectiveTest, ASendThatEndsElsewhereAdvancesIt) {
  operations_.eager = false;
  Collective collective(core_, operations_, comm_, comm_.round, schedule_, memory_);
  collective.start();
  operations_.started[0].ends = operations_.started[1].ends = at(100);
  core_.handle(*scheduler_.next(collective));
  core_.handle(*scheduler_.next(collective));
  ASSERT_EQ(operations_.started.size(), 3u);
  operations_.end(&operations_.started[2].request);
  ASSERT_EQ(operations_.started.size(), 4u);
  EXPECT_EQ(operations_.started[3].peer, 3);
}

TEST_F(CollectiveTest, ASynchronousScheduleSendsByHandshake) {
  const model::Schedule schedule{
      .steps = {{Kind::send, 1, slice(Space::input), {}}, {Kind::wait, -1, {}, {}}}, .synchronous = true};
  Collective collective(core_, operations_, comm_, comm_.round, schedule, memory_);
  collective.start();
  EXPECT_EQ(operations_.started[0].mode, Mode::synchronous);
  EXPECT_TRUE(collective.done());
}

// Two collectives are in progress. A call that waits for neither handles the steps of both in key order.
TEST_F(CollectiveTest, AnAccessOfTheStorageIsWaitedFor) {
  const model::Schedule schedule{
      {{Kind::access, -1, {Space::output, 0, 7}, {}}, {Kind::wait, -1, {}, {}}}, 0, false};
  Collective collective(core_, operations_, comm_, comm_.round, schedule, memory_);
  collective.start();
  ASSERT_EQ(operations_.started.size(), 1u);
  EXPECT_EQ(operations_.started[0].buffer.bytes, 7);
  EXPECT_FALSE(collective.done());
  operations_.started[0].ends = at(300);
  core_.handle(*scheduler_.next(collective));
  EXPECT_TRUE(collective.done());
}

TEST_F(CollectiveTest, OthersAdvanceWhileACallWaitsForSomethingElse) {
  const model::Schedule two_rounds{{{Kind::receive, 1, slice(Space::output), {}},
                                    {Kind::wait, -1, {}, {}},
                                    {Kind::receive, 2, slice(Space::output), {}},
                                    {Kind::wait, -1, {}, {}}},
                                   0,
                                   false};
  Collective first(core_, operations_, comm_, comm_.round, two_rounds, memory_);
  Collective second(core_, operations_, comm_, 1, schedule_, memory_);
  first.start();
  second.start();
  scheduler_.add(first);
  scheduler_.add(second);
  operations_.started[0].ends = at(200);
  operations_.started[1].ends = at(100);
  operations_.started[2].ends = at(300);
  RequestsGoal nothing(core_, operations_, {});
  while (const auto event = scheduler_.next(nothing, at(1000))) core_.handle(*event);
  EXPECT_EQ(operations_.order, (std::vector<int>{1, 1, 2}));
  EXPECT_FALSE(first.done() || second.done());
  ASSERT_EQ(operations_.started.size(), 6u);
  EXPECT_EQ(operations_.started[3].peer, 2);  // the first one's second round
  operations_.started[3].ends = at(1100);
  operations_.started[5].ends = at(1200);
  while (const auto event = scheduler_.next(nothing, at(2000))) core_.handle(*event);
  EXPECT_TRUE(first.done() && second.done());
  scheduler_.remove(first);
  scheduler_.remove(second);
}

TEST_F(CollectiveTest, AFailedRequestEndsItAfterTheWait) {
  Collective collective(core_, operations_, comm_, comm_.round, schedule_, memory_);
  collective.start();
  operations_.started[0].ends = at(100);
  operations_.started[0].failed = 1;
  operations_.started[1].ends = at(200);
  core_.handle(*scheduler_.next(collective));
  EXPECT_FALSE(collective.done());
  core_.handle(*scheduler_.next(collective));
  EXPECT_TRUE(collective.done());
  EXPECT_EQ(collective.failed(), 1);
  EXPECT_EQ(operations_.started.size(), 2u);
}

class BrokenCollectiveTest : public CollectiveTest {
 protected:
  static std::vector<Instant> failing(std::int64_t ps) {
    return {Instant::never(), Instant::never(), Instant::never(), at(ps)};
  }
};

TEST_F(BrokenCollectiveTest, TheFailureOfAMemberBreaksIt) {
  Core core(0, 4, network_, wire_, Failures(failing(500), true, network_, 0), clock::Clock());
  Collective collective(core, operations_, comm_, comm_.round, schedule_, memory_);
  collective.start();
  operations_.started[0].ends = at(100);
  core.handle(*scheduler_.next(collective));
  core.handle(*scheduler_.next(collective));
  EXPECT_TRUE(collective.done());
  EXPECT_EQ(collective.failed(), 3);
  EXPECT_EQ(core.clock.now(), at(1500));  // the instant at which it is known
  EXPECT_TRUE(operations_.started[0].dropped && operations_.started[1].dropped);
}

TEST_F(BrokenCollectiveTest, OneThatBeginsAfterThatEndsAtOnce) {
  Core core(0, 4, network_, wire_, Failures(failing(500), true, network_, 0), clock::Clock());
  core.clock.wait_until(at(1500), {});
  Collective collective(core, operations_, comm_, comm_.round, schedule_, memory_);
  collective.start();
  EXPECT_TRUE(collective.done());
  EXPECT_EQ(collective.failed(), 3);
  EXPECT_TRUE(operations_.started.empty());
}

TEST_F(CollectiveTest, OneThatIsGivenUpDropsWhatItHasUnderWay) {
  {
    Collective collective(core_, operations_, comm_, comm_.round, schedule_, memory_);
    collective.start();
  }
  EXPECT_TRUE(operations_.started[0].dropped && operations_.started[1].dropped);
}

}  // namespace
}  // namespace emu::rank
