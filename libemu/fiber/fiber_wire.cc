#include <algorithm>

#include "fiber/job.h"
#include "wire/flows.h"
#include "wire/shared_contention.h"

namespace emu::fiber {

using match::Message;

[[gnu::hot]] Message* FiberWire::allocate(model::Bytes payload) {
  return job_.messages_.take(job_.settings_.contents ? payload : 0);
}

[[gnu::hot]] void FiberWire::release(Message* message) { job_.messages_.give_back(message); }

[[gnu::hot]] void FiberWire::deliver(int to, Message* m) {
  Job::Rank& rank = job_.at(to);
  m->next = nullptr;
  if (m->in_transit) [[unlikely]]
    job_.put_in_transit(to, *m);
  (rank.last ? rank.last->next : rank.first) = m;
  rank.last = m;
  ++rank.announced;
  const std::int64_t arrival = m->arrival.at.picoseconds();
  const bool serves = m->kind == Message::Kind::operation && !rank.finished;
  const std::int64_t acts = serves ? arrival : std::max(arrival, rank.clock) + rank.reaction;
  // Otherwise an earlier event is awaited: the message can wait.
  if (acts >= job_.bounds_[to]) return;
  job_.bounds_.set(to, acts);
  job_.wake(to);
}

[[gnu::hot]] std::uint64_t FiberWire::announced() { return job_.at(self_).announced; }

[[gnu::hot]] Message* FiberWire::drain() {
  Job::Rank& rank = job_.at(self_);
  rank.last = nullptr;
  return std::exchange(rank.first, nullptr);
}

// With too many messages in flight, the rank gives control to their receivers.
[[gnu::hot]] void FiberWire::running(Instant clock) {
  job_.publish(self_, clock.picoseconds(), clock.picoseconds());
  if (job_.messages_.count() <= job_.settings_.most_messages || job_.turns_.empty()) [[likely]]
    return;
  job_.turns_.emplace(clock.picoseconds(), self_);
  job_.give_turn_away();
}

bool FiberWire::serving(Instant clock, Instant bound, std::uint64_t announced) {
  return blocked({clock, bound, Interval(), job_.at(self_).why}, announced);
}

[[gnu::hot]] bool FiberWire::blocked(const Block& block, std::uint64_t announced) {
  Job::Rank& rank = job_.at(self_);
  if (rank.announced != announced) return false;
  rank.why = block.why;
  rank.clock = block.clock.picoseconds();
  rank.reaction = block.reaction.picoseconds();
  job_.set_bound(self_, block.bound.picoseconds());
  return true;
}

void FiberWire::joins(const match::Joined& collective) {
  Job::Rank& rank = job_.at(self_);
  constexpr std::size_t kept = std::tuple_size_v<wire::LastJoined>;
  if (rank.joined.size() < kept)
    rank.joined.push_back(collective);
  else
    rank.joined[rank.joined_count % kept] = collective;
  ++rank.joined_count;
}

void FiberWire::lost(const match::Loss& loss) {
  Job::Rank& rank = job_.at(self_);
  wire::add(loss.arriving ? rank.lost : rank.unsent, loss);
}

[[gnu::hot]] std::optional<int> FiberWire::blocking_rank(const match::Arrival& key,
                                                         const match::Sources& sources,
                                                         std::uint64_t announced) {
  const std::optional<int> blocker = job_.blocking_rank(self_, key, sources);
  return job_.at(self_).announced != announced ? std::optional(self_) : blocker;
}

std::optional<Instant> FiberWire::horizon(const match::Sources& sources, Instant most,
                                          std::uint64_t announced) {
  if (job_.at(self_).announced != announced) return std::nullopt;
  return Instant::from_picoseconds(job_.horizon(self_, sources, most.picoseconds()));
}

std::optional<int> FiberWire::bound_below(int other, Instant at, std::uint64_t announced) {
  Job::Rank& rank = job_.at(self_);
  if (rank.announced != announced) return self_;
  if (job_.bounds_[other] >= at.picoseconds()) return std::nullopt;
  rank.everyone = 0;
  rank.blocker = other;
  rank.needs = at.picoseconds();
  return other;
}

std::optional<Instant> FiberWire::wanted() {
  const std::int64_t least = job_.at(self_).watched;
  return least > Instant::never().picoseconds() ? std::nullopt
                                                : std::optional(Instant::from_picoseconds(least));
}

// --- messages in transit

void Job::put_in_transit(int to, Message& m) {
  m.bound_for = to;
  wire::find_route(network_, m, route_);
  contention::Flow& flow = flows_.add(
      route_.size(), [&](void* at) -> auto& { return wire::make_flow(at, m, route_, to); });
  m.flow = reinterpret_cast<std::uint64_t>(&flow);
  if (!contention_->add(flow)) stop(wire::too_soon(m));
}

namespace {

contention::Flow& flow_of(const Message& m) { return *reinterpret_cast<contention::Flow*>(m.flow); }

}  // namespace

void Job::forget_gone() {
  for (contention::Flow* flow : contention_->take_gone()) flows_.erase(flow);
}

match::Landing FiberWire::landing(const Message& m) {
  if (m.flow == 0) return {m.arrival.at, true};
  const contention::Landing landing = job_.contention_->landing(flow_of(m));
  return {landing.at,       landing.certain, landing.resource, landing.gain.resource,
          landing.gain.own, landing.path};
}

std::uint64_t FiberWire::landing_changes() { return job_.contention_ ? job_.contention_->steps() : 0; }

void FiberWire::advance(const match::Arrival& until) {
  job_.contention_->advance(until.at, until.source, until.sequence);
  job_.forget_gone();
}

void FiberWire::landed(Message& m) {
  if (m.flow == 0) return;
  contention::Flow& flow = flow_of(m);
  if (job_.contention_->untrack(flow)) job_.flows_.erase(&flow);
}

[[gnu::hot]] void FiberWire::sleep(std::uint64_t announced, WakeUp wake_up) {
  Job::Rank& rank = job_.at(self_);
  if (rank.announced != announced) return;
  if (wake_up == WakeUp::bound) {
    if (job_.bounds_[rank.blocker] >= rank.needs) return;
    if (!job_.join_crowd(self_)) job_.watch(self_);
  }
  rank.asleep = true;
  job_.give_turn_away();
}

}  // namespace emu::fiber
