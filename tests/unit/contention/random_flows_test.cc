// Random flows, compared with a simple simulation in floating point.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include "flows.h"

namespace emu::contention {
namespace {

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

// Also if flows take long, or if a byte takes less than a picosecond.
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
