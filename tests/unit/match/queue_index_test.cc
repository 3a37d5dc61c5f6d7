// Queues with an index behave like queues without one: the same random calls of both.
#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <random>
#include <vector>

#include "match/queue.h"

namespace emu::match {
namespace {

constexpr int ranks = 4;
constexpr std::size_t never = std::size_t{1} << 40;

// A queue with its own messages and receives. Those of equal number correspond in all queues.
struct Side {
  explicit Side(std::size_t walked) : queue(ranks, walked) {}
  Queue queue;
  std::vector<std::unique_ptr<Message>> messages;
  std::vector<std::unique_ptr<Posted>> receives;
  std::vector<std::pair<int, int>> matches;  // by number

  int number(const Message* m) const { return find(messages, m); }
  int number(const Posted* r) const { return find(receives, r); }
  void match(Queue::Pair pair) {
    if (pair) matches.emplace_back(number(pair.message), number(pair.receive));
  }

 private:
  template <class T>
  static int find(const std::vector<std::unique_ptr<T>>& all, const T* one) {
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i].get() == one) return static_cast<int>(i);
    return -1;
  }
};

class QueueIndexTest : public testing::TestWithParam<int> {
 protected:
  int in(int from, int to) { return std::uniform_int_distribution<int>(from, to)(random_); }
  template <class F>
  void both(F f) {
    f(walked_);
    f(looked_up_);
  }

  void send() {
    const Envelope envelope{static_cast<Context>(in(0, 1)), in(0, ranks - 1), in(0, tags_), 8};
    const Arrival arrival{Instant::from_picoseconds(now_ + in(0, 400)), envelope.source, sent_++};
    both([&](Side& side) {
      side.messages.push_back(std::make_unique<Message>());
      Message* const m = side.messages.back().get();
      m->envelope = envelope;
      m->arrival = arrival;
      side.match(side.queue.add(m));
    });
  }
  Filter filter() {
    return {static_cast<Context>(in(0, 1)), in(0, 2) == 0 ? any_source : in(0, ranks - 1),
            in(0, 3) == 0 ? any_tag : in(0, tags_)};
  }
  void post() {
    const Filter asked = filter();
    both([&](Side& side) {
      side.receives.push_back(std::make_unique<Posted>());
      Posted* const r = side.receives.back().get();
      r->filter = asked;
      r->posted = Instant::from_picoseconds(now_);
      side.match(side.queue.post(r));
    });
  }
  void choose() {
    both([](Side& side) {
      if (const Queue::Pair pair = side.queue.least_wildcard_pair())
        side.queue.match_wildcard(pair, [&side](Queue::Pair p) { side.match(p); });
    });
  }
  void withdraw() {
    const auto unmatched = [](const Side& side, std::size_t i) {
      return !side.receives[i]->matched && !side.receives[i]->filter.series;
    };
    for (std::size_t i = 0; i < walked_.receives.size(); ++i) {
      if (!unmatched(walked_, i) || withdrawn_.count(i) > 0 || in(0, 3) > 0) continue;
      withdrawn_.insert(i);
      both([i](Side& side) {
        side.queue.cancel(side.receives[i].get(), {}, [&side](Queue::Pair p) { side.match(p); });
      });
      return;
    }
  }
  void compare() {
    ASSERT_EQ(walked_.matches, looked_up_.matches);
    const Filter asked = filter();
    EXPECT_EQ(walked_.number(walked_.queue.probe(asked)), looked_up_.number(looked_up_.queue.probe(asked)));
    const Arrival key{Instant::from_picoseconds(now_ + in(0, 300)), in(0, ranks), 0};
    EXPECT_EQ(walked_.queue.waits_behind_before(key), looked_up_.queue.waits_behind_before(key));
    const Queue::Pair a = walked_.queue.least_wildcard_pair(), b = looked_up_.queue.least_wildcard_pair();
    EXPECT_EQ(walked_.number(a.message), looked_up_.number(b.message));
    EXPECT_EQ(walked_.number(a.receive), looked_up_.number(b.receive));
    for (std::size_t i = 0; i < walked_.messages.size(); ++i)
      ASSERT_EQ(walked_.messages[i]->ready(), looked_up_.messages[i]->ready());
  }

  std::mt19937 random_{static_cast<unsigned>(GetParam())};
  int tags_ = 1 + GetParam() % 4;
  std::int64_t now_ = 0;
  std::uint64_t sent_ = 0;
  std::set<std::size_t> withdrawn_;
  Side walked_{never}, looked_up_{static_cast<std::size_t>(GetParam() % 3)};
};

TEST_P(QueueIndexTest, DoesTheSame) {
  const int often = in(1, 9);  // number of messages in ten operations
  for (int step = 0; step < 400; ++step) {
    now_ += in(0, 30);
    if (in(0, 9) < often)
      send();
    else
      post();
    if (in(0, 2) == 0) choose();
    if (in(0, 20) == 0) withdraw();
    ASSERT_NO_FATAL_FAILURE(compare()) << "step " << step;
  }
  EXPECT_GT(walked_.matches.size(), 10u);
}

INSTANTIATE_TEST_SUITE_P(Random, QueueIndexTest, testing::Range(0, 150));

}  // namespace
}  // namespace emu::match
