#include <array>
#include <optional>
#include <string>

#include "queue_fixture.h"

namespace emu::match {
namespace {

TEST_F(QueueTest, ANamedReceiveBindsAtOnceInEitherOrder) {
  Posted* r = receive(1, 5);
  Message* m = message(1, 5, 100);
  EXPECT_FALSE(queue_.post(r));
  EXPECT_EQ(queue_.add(m).receive, r);
  EXPECT_EQ(r->matched, m);

  Message* early = message(1, 5, 200);
  Posted* late = receive(1, 5);
  EXPECT_FALSE(queue_.add(early));
  EXPECT_EQ(queue_.post(late).message, early);
  EXPECT_EQ(queue_.posted_receives(), 0);
}

TEST_F(QueueTest, AShortMessageDoesNotOvertakeALongOneSentBefore) {
  Message* slow = message(1, 5, 900);
  Message* fast = message(1, 5, 100);
  queue_.add(slow);
  queue_.add(fast);
  Posted* first = receive(1, any_tag);
  Posted* second = receive(any_source, 5);
  EXPECT_EQ(queue_.post(first).message, slow);
  queue_.post(second);
  EXPECT_EQ(queue_.least_wildcard_pair().message, fast);
}

TEST_F(QueueTest, AWildcardTakesTheFirstOfEachSourceAndTheLeastOfThese) {
  queue_.post(receive(any_source, 5));
  Message* slow = message(1, 5, 900);
  queue_.add(slow);
  queue_.add(message(1, 5, 100));
  EXPECT_EQ(queue_.least_wildcard_pair().message, slow);
  Message* other = message(2, 5, 800);
  queue_.add(other);
  EXPECT_EQ(queue_.least_wildcard_pair().message, other);
  queue_.add(message(0, 6, 1));
  EXPECT_EQ(queue_.least_wildcard_pair().message, other);
}

TEST_F(QueueTest, OnATieTheLowerSourceWins) {
  queue_.post(receive(any_source, any_tag));
  queue_.add(message(2, 5, 100));
  Message* lower = message(1, 5, 100);
  queue_.add(lower);
  EXPECT_EQ(queue_.least_wildcard_pair().message, lower);
}

// The first receive has chosen when the second one is posted. The message that it chose holds no other one back then.
TEST_F(QueueTest, ReceivesChooseInTheOrderInWhichTheyArePosted) {
  Message* long_one = message(1, 6, 12);
  Message* short_one = message(1, 5, 10);
  Message* other = message(2, 5, 11);
  for (Message* m : {long_one, short_one, other}) queue_.add(m);
  Posted* first = receive(any_source, 6);
  Posted* second = receive(any_source, any_tag);
  first->posted = Instant::from_picoseconds(20);
  second->posted = Instant::from_picoseconds(30);
  queue_.post(first);
  queue_.post(second);
  EXPECT_EQ(queue_.least_wildcard_pair().message, long_one);
  bind(queue_.least_wildcard_pair());
  EXPECT_EQ(queue_.least_wildcard_pair().message, short_one);
}

TEST_F(QueueTest, ANamedReceiveStandsBehindAnUndecidedWildcard) {
  Posted* wildcard = receive(any_source, 5);
  Posted* named = receive(1, 5);
  queue_.post(wildcard);
  queue_.post(named);
  Message* m = message(1, 5, 100);
  EXPECT_FALSE(queue_.add(m));
  EXPECT_EQ(named->matched, nullptr);
  EXPECT_EQ(queue_.least_wildcard_pair().receive, wildcard);
}

TEST_F(QueueTest, AnotherTagPassesTheWildcard) {
  queue_.post(receive(any_source, 5));
  Posted* named = receive(1, 6);
  queue_.post(named);
  EXPECT_EQ(queue_.add(message(1, 6, 100)).receive, named);
}

TEST_F(QueueTest, TheWildcardsChoiceUncoversANamedReceive) {
  Posted* wildcard = receive(any_source, 5);
  Posted* named = receive(1, 5);
  queue_.post(wildcard);
  queue_.post(named);
  Message* from_1 = message(1, 5, 100);
  Message* from_2 = message(2, 5, 90);
  queue_.add(from_1);
  queue_.add(from_2);
  EXPECT_EQ(bind(queue_.least_wildcard_pair()), (std::vector<Posted*>{wildcard, named}));
  EXPECT_EQ(wildcard->matched, from_2);
  EXPECT_EQ(named->matched, from_1);
  EXPECT_EQ(queue_.posted_receives(), 0);
}

TEST_F(QueueTest, WhatHadToStandBackIsHeldUntilTheChoice) {
  queue_.post(receive(any_source, 5));
  queue_.post(receive(1, 6));
  Message* slow = message(1, 5, 900);    // the only candidate of source 1
  Message* behind = message(1, 5, 100);  // arrived, but after `slow` in send order
  Message* after = message(2, 5, 950);
  Message* unwanted = message(1, 9, 50);
  for (Message* m : {slow, behind, after, unwanted}) queue_.add(m);
  queue_.post(receive(any_source, 5));
  bind(queue_.least_wildcard_pair());
  EXPECT_EQ(behind->ready().picoseconds(), 900);
  EXPECT_EQ(behind->arrival.at.picoseconds(), 100);
  EXPECT_EQ(after->ready().picoseconds(), 950);
  EXPECT_EQ(unwanted->ready().picoseconds(), 50);
  EXPECT_EQ(slow->ready().picoseconds(), 900);
}

TEST_F(QueueTest, AProbeSeesOnlyWhatNoReceiveAccepts) {
  queue_.post(receive(any_source, 5));
  queue_.add(message(1, 5, 100));
  EXPECT_EQ(queue_.probe({0, any_source, any_tag}), nullptr);
  Message* slow = message(1, 6, 900);
  Message* fast = message(1, 6, 200);
  Message* other = message(2, 7, 800);
  for (Message* m : {slow, fast, other}) queue_.add(m);
  EXPECT_EQ(queue_.probe({0, any_source, any_tag}), other);
  EXPECT_EQ(queue_.probe({0, 1, any_tag}), slow);
  EXPECT_EQ(queue_.probe({0, any_source, 6}), slow);
  EXPECT_EQ(queue_.probe({0, 1, 7}), nullptr);
}

TEST_F(QueueTest, ContextsDoNotMix) {
  Posted* r = receive(any_source, any_tag);
  r->filter.context = 2;
  queue_.post(r);
  queue_.add(message(1, 5, 100));
  EXPECT_FALSE(queue_.least_wildcard_pair());
  EXPECT_NE(queue_.probe({0, any_source, any_tag}), nullptr);
}

TEST_F(QueueTest, AWithdrawnReceiveTakesNothing) {
  Posted* r = receive(1, 5);
  Posted* wildcard = receive(any_source, 5);
  queue_.post(r);
  queue_.post(wildcard);
  queue_.withdraw(r);
  EXPECT_EQ(queue_.posted_receives(), 1);
  EXPECT_FALSE(queue_.add(message(1, 5, 100)));
  EXPECT_EQ(queue_.least_wildcard_pair().receive, wildcard);
}

TEST_F(QueueTest, TellsWhichSourcesAreNamed) {
  for (int source : {2, any_source, 0}) queue_.post(receive(source, 5));
  std::vector<int> sources;
  queue_.named_sources(sources);
  EXPECT_EQ(sources, (std::vector<int>{2, 0}));
  EXPECT_EQ(queue_.posted_wildcards(), 1);
}

// Reference implementation of the rules of rank/semantics.md with plain arrays.
class Naive {
 public:
  static constexpr int most = 8;
  struct Letter {
    Envelope envelope;
    Arrival arrival;
    Instant held;
    int bound = -1;  // index of a receive
    Instant ready() const { return std::max(arrival.at, held); }
    Arrival key() const { return {ready(), arrival.source, arrival.sequence}; }
  };
  struct Receive {
    Filter filter;
    int bound = -1;  // index of a message
  };

