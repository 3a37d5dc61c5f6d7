#include "contention/contention.h"

#include <algorithm>
#include <new>
#include <tuple>
#include <utility>

#include "contention/shared_state.h"

namespace emu::contention {

namespace {

constexpr std::size_t aligned(std::size_t n) { return (n + 63) / 64 * 64; }

// Time for which a flow occupies a fifo resource.
Interval occupancy(const Flow& flow, Rate gap) { return std::max(flow.limit, gap).times(flow.bytes); }

}  // namespace

void Usage::carry(std::int32_t source, std::int64_t more) {
  ++messages;
  bytes += more;
  if (votes == 0) {
    most_by = source;
    by_it = 0;
  }
  if (source == most_by) {
    by_it += more;
    votes += more;
  } else {
    votes -= std::min(votes, more);
  }
}

void Usage::keep_busy(Instant from, Instant until) {
  busy += until - from;
  load.add(from, until);
}

std::size_t Contention::bytes(int resources, int receivers) {
  return aligned(sizeof(State)) + aligned(static_cast<std::size_t>(resources) * sizeof(Link)) +
         aligned(static_cast<std::size_t>(receivers) * sizeof(Receiver));
}

void Contention::create(std::byte* at, const model::Resources& resources, int receivers) {
  auto* const state = new (at) State{};
  state->resources = resources.count();
  state->receivers = receivers;
  Contention made(at);
  for (int i = 0; i < resources.count(); ++i) {
    Link& link = *new (made.links_ + i) Link{};
    link.share = resources.share(i);
    link.gap = resources.gap_per_byte(i);
    link.capacity = rate_of(link.gap);
  }
  for (int i = 0; i < receivers; ++i) new (made.receivers_ + i) Receiver{};
}

Contention::Contention(std::byte* at)
    : state_(reinterpret_cast<State*>(at)),
      links_(reinterpret_cast<Link*>(at + aligned(sizeof(State)))),
      receivers_(
          reinterpret_cast<Receiver*>(at + aligned(sizeof(State)) +
                                      aligned(static_cast<std::size_t>(state_->resources) * sizeof(Link)))) {}

Contention::Link& Contention::link(int resource) const { return links_[resource]; }
Contention::Receiver& Contention::receiver(int slot) const { return receivers_[slot]; }
Instant Contention::now() const { return state_->now; }
std::uint64_t Contention::steps() const { return state_->steps; }
int Contention::resources() const { return state_->resources; }

Usage Contention::usage(int resource) const {
  const Link& l = link(resource);
  Usage usage = l.usage;
  if (!l.flows.empty()) usage.keep_busy(l.busy_since, state_->now);
  return usage;
}

// --- events

void Contention::schedule(Flow& flow, Instant next) {
  flow.next = next;
  (flow.in_order ? state_->in_order : state_->events).insert(flow);
}

bool Contention::add(Flow& flow) {
  if (flow.head < state_->now) return false;
  Rate slowest = flow.limit;
  flow.own = rate_of(flow.limit);
  flow.best = flow.own;
  for (int i = 0; i < flow.stages; ++i) {
    Stage& stage = *flow.stage(i);
    stage.flow = &flow;
    const Link& l = link(stage.resource);
    flow.best = std::min(flow.best, l.capacity);
    slowest = std::max(slowest, l.gap);
    flow.in_order = l.share == model::Share::fifo;
  }
  flow.alone = slowest.times(flow.bytes);
  flow.tracked = flow.receiver >= 0;
  if (flow.tracked) receiver(flow.receiver).flows.insert(flow);
  schedule(flow, flow.head);
  return true;
}

bool Contention::untrack(Flow& flow) {
  Receiver::Flows& flows = receiver(flow.receiver).flows;
  flows.erase(flows.iterator_to(flow));
  flow.tracked = false;
  return flow.state == Flow::State::landed;
}

std::vector<Flow*> Contention::take_gone() { return std::exchange(gone_, {}); }

void Contention::advance(Instant until, int source, std::uint64_t sequence) {
  State::Events& in_order = state_->in_order;
  State::Events& events = state_->events;
  if (until > state_->now) ++state_->steps;
  while (!in_order.empty()) {
    Flow& flow = *in_order.begin();
    if (std::tie(until, source, sequence) < std::tie(flow.next, flow.source, flow.sequence)) break;
    in_order.erase(in_order.begin());
    ++state_->steps;
    serve(flow);
  }
  while (!events.empty() && events.begin()->next <= until) {
    state_->now = events.begin()->next;
    ++state_->steps;
    changed_.clear();
    while (!events.empty() && events.begin()->next == state_->now) {
      Flow& flow = *events.begin();
      events.erase(events.begin());
      if (flow.state == Flow::State::coming)
        begin(flow);
      else
        land(flow);
    }
    if (!changed_.empty()) share_out();
  }
  state_->now = std::max(state_->now, until);
}

// --- fair

// A flow that takes no time alone passes at once: whether it met others would depend on which heads of one instant are
// known.
void Contention::begin(Flow& flow) {
  if (flow.alone == Interval()) {
    flow.state = Flow::State::landed;
    for (int i = 0; i < flow.stages; ++i)
      link(flow.stage(i)->resource).usage.carry(flow.source, flow.bytes + 1);
    if (!flow.tracked) gone_.push_back(&flow);
    return;
  }
  flow.state = Flow::State::moving;
  flow.since = state_->now;
  flow.left = static_cast<Fraction>(flow.bytes) << fraction_bits;
  flow.rate = 0;
  for (int i = 0; i < flow.stages; ++i) enter(flow, *flow.stage(i));
}

void Contention::enter(Flow& flow, Stage& stage) {
  Link& l = link(stage.resource);
  if (l.flows.empty()) l.busy_since = state_->now;
  l.flows.push_back(stage);
  changed_.push_back(stage.resource);
  l.usage.longest = std::max(l.usage.longest, static_cast<std::int32_t>(l.flows.size()));
  l.usage.carry(flow.source, flow.bytes + 1);
}

void Contention::land(Flow& flow) {
  flow.state = Flow::State::landed;
  settle(flow, state_->now);
  const double rate = real(flow.rate);
  flow.gain = {std::max(0.0, flow.gain.resource / rate), flow.gain.own / rate};
  if (flow.limiting >= 0) {
    Link& l = link(flow.limiting);
    l.gain = flow.gain;
    l.landed = state_->now;
  }
  for (int i = 0; i < flow.stages; ++i) leave(flow, *flow.stage(i));
  if (!flow.tracked) gone_.push_back(&flow);
}

void Contention::leave(Flow&, Stage& stage) {
  Link& l = link(stage.resource);
  l.flows.erase(l.flows.iterator_to(stage));
  if (l.flows.empty()) l.usage.keep_busy(l.busy_since, state_->now);
  changed_.push_back(stage.resource);
}

// --- fifo

// The flow's head is at the next resource.
void Contention::serve(Flow& flow) {
  Stage& stage = *flow.stage(flow.reached++);
  Link& l = link(stage.resource);
  const Instant at = flow.next, begin = std::max(at, l.free);
  const Interval keeps = occupancy(flow, l.gap);
  l.free = std::min(begin + keeps, Instant::never());
  if (begin > at) {
    flow.limiting = stage.resource;
    flow.of_head = l.gain;
  } else {
    l.gain = {0, flow.of_head.own};
  }
  const auto ps = static_cast<double>(keeps.picoseconds());
  if (l.gap >= flow.limit) l.gain.resource += ps;
  if (l.gap <= flow.limit) l.gain.own += ps;
  if (l.free > flow.since) {
    flow.since = l.free;
    if (flow.limiting < 0 && l.gap > flow.limit) flow.limiting = stage.resource;
    flow.gain = {flow.limiting == stage.resource ? l.gain.resource : flow.of_head.resource, l.gain.own};
  }
  if (flow.bus) {
    if (begin > at) flow.path = l.path;
    flow.path.occupy(l.free - begin, flow.trailing);
    l.path = flow.path;
  }
  l.usage.keep_busy(begin, l.free);
  l.usage.carry(flow.source, flow.bytes + 1);
  flow.state = Flow::State::moving;
  if (flow.reached < flow.stages) return schedule(flow, begin);
  flow.state = Flow::State::landed;
  flow.next = std::min(flow.since, Instant::never());
  if (!flow.tracked) gone_.push_back(&flow);
}

// --- questions

// Resources that the flow has passed do not count any more.
Instant Contention::served_from(const Flow& flow) const {
  Instant at = flow.since;
  for (int i = flow.reached; i < flow.stages; ++i)
    at = std::max(at, flow.next + occupancy(flow, link(flow.stage(i)->resource).gap));
  return std::min(at, Instant::never());
}

Landing Contention::landing(const Flow& flow) const {
  if (flow.state == Flow::State::landed)
    return {flow.next, true, flow.limiting, flow.gain, flow.bus ? &flow.path : nullptr};
  const Instant now = state_->now;
  if (flow.state == Flow::State::coming) return {std::min(flow.next + flow.alone, Instant::never()), false};
  if (flow.in_order) return {served_from(flow), false};
  const Fraction left =
      flow.left - std::min(flow.left, flow.rate * static_cast<Fraction>((now - flow.since).picoseconds()));
  const Interval least = std::max(picosecond, duration(left, flow.best));
  return {std::min(now + least, Instant::never()), false};
}

Instant Contention::acts_from(int slot, Instant clock, Interval reaction) const {
  Instant first = Instant::never();
  for (const Flow& flow : receiver(slot).flows) {
    if (flow.head >= first) break;
    if (flow.head + flow.alone >= first) continue;
    const Instant at = landing(flow).at;
    first = std::min(first, flow.operation ? at : std::max(at, clock) + reaction);
  }
  return first;
}

}  // namespace emu::contention
