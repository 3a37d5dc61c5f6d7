#include "contention/contention.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <random>

namespace emu::contention {
namespace {

// A row of links, each with its own time per byte.
class Links final : public model::Interconnect {
 public:
  explicit Links(std::vector<std::int64_t> femtoseconds) : femtoseconds_(std::move(femtoseconds)) {}
  int nodes() const override { return 2; }
  int links() const override { return static_cast<int>(femtoseconds_.size()); }
  Rate gap_per_byte(int link) const override {
    return Rate::femtoseconds_per_byte(femtoseconds_[static_cast<std::size_t>(link)]);
  }
  std::string name(int) const override { return "link"; }
  void route(int, int, std::vector<std::int32_t>&) const override {}
  Interval latency(int, int) const override { return {}; }
  Interval least_latency() const override { return {}; }

 private:
  std::vector<std::int64_t> femtoseconds_;
};

Instant at(std::int64_t ps) { return Instant::from_picoseconds(ps); }

// The resources, and flows on them.
class Network {
 public:
  explicit Network(std::vector<std::int64_t> femtoseconds, model::Share share = model::Share::fair) {
    model::NodeParameters nodes;
    nodes.share = share;
    create({nodes, {{0, 0}, {1, 0}}, std::make_shared<Links>(std::move(femtoseconds))});
  }
  explicit Network(const model::Resources& resources) { create(resources); }
  void create(const model::Resources& resources) {
    memory_.resize(Contention::bytes(resources.count(), 1) / sizeof(Aligned) + 1);
    Contention::create(reinterpret_cast<std::byte*>(memory_.data()), resources, 1);
    contention_.emplace(reinterpret_cast<std::byte*>(memory_.data()));
  }
  // A flow of `bytes` bytes that follow the first; `own` is its own time per byte in femtoseconds; `path`: on the bus.
  Flow& add(std::int64_t head, std::int64_t bytes, const std::vector<int>& route, std::int64_t own = 1,
            const record::Path* path = nullptr) {
    auto& block = flows_.emplace_back(Flow::size(route.size()) / sizeof(Aligned) + 1);
    Flow& flow = *new (block.data()) Flow{};
    flow.head = at(head);
    flow.sequence = flows_.size();
    flow.source = static_cast<std::int32_t>(flows_.size());
    flow.bytes = bytes;
    flow.limit = Rate::femtoseconds_per_byte(own);
    flow.receiver = 0;
    flow.bus = path != nullptr;
    if (path) flow.path = *path;
    flow.trailing = static_cast<double>(bytes);
    flow.stages = static_cast<std::int32_t>(route.size());
    for (std::size_t i = 0; i < route.size(); ++i)
      (new (flow.stage(static_cast<int>(i))) Stage{})->resource = route[i];
    EXPECT_TRUE(contention_->add(flow));
    return flow;
  }
  Contention& operator*() { return *contention_; }
  Contention* operator->() { return &*contention_; }
  std::int64_t lands(const Flow& flow) {
    const Landing landing = contention_->landing(flow);
    EXPECT_TRUE(landing.certain);
    return landing.at.picoseconds();
  }
  void finish() { contention_->advance(at(std::int64_t{1} << 60)); }

