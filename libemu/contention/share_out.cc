// Max-min fair rates by progressive filling: the resource with the least capacity per flow fixes the rate of its
// flows, and so on with the rest. Only flows connected by shared resources with changed ones get a new rate.
#include <algorithm>

#include "contention/shared_state.h"

namespace emu::contention {

void Contention::share_out() {
  collect();
  fill();
}

void Contention::collect() {
  if (++state_->epoch == 0) ++state_->epoch;  // 0 marks flows with a rate
  const std::uint32_t mark = state_->epoch;
  connected_.clear();
  flows_.clear();
  const auto reach = [&](int resource) {
    Link& l = link(resource);
    if (l.mark == mark) return;
    l.mark = mark;
    l.users = static_cast<std::int32_t>(l.flows.size());
    l.rest = l.capacity;
    if (l.users > 0) connected_.push_back(resource);
  };
  for (const int resource : changed_) reach(resource);
  for (std::size_t i = 0; i < connected_.size(); ++i)
    for (Stage& stage : link(connected_[i]).flows) {
      Flow& flow = *stage.flow;
      if (flow.mark == mark) continue;
      flow.mark = mark;
      flows_.push_back(&flow);
      for (int k = 0; k < flow.stages; ++k) reach(flow.stage(k)->resource);
    }
}

namespace {

// A heap with the least share first.
constexpr auto more = [](const auto& a, const auto& b) {
  return a.rate != b.rate ? a.rate > b.rate : a.resource > b.resource;
};

}  // namespace

// Brings the resource of the least share to the front of the heap, without those whose flows all have a rate. The
// remaining capacity per flow of a resource never falls as others get their rates: an entry that is too low is
// corrected here. Returns false if no resource is left.
bool Contention::find_least() {
  while (!heap_.empty()) {
    const Share least = heap_.front();
    const Link& l = link(least.resource);
    const Fraction share = l.users > 0 ? l.rest / static_cast<Fraction>(l.users) : 0;
    if (l.users > 0 && share == least.rate) return true;
    std::pop_heap(heap_.begin(), heap_.end(), more);
    heap_.pop_back();
    if (l.users == 0) continue;
    heap_.push_back({share, least.resource});
    std::push_heap(heap_.begin(), heap_.end(), more);
  }
  return false;
}

// Takes all resources of the least share out of the heap. Their flows get that share, independently of the numbering of
// resources: a remainder of one resource is not divided among the flows of another.
void Contention::take_level() {
  level_.clear();
  const Fraction rate = heap_.front().rate;
  while (find_least() && heap_.front().rate == rate) {
    const Link& l = link(heap_.front().resource);
    level_.push_back({heap_.front().resource, real(l.capacity) / l.users});
    std::pop_heap(heap_.begin(), heap_.end(), more);
    heap_.pop_back();
  }
}

void Contention::fill() {
  heap_.clear();
  for (const int resource : connected_) {
    const Link& l = link(resource);
    heap_.push_back({l.rest / static_cast<Fraction>(l.users), resource});
  }
  std::make_heap(heap_.begin(), heap_.end(), more);
  std::sort(flows_.begin(), flows_.end(), [](const Flow* a, const Flow* b) {
    return a->own != b->own ? a->own < b->own : ByHead()(*a, *b);
  });
  auto slowest = flows_.begin();
  const std::uint32_t mark = state_->epoch;
  while (find_least()) {
    const Fraction rate = heap_.front().rate;
    while (slowest != flows_.end() && (*slowest)->mark != mark) ++slowest;
    if (slowest != flows_.end() && (*slowest)->own <= rate) {
      fix(**slowest, (*slowest)->own, -1, 0);
      continue;
    }
    take_level();
    for (const auto& [resource, growth] : level_)
      for (Stage& stage : link(resource).flows)
        if (stage.flow->mark == mark) fix(*stage.flow, rate, resource, growth);
  }
}

// The gain of this instant, if a flow that the same resource limited lands now.
Gain Contention::earlier(const Flow& flow) const {
  if (flow.limiting < 0) return {};
  const Link& l = link(flow.limiting);
  if (l.landed != state_->now) return {};
  return {l.gain.resource, l.gap == flow.limit ? l.gain.own : 0};
}

void Contention::fix(Flow& flow, Fraction rate, int limiting, double growth) {
  flow.mark = 0;
  for (int i = 0; i < flow.stages; ++i) {
    Link& l = link(flow.stage(i)->resource);
    l.rest -= std::min(l.rest, rate);
    --l.users;
  }
  if (rate == flow.rate && limiting == flow.limit_now && growth == flow.growth) return;
  if (flow.rate > 0) {
    settle(flow, state_->now);
    const Gain event = earlier(flow);
    const double more = real(rate) - real(flow.rate);
    flow.gain.resource += more * event.resource;
    flow.gain.own += more * event.own;
  }
  flow.limit_now = limiting;
  flow.growth = growth;
  if (limiting >= 0 && limiting != flow.limiting) {
    flow.limiting = limiting;
    flow.gain.resource = 0;
  }
  if (rate == flow.rate) return;
  if (flow.rate > 0) state_->events.erase(state_->events.iterator_to(flow));
  flow.rate = rate;
  // A flow does not end at this instant, because another flow may still begin at it.
  schedule(flow, std::min(state_->now + std::max(picosecond, duration(flow.left, rate)), Instant::never()));
}

void Contention::settle(Flow& flow, Instant at) {
  const auto span = static_cast<double>((at - flow.since).picoseconds());
  const Fraction moved =
      std::min(flow.left, flow.rate * static_cast<Fraction>((at - flow.since).picoseconds()));
  flow.left -= moved;
  flow.since = at;
  flow.gain.resource += flow.growth * span;
  if (flow.limit_now < 0 || link(flow.limit_now).gap == flow.limit) flow.gain.own += real(moved);
}

}  // namespace emu::contention
