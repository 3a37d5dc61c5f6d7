// Flows on links, and the use of a resource.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <vector>

#include "flows.h"

namespace emu::contention {
namespace {

TEST(Contention, AFlowAloneTakesItsBytes) {
  for (const auto share : {model::Share::fair, model::Share::fifo}) {
    Network n({G}, share);
    const Flow& flow = n.add(1000, 999, {0});
    EXPECT_EQ(n->landing(flow).at, at(1000 + ps(999)));
    EXPECT_FALSE(n->landing(flow).certain);
    n.finish();
    EXPECT_EQ(n.lands(flow), 1000 + ps(999));
  }
}

TEST(Contention, AFlowIsNoFasterThanAlone) {
  Network n({G});
  const Flow& slow = n.add(0, 1000, {0}, 4 * G);
  const Flow& fast = n.add(0, 3000, {0});
  n.finish();
  EXPECT_EQ(n.lands(slow), ps(1000, 4 * G));
  EXPECT_EQ(n.lands(fast), ps(4000));  // three quarters of the link, for the whole time
}

TEST(Contention, IncastEndsTogetherOrOneAfterAnother) {
  constexpr int n = 7;
  Network fair({G}), fifo({G}, model::Share::fifo);
  std::vector<const Flow*> of_fair, of_fifo;
  for (int i = 0; i < n; ++i) {
    of_fair.push_back(&fair.add(500, 12345, {0}));
    of_fifo.push_back(&fifo.add(500, 12345, {0}));
  }
  fair.finish();
  fifo.finish();
  for (int i = 0; i < n; ++i) {
    EXPECT_EQ(fair.lands(*of_fair[static_cast<std::size_t>(i)]), 500 + n * ps(12345));
    EXPECT_EQ(fifo.lands(*of_fifo[static_cast<std::size_t>(i)]), 500 + (i + 1) * ps(12345));
  }
}

TEST(Contention, AShortFlowBesideALongOneTakesTwiceAsLong) {
  Network n({G});
  const Flow& large = n.add(0, 1'000'000, {0});
  const Flow& small = n.add(ps(1000), 1000, {0});
  n.finish();
  EXPECT_EQ(n.lands(small), ps(1000) + 2 * ps(1000));
  EXPECT_EQ(n.lands(large), ps(1'001'000));
}

// One flow through all links, and one on each.
TEST(Contention, ParkingLot) {
  constexpr int links = 4;
  Network n(std::vector<std::int64_t>(links, G));
  const Flow& across = n.add(0, 1000, {0, 1, 2, 3});
  std::vector<const Flow*> others;
  for (int i = 0; i < links; ++i) others.push_back(&n.add(0, 2000, {i}));
  n.finish();
  EXPECT_EQ(n.lands(across), 2 * ps(1000));
  for (const Flow* other : others) EXPECT_EQ(n.lands(*other), 2 * ps(1000) + ps(1000));
}

// Another flow uses the share of a link that a flow limited elsewhere does not need.
TEST(Contention, MaxMin) {
  Network n({3 * G, G});
  const Flow& both = n.add(0, 1000, {0, 1});
  const Flow& first = n.add(0, 1000, {0});
  const Flow& second = n.add(0, 5000, {1});
  n.finish();
  EXPECT_EQ(n.lands(both), 6 * ps(1000));
  EXPECT_EQ(n.lands(first), 6 * ps(1000));
  EXPECT_EQ(n.lands(second), 6 * ps(1000));
}

// The movement of the ends of random flows on one link, if the bandwidth is a little greater or less.
TEST(Contention, GainsAreDerivatives) {
  std::mt19937 random(7);
  const auto some = [&](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
  };
  constexpr std::int64_t change = G / 100'000;
  int waited = 0;
  for (int round = 0; round < 200; ++round) {
    const model::Share share = round % 2 == 0 ? model::Share::fair : model::Share::fifo;
    Network now({G}, share), slower({G + change}, share), faster({G - change}, share);
    std::vector<std::array<const Flow*, 3>> flows;
    for (std::int64_t i = some(1, 6); i > 0; --i) {
      const std::int64_t head = some(0, ps(20'000)), bytes = some(1'000, 20'000);
      const std::int64_t own = some(0, 2) == 0 ? some(G / 2, 6 * G) : 1;
      flows.push_back({&now.add(head, bytes, {0}, own), &slower.add(head, bytes, {0}, own),
                       &faster.add(head, bytes, {0}, own)});
    }
    now.finish();
    slower.finish();
    faster.finish();
    for (const auto& [flow, later, earlier] : flows) {
      const auto behind = static_cast<double>(slower.lands(*later) - now.lands(*flow));
      const auto ahead = static_cast<double>(now.lands(*flow) - faster.lands(*earlier));
      if (std::abs(ahead - behind) > 1e-3 * ahead + 10) continue;  // the ends change their order meanwhile
      const Landing landing = now->landing(*flow);
      const double gain = landing.gain.resource * 1e-5;
      EXPECT_NEAR(gain, ahead, 1e-3 * ahead + 10) << "round " << round;
      waited += landing.resource == 0;
    }
  }
  EXPECT_GT(waited, 300);
}

// All rates are the messages' own, as with the default cards.
TEST(Contention, GainsOfTheOwnRate) {
  for (const auto share : {model::Share::fair, model::Share::fifo}) {
    Network n({G}, share);
    const Flow& large = n.add(0, 10'000, {0}, G);
    const Flow& small = n.add(ps(1000), 1'000, {0}, G);
    n.finish();
    // Alone; with the other one, which ends 2 * 1,000 bytes after its head; and alone again.
    EXPECT_NEAR(n->landing(large).gain.own,
                static_cast<double>(ps(share == model::Share::fair ? 11'000 : 10'000)), 1e3);
    EXPECT_NEAR(n->landing(small).gain.own,
                static_cast<double>(ps(share == model::Share::fair ? 2'000 : 11'000)), 1e3);
  }
}

TEST(Contention, FifoFollowsHeadsAtEachResource) {
  Network n({G, G}, model::Share::fifo);
  const Flow& first = n.add(0, 1000, {0});
  const Flow& waits =
      n.add(1, 1000, {0, 1});                // its head comes to the second link at the end of the first flow
  const Flow& passes = n.add(2, 1000, {1});  // and that is free until then
  n.finish();
  EXPECT_EQ(n.lands(first), ps(1000));
  EXPECT_EQ(n.lands(passes), 2 + ps(1000));
  EXPECT_EQ(n.lands(waits), 2 + 2 * ps(1000));
}

// The slowest resource is already passed, so the rest takes less time.
TEST(Contention, FifoPromisesNoMoreThanIsLeft) {
  Network n({4 * G, G, G}, model::Share::fifo);
  n.add(0, 3000, {1});
  const Flow& flow =
      n.add(0, 1000, {0, 1, 2});  // waits for the second resource, while the first is done with it
  Instant said;
  for (std::int64_t t = 0; t <= ps(8000); t += ps(500)) {
    n->advance(at(t));
    EXPECT_GE(n->landing(flow).at, said);
    said = n->landing(flow).at;
    EXPECT_LE(said, at(ps(4000)));
  }
  EXPECT_EQ(n.lands(flow), ps(4000));
}

TEST(Contention, RefusesAFlowBeforeWhatIsCertain) {
  Network n({G});
  n->advance(at(1000));
  n.add(1000, 1, {0});
  Flow early{};
  early.head = at(999);
  early.bytes = 1;
  EXPECT_FALSE(n->add(early));
}

TEST(Load, KeepsAllSumsWhileStretchesGrow) {
  std::mt19937 random(7);
  Load load;
  std::vector<std::pair<std::int64_t, std::int64_t>> spans;
  std::int64_t at_ps = 0;
  for (int i = 0; i < 3000; ++i) {
    at_ps += static_cast<std::int64_t>(random() % 5000);
    const std::int64_t until = at_ps + static_cast<std::int64_t>(random() % (i < 2000 ? 3000 : 90'000'000));
    load.add(at(at_ps), at(until));
    spans.emplace_back(at_ps, until);
    at_ps = until;
  }
  const std::int64_t width = load.stretch().picoseconds();
  const std::vector<Interval> busy = load.busy();
  ASSERT_GT(busy.size(), Load::stretches / 2);
  for (std::size_t i = 0; i < busy.size(); ++i) {
    const std::int64_t from = static_cast<std::int64_t>(i) * width;
    std::int64_t sum = 0;
    for (const auto& [begin, end] : spans)
      sum += std::max<std::int64_t>(0, std::min(end, from + width) - std::max(begin, from));
    EXPECT_EQ(busy[i], Interval::picoseconds(sum)) << i;
  }
}

TEST(Load, TakesTheLastInstant) {
  Load load;
  load.add(at(5), Instant::never());
  Interval sum;
  for (const Interval busy : load.busy()) sum += busy;
  EXPECT_EQ(sum, Instant::never() - at(5));
}

TEST(Contention, UsageOfAResource) {
  Network n({G});
  n.add(0, 999, {0});
  n.add(0, 999, {0});
  n.add(10 * ps(999), 2999, {0});
  n.finish();
  const Usage usage = n->usage(0);
  EXPECT_EQ(usage.bytes, 5000);
  EXPECT_EQ(usage.messages, 3);
  EXPECT_EQ(usage.longest, 2);
  EXPECT_EQ(usage.busy, Interval::picoseconds(2 * ps(999) + ps(2999)));
  EXPECT_EQ(usage.most_by, 3);
  Interval busy;
  for (const Interval part : usage.load.busy()) busy += part;
  EXPECT_EQ(busy, usage.busy);
}

}  // namespace
}  // namespace emu::contention