 private:
  struct alignas(64) Aligned {
    std::byte bytes[64];
  };
  std::vector<Aligned> memory_;
  std::deque<std::vector<Aligned>> flows_;
  std::optional<Contention> contention_;
};

constexpr std::int64_t G = 26'800'000;  // fs per byte: Fast Ethernet

std::int64_t ps(std::int64_t bytes, std::int64_t gap = G) {
  return Rate::femtoseconds_per_byte(gap).times(bytes).picoseconds();
}

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
  EXPECT_EQ(n.lands(fast), ps(4000));  // three quarters of the link, as long
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

// Random flows on one link, with a bandwidth that is a little greater or less: how far their ends move.
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

// All rates are the messages' own: those of the default cards.
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

// Node 0 has a memory, which is shared fairly.
Network bus_and_memory() {
  model::NodeParameters nodes;
  nodes.memory = true;
  nodes.memory_per_byte = Rate::femtoseconds_per_byte(G);
  return Network(model::Resources(nodes, {{0, 0}, {0, 0}}, nullptr, true));
}

record::Path path_of(int source, std::int64_t latency) {
  record::Path path;
  path.travel(Interval::picoseconds(latency), 1);
  path.hop = {source, 0};
  return path;
}

// Each message has its own time per byte, and also one without further bytes waits.
TEST(Contention, TheBusServesOneAfterAnotherBesideAFairMemory) {
  Network n = bus_and_memory();
  const record::Path path;
  const std::vector<int> bus{model::Resources::bus}, memory{1};
  const Flow& slow = n.add(0, 1000, bus, 2 * G, &path);
  const Flow& empty = n.add(1, 0, bus, G, &path);
  const Flow& fast = n.add(2, 1000, bus, G, &path);
  const Flow& one = n.add(0, 1000, memory);
  const Flow& other = n.add(0, 1000, memory);
  n.finish();
  EXPECT_EQ(n.lands(slow), ps(2000));
  EXPECT_EQ(n.lands(empty), ps(2000));
  EXPECT_EQ(n.lands(fast), ps(3000));
  EXPECT_EQ(n.lands(one), ps(2000));
  EXPECT_EQ(n.lands(other), ps(2000));
}

// A message that waits owes its landing to the one that kept the bus busy; one that does not, to its own sender.
TEST(Contention, APathContinuesOnTheBus) {
  Network n = bus_and_memory();
  const std::vector<int> bus{model::Resources::bus};
  const record::Path of_first = path_of(3, 100), of_second = path_of(1, 101), of_third = path_of(2, ps(500));
  const Flow& first = n.add(100, 10, bus, G, &of_first);
  const Flow& second = n.add(101, 20, bus, G, &of_second);
  const Flow& third = n.add(ps(500), 30, bus, G, &of_third);
  n.finish();
  const auto path = [&](const Flow& flow) { return *n->landing(flow).path; };
  EXPECT_EQ(path(first).hop, of_first.hop);
  EXPECT_EQ(path(first).gap_bytes, 10);
  EXPECT_EQ(path(second).hop, of_first.hop);
  EXPECT_EQ(path(second).gap_bytes, 30);
  EXPECT_EQ(path(third).hop, of_third.hop);
  EXPECT_EQ(path(third).gap_bytes, 30);
  for (const Flow* flow : {&first, &second, &third})
    EXPECT_EQ(path(*flow).total().picoseconds(), n.lands(*flow));
}

// Of one source and instant, a message that is sent later may have the lesser number: one-sided operations come last.
TEST(Contention, TheBusIsCertainUpToAKey) {
  Network n = bus_and_memory();
  const record::Path path;
  const std::vector<int> bus{model::Resources::bus};
  const Flow& first = n.add(50, 10, bus, G, &path);  // of source 1, as its number
  const Flow& second = n.add(50, 10, bus, G, &path);
  n->advance(at(50), 1, 0);
  EXPECT_FALSE(n->landing(first).certain);
  n->advance(at(50), 1, 1);
  EXPECT_TRUE(n->landing(first).certain);
  EXPECT_FALSE(n->landing(second).certain);
  n->advance(at(50), 2);
  EXPECT_TRUE(n->landing(second).certain);
}

// The receiver of such a message looks at its landing: the clock then stops the job (clock/clock.h).
TEST(Contention, NothingOnTheBusWrapsAroundBehindTheLastInstant) {
  Network n = bus_and_memory();
  const record::Path path;
  std::vector<const Flow*> flows;
  for (int i = 0; i < 4; ++i)
    flows.push_back(&n.add(100, 1, {model::Resources::bus}, std::numeric_limits<std::int64_t>::max(), &path));
  for (int i = 0; i < 1000; ++i)
    flows.push_back(&n.add(101, std::int64_t{1} << 40, {model::Resources::bus}, G, &path));
  n->advance(Instant::last());
  for (const Flow* flow : flows) EXPECT_LE(n.lands(*flow), Instant::never().picoseconds());
  EXPECT_EQ(n.lands(*flows.back()), Instant::never().picoseconds());
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

// --- random flows, compared with a simple simulation in floating point

struct Plain {
  std::int64_t head;
  double left;
  std::vector<int> route;
  double own;  // bytes per picosecond
  double end = -1, rate = 0;
};

void rates(std::vector<Plain*>& moving, const std::vector<double>& capacity) {
  std::vector<double> rest = capacity;
  std::vector<Plain*> open = moving;
  while (!open.empty()) {
    std::vector<int> users(rest.size(), 0);
    for (const Plain* f : open)
      for (const int link : f->route) ++users[static_cast<std::size_t>(link)];
    double least = 1e300;
    for (const Plain* f : open) {
      least = std::min(least, f->own);
      for (const int link : f->route)
        least = std::min(least, rest[static_cast<std::size_t>(link)] / users[static_cast<std::size_t>(link)]);
    }
    std::vector<Plain*> fixed;
    for (Plain* f : open) {
      bool tight = f->own <= least * (1 + 1e-12);
      for (const int link : f->route)
        tight = tight || rest[static_cast<std::size_t>(link)] / users[static_cast<std::size_t>(link)] <=
                             least * (1 + 1e-12);
      if (tight) fixed.push_back(f);
    }
    for (Plain* f : fixed) {
      f->rate = least;
      for (const int link : f->route) rest[static_cast<std::size_t>(link)] -= least;
      open.erase(std::find(open.begin(), open.end(), f));
    }
  }
}

void play(std::vector<Plain>& flows, const std::vector<double>& capacity) {
  double now = 0;
  for (;;) {
    std::vector<Plain*> moving;
    double next = 1e300;
    for (Plain& f : flows) {
      if (f.end >= 0) continue;
      if (static_cast<double>(f.head) <= now)
        moving.push_back(&f);
      else
        next = std::min(next, static_cast<double>(f.head));
    }
    if (moving.empty() && next > 1e299) return;
    rates(moving, capacity);
    for (const Plain* f : moving) next = std::min(next, now + f->left / f->rate);
    for (Plain* f : moving) {
      f->left -= f->rate * (next - now);
      if (f->left < 1e-6) f->end = next;
    }
    now = next;
  }
}

TEST(Contention, RandomFlowsAreAsInAPlainSimulation) {
  std::mt19937 random(7);
  const auto between = [&](int a, int b) { return std::uniform_int_distribution<int>(a, b)(random); };
  for (int round = 0; round < 200; ++round) {
    const int links = between(1, 6), count = between(1, 14);
    std::vector<std::int64_t> gaps;
    std::vector<double> capacity;
    for (int i = 0; i < links; ++i) {
      gaps.push_back(between(1, 5) * 10'000'000);
      capacity.push_back(1000.0 / static_cast<double>(gaps.back()));
    }
    Network n(gaps);
    std::vector<Plain> plain;
    std::vector<std::pair<std::int64_t, int>> heads;
    std::vector<const Flow*> flows;
    for (int i = 0; i < count; ++i) {
      std::vector<int> route;
      for (int link = 0; link < links; ++link)
        if (between(0, 2) == 0) route.push_back(link);
      if (route.empty()) route.push_back(between(0, links - 1));
      const std::int64_t head = between(0, 20) * 10'000'000, bytes = between(1, 3000);
      const std::int64_t own = between(1, 8) * 5'000'000;
      plain.push_back({head, static_cast<double>(bytes), route, 1000.0 / static_cast<double>(own)});
      flows.push_back(&n.add(head, bytes, route, own));
    }
    play(plain, capacity);
    // Queries during the run change nothing, and their answers never decrease.
    std::map<const Flow*, Instant> said;
    for (int look = 0; look < 40; ++look) {
      n->advance(at(look * 7'777'777LL));
      for (const Flow* flow : flows) {
        const Landing landing = n->landing(*flow);
        EXPECT_GE(landing.at, said[flow]);
        said[flow] = landing.at;
      }
    }
    n.finish();
    for (std::size_t i = 0; i < flows.size(); ++i) {
      EXPECT_NEAR(static_cast<double>(n.lands(*flows[i])), plain[i].end, 2 + static_cast<double>(count));
      EXPECT_GE(at(n.lands(*flows[i])), said[flows[i]]);
    }
  }
}

// Neither where flows take long, nor where a byte takes less than a picosecond.
TEST(Contention, StateDoesNotDependOnWhoAsked) {
  struct Scale {
    std::int64_t gap;  // fs per byte
    int step, bytes;   // most between two heads in picoseconds, and of a flow
  };
  std::mt19937 random(11);
  const auto between = [&](int a, int b) { return std::uniform_int_distribution<int>(a, b)(random); };
  const auto compare = [&](const Scale& scale, model::Share share) {
    const std::vector<std::int64_t> gaps{scale.gap, 2 * scale.gap, 3 * scale.gap};
    Network once(gaps, share), often(gaps, share);
    std::vector<std::pair<const Flow*, const Flow*>> flows;
    std::int64_t head = 0;
    for (int i = 0; i < 30; ++i) {
      head += between(0, 1) * between(1, scale.step);
      const std::vector<int> route =
          between(0, 1) ? std::vector{between(0, 2)} : std::vector{0, between(1, 2)};
      const int bytes = between(1, scale.bytes);
      often->advance(at(head));  // as far as is certain
      flows.emplace_back(&once.add(head, bytes, route), &often.add(head, bytes, route));
    }
    once.finish();
    often.finish();
    for (const auto& [a, b] : flows) EXPECT_EQ(once.lands(*a), often.lands(*b));
  };
  for (const auto share : {model::Share::fair, model::Share::fifo})
    for (const Scale& scale : {Scale{G, 40'000'000, 2000}, Scale{142, 3, 20}})
      for (int round = 0; round < 100; ++round) compare(scale, share);
}

}  // namespace
}  // namespace emu::contention
