#include "reference/simulator/flows.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace emu::reference {
namespace {

__extension__ using Wide = unsigned __int128;

// Bytes are counted in units of 2^-80.
constexpr Wide byte = Wide{1} << 80;

Wide speed(Rate gap) {
  return gap == Rate() ? Wide{1} << 120 : byte * 1000 / static_cast<Wide>(gap.femtoseconds_per_byte());
}

struct Moving {
  Flow* flow;
  Wide left, rate = 0;
};

// To the nearest picosecond, and at least one.
std::int64_t lasts(const Moving& m) {
  return std::max<std::int64_t>(1, static_cast<std::int64_t>((m.left + m.rate / 2) / m.rate));
}

Interval alone(const Flow& flow) {
  Rate slowest = flow.own;
  for (const Passed& p : flow.route) slowest = std::max(slowest, p.gap);
  return slowest.times(flow.bytes);
}

struct Shared {
  Wide rest, users = 0;
  Wide share() const { return rest / users; }
};

// The least share of a resource for each flow without a rate.
using Resources = std::map<std::array<int, 4>, Shared>;
Wide least_share(const Resources& resources) {
  Wide least = ~Wide{0};
  for (const auto& [which, shared] : resources)
    if (shared.users > 0) least = std::min(least, shared.share());
  return least;
}

// No share is raised at the cost of a smaller one: flows of the tightest resources
// get their equal shares. Flows that are slower by themselves are settled before them.
void fill(std::vector<Moving>& moving) {
  Resources resources;
  for (const Moving& m : moving)
    for (const Passed& p : m.flow->route) ++resources.try_emplace(p.which, speed(p.gap)).first->second.users;
  std::vector<Moving*> open;
  for (Moving& m : moving) open.push_back(&m);
  const auto fix = [&](Moving* m, Wide rate) {
    m->rate = rate;
    for (const Passed& p : m->flow->route) {
      Shared& shared = resources.at(p.which);
      shared.rest -= std::min(shared.rest, rate);
      --shared.users;
    }
    std::erase(open, m);
  };
  while (!open.empty()) {
    const Wide share = least_share(resources);
    Moving* const slowest = *std::min_element(open.begin(), open.end(), [](const Moving* a, const Moving* b) {
      return speed(a->flow->own) < speed(b->flow->own);
    });
    if (speed(slowest->flow->own) <= share) {
      fix(slowest, speed(slowest->flow->own));
      continue;
    }
    std::vector<Moving*> tight;
    for (Moving* const m : open)
      if (std::any_of(m->flow->route.begin(), m->flow->route.end(),
                      [&](const Passed& p) { return resources.at(p.which).share() == share; }))
        tight.push_back(m);
    for (Moving* const m : tight) fix(m, share);
  }
}

}  // namespace

void share_fairly(std::vector<Flow>& flows) {
  std::vector<Flow*> coming;
  for (Flow& f : flows)
    if (alone(f) == Interval())
      f.end = f.head;
    else
      coming.push_back(&f);
  std::sort(coming.begin(), coming.end(), [](const Flow* a, const Flow* b) {
    return std::tie(a->head, a->source, a->sequence) < std::tie(b->head, b->source, b->sequence);
  });
  std::vector<Moving> moving;
  Instant now;
  std::size_t begun = 0;
  while (begun < coming.size() || !moving.empty()) {
    Instant next = begun < coming.size() ? coming[begun]->head : Instant::never();
    for (const Moving& m : moving) {
      next = std::min(next, now + Interval::picoseconds(lasts(m)));
    }
    for (Moving& m : moving) {
      const bool ends = now + Interval::picoseconds(lasts(m)) == next;
      m.left -= std::min(m.left, m.rate * static_cast<Wide>((next - now).picoseconds()));
      if (!ends) continue;
      m.flow->end = next;
      m.flow = nullptr;
    }
    std::erase_if(moving, [](const Moving& m) { return !m.flow; });
    now = next;
    for (; begun < coming.size() && coming[begun]->head == now; ++begun)
      moving.push_back({coming[begun], static_cast<Wide>(coming[begun]->bytes) * byte});
    fill(moving);
  }
}

void serve_in_order(std::vector<Flow>& flows) {
  struct Head {
    Instant at;
    Flow* flow;
    std::size_t stage;
  };
  std::vector<Head> heads;
  for (Flow& f : flows) {
    heads.push_back({f.head, &f, 0});
    f.end = Instant();
  }
  std::map<std::array<int, 4>, Instant> free;
  while (!heads.empty()) {
    const auto least = std::min_element(heads.begin(), heads.end(), [](const Head& a, const Head& b) {
      return std::tie(a.at, a.flow->source, a.flow->sequence) <
             std::tie(b.at, b.flow->source, b.flow->sequence);
    });
    Flow& f = *least->flow;
    const Passed& passed = f.route[least->stage];
    const Instant begin = std::max(least->at, free[passed.which]);
    const Instant end = begin + std::max(passed.gap, f.own).times(f.bytes);
    free[passed.which] = end;
    f.end = std::max(f.end, end);
    if (++least->stage == f.route.size())
      heads.erase(least);
    else
      least->at = begin;
  }
}

void forget(std::vector<Flow>& flows, Instant since) {
  // The last instant up to `since` at which no flow is in progress.
  Instant quiet = since;
  for (bool moved = true; moved;) {
    moved = false;
    for (const Flow& f : flows)
      if (f.head < quiet && f.end > quiet) {
        quiet = f.head;
        moved = true;
      }
  }
  std::erase_if(flows, [quiet](const Flow& f) { return f.end <= quiet; });
}

}  // namespace emu::reference