  void post(const Filter& filter) {
    receives.push_back({filter});
    settle();
  }
  void add(const Letter& letter) {
    messages.push_back(letter);
    // The message arrives late, after a choice was made that would have held it.
    for (const auto& [source, x, filter] : choices)
      if (source == letter.envelope.source && letter.arrival.at < x && filter.accepts(letter.envelope))
        messages.back().held = std::max(messages.back().held, x);
    settle();
  }
  // The message that the next choice takes, -1 if there is no choice to make.
  int choice() const {
    int least = -1;
    for (int m = 0; m < count(messages); ++m) {
      const int r = may_bind(m);
      if (r < 0 || receives[r].filter.source != any_source) continue;
      if (least < 0 || messages[m].key() < messages[least].key()) least = m;
    }
    return least;
  }
  void choose(int chosen) {
    const Instant x = messages[chosen].ready();
    for (int m = 0; m < count(messages); ++m)
      if (m != chosen && messages[m].bound < 0 && first_accepting(m) >= 0 && messages[m].arrival.at < x)
        messages[m].held = std::max(messages[m].held, x);
    const int chooser = may_bind(chosen);
    choices.push_back({messages[chosen].envelope.source, x, receives[chooser].filter});
    bind(chosen, chooser);
    settle();
  }
  int probe(const Filter& filter) const {
    int least = -1;
    for (int m = 0; m < count(messages); ++m) {
      if (!offered(m, filter)) continue;
      bool first = true;
      for (int e = 0; e < m; ++e)
        if (messages[e].envelope.source == messages[m].envelope.source && offered(e, filter)) first = false;
      if (first && (least < 0 || messages[m].key() < messages[least].key())) least = m;
    }
    return least;
  }

  struct Choice {
    int source;
    Instant x;
    Filter filter;
  };
  std::vector<Letter> messages;
  std::vector<Choice> choices;
  std::vector<Receive> receives;

 private:
  template <class T>
  static int count(const std::vector<T>& v) {
    return static_cast<int>(v.size());
  }

  bool offered(int m, const Filter& filter) const {
    return messages[m].bound < 0 && filter.accepts(messages[m].envelope) && first_accepting(m) < 0;
  }
  int first_accepting(int m) const {
    for (int r = 0; r < count(receives); ++r)
      if (receives[r].bound < 0 && receives[r].filter.accepts(messages[m].envelope)) return r;
    return -1;
  }
  int may_bind(int m) const {
    if (messages[m].bound >= 0) return -1;
    const int r = first_accepting(m);
    if (r < 0) return -1;
    for (int e = 0; e < m; ++e)
      if (messages[e].bound < 0 && messages[e].envelope.source == messages[m].envelope.source &&
          receives[r].filter.accepts(messages[e].envelope))
        return -1;
    return r;
  }
  void bind(int m, int r) {
    messages[m].bound = r;
    receives[r].bound = m;
  }
  void settle() {
    for (int m = 0; m < count(messages); ++m) {
      const int r = may_bind(m);
      if (r >= 0 && receives[r].filter.source != any_source) {
        bind(m, r);
        m = -1;
      }
    }
  }
};

// All short histories: posted receives, messages in any order of arrival, and choices.
class World {
 public:
  static constexpr std::array<Filter, 6> filters{
      {{0, any_source, any_tag}, {0, any_source, 1}, {0, 0, any_tag}, {0, 0, 1}, {0, 1, any_tag}, {0, 1, 0}}};
  static constexpr int letters = 8;  // source, tag, early or late
  static constexpr int operations = static_cast<int>(filters.size()) + letters + 1;

  // False: this history is impossible, because there is no choice to make.
  bool apply(int operation) {
    history_ += ' ' + std::to_string(operation);
    if (operation < static_cast<int>(filters.size()))
      return post(filters[static_cast<std::size_t>(operation)]);
    operation -= static_cast<int>(filters.size());
    return operation < letters ? add(operation) : choose();
  }

  // Description of the difference; empty if there is none.
  std::string difference() const {
    for (std::size_t r = 0; r < naive_.receives.size(); ++r)
      if (index_of(receives_[r].matched) != naive_.receives[r].bound)
        return "receive " + std::to_string(r) + history_;
    for (std::size_t m = 0; m < naive_.messages.size(); ++m)
      if (messages_[m].ready() != naive_.messages[m].ready()) return "ready " + std::to_string(m) + history_;
    if (index_of(queue_.least_wildcard_pair().message) != naive_.choice()) return "choice" + history_;
    for (const Filter& f : filters)
      if (index_of(queue_.probe(f)) != naive_.probe(f)) return "probe" + history_;
    return "";
  }

 private:
  bool post(const Filter& filter) {
    Posted& r = receives_[naive_.receives.size()];
    r.filter = filter;
    queue_.post(&r);
    naive_.post(filter);
    return true;
  }
  bool add(int which) {
    const std::size_t n = naive_.messages.size();
    const int source = which & 1, tag = which >> 1 & 1;
    const auto late = static_cast<std::int64_t>(which >> 2 & 1);
    Message& m = messages_[n];
    m.envelope = {0, source, tag, 8};
    // Early messages arrive before all messages sent earlier, late ones after them.
    const auto step = static_cast<std::int64_t>(n);
    m.arrival = {Instant::from_picoseconds(late ? 100 + step : 100 - step), source, n};
    queue_.add(&m);
    naive_.add({m.envelope, m.arrival, Instant()});
    return true;
  }
  bool choose() {
    const Queue::Pair pair = queue_.least_wildcard_pair();
    if (!pair) return false;
    queue_.match_wildcard(pair, [](Queue::Pair) {});
    naive_.choose(naive_.choice());
    return true;
  }
  int index_of(const Message* m) const { return m ? static_cast<int>(m - messages_.data()) : -1; }

  Queue queue_{2};
  Naive naive_;
  std::array<Message, Naive::most> messages_;
  std::array<Posted, Naive::most> receives_;
  std::string history_ = ", after:";
};

TEST(QueueWorlds, AgreeWithTheRules) {
  constexpr int length = 5;
  int histories = 1, checked = 0;
  for (int i = 0; i < length; ++i) histories *= World::operations;
  for (int h = 0; h < histories; ++h) {
    World world;
    bool possible = true;
    int rest = h;
    for (int i = 0; i < length && possible; ++i, rest /= World::operations)
      possible = world.apply(rest % World::operations);
    if (!possible) continue;
    ++checked;
    const std::string difference = world.difference();
    ASSERT_EQ(difference, "");
  }
  EXPECT_GT(checked, 500'000);
}

}  // namespace
}  // namespace emu::match
