#include <algorithm>

#include "rank/event_loop.h"

namespace emu::rank {

using match::Sources;

Event Scheduler::next_operation() const {
  Event operation;
  if (server_ && server_->serving()) server_->offer(operation);
  return operation;
}

Instant Scheduler::serves_from() const {
  if (!server_ || !server_->serving()) return Instant::never();
  const Event operation = next_operation();
  const Instant next = ingress_.next_operation();
  return operation ? std::min(operation.at, next) : next;
}

// Choices before the operation come first: the operation may concern a message that one of them takes.
Scheduler::Decision Scheduler::least_operation(Instant limit, const Sources& sources) const {
  Decision d;
  d.key = end_of(limit);
  d.sources = sources;
  d.heads = true;
  d.event = next_operation();
  if (d.event && d.event.key.at <= limit) {
    d.kind = Decision::Kind::event;
    d.key = d.event.key;
    d.sources = {.everyone = true};
    let_choice_come_first(d);
  }
  d.subject = d.key.at;
  return d;
}

// The part that all loops of the server share: they carry out its operations up to `limit`.
struct Scheduler::Service {
  Scheduler& scheduler;
  Monitor::Waiter* waiter = nullptr;
  Instant limit = {};

  Decision least() const { return scheduler.least_operation(limit, {}); }
  bool carried_out(const Decision& d) const {
    if (d.kind == Decision::Kind::event) scheduler.server_->handle(d.event);
    if (!waiter) return false;
    scheduler.steps(d);
    waiter->acts(false);
    return false;
  }
  // The rank itself acts at `limit` or later. False: more messages have come in.
  bool publish(std::uint64_t seen) const {
    return scheduler.bounds_.serving(limit, std::min(limit, scheduler.serves_from()), seen);
  }
  bool may_sleep() const { return !waiter || waiter->may_sleep(); }
};

// --- without a sleep

struct Scheduler::Serve : Service {
  bool begins() {
    limit = scheduler.clock_.now();
    return true;
  }
  Rest rests(const Decision&, const std::optional<int>&, std::uint64_t seen) const {
    return publish(seen) ? Rest::over : Rest::again;
  }
};

void Scheduler::serve() {
  Serve wait{{*this}};
  run(wait);
}

struct Scheduler::Promise : Service {
  Instant most;

  bool begins() {
    const Instant clock = scheduler.clock_.now();
    limit = std::min({scheduler.bounds_.wanted().value_or(clock), most, Instant::last()});
    return limit > clock;
  }
  Rest rests(const Decision&, const std::optional<int>&, std::uint64_t seen) const {
    return publish(seen) ? Rest::over : Rest::again;
  }
};

Instant Scheduler::promise(Instant most) {
  Promise wait{{*this}, most};
  run(wait);
  return std::max(clock_.now(), wait.limit);
}

// --- until operations are certain

// While this thread sleeps, other threads may advance the rank's clock. The limit is then the new clock.
struct Scheduler::Settle : Service {
  const Sources& sources;

  bool begins() {
    if (waiter) catch_up(scheduler.clock_, *scheduler.monitor_);
    limit = std::max(limit, scheduler.clock_.now());
    return true;
  }
  Decision least() const { return scheduler.least_operation(limit, sources); }
  Rest rests(const Decision&, const std::optional<int>& blocker, std::uint64_t seen) const {
    if (!blocker) return Rest::over;
    return may_sleep() && publish(seen) ? Rest::sleep : Rest::again;
  }
};

void Scheduler::settle(const Sources& sources, Instant until) {
  std::optional<Monitor::Waiter> waiter;
  if (shared()) [[unlikely]]
    waiter.emplace(*monitor_, nothing_to_wait_for(), false, call_);
  Settle wait{{*this, waiter ? &*waiter : nullptr, until}, sources};
  run(wait);
}

// --- until no other rank can act before this one

struct Scheduler::First : Service {
  const int other;   // the rank that must not act ...
  const Instant at;  // ... before this instant
  const bool serves;

  bool begins() {
    limit = scheduler.clock_.now();
    return true;
  }
  Decision least() const { return serves ? Service::least() : Decision(); }
  Rest rests(const Decision&, std::optional<int>& blocker, std::uint64_t seen) const {
    if (!serves)
      scheduler.bounds_.running(limit);
    else if (!publish(seen))
      return Rest::again;
    blocker = scheduler.bounds_.bound_below(other, at, seen);
    if (!blocker) return Rest::over;
    return blocker != scheduler.number_ && may_sleep() ? Rest::sleep : Rest::again;
  }
};

// Clock::check() may call this function while a step is carried out. So the function must not carry out another step.
void Scheduler::wait_until_first(int size) {
  for (int other = 0; other < size; ++other) {
    if (other == number_) continue;
    First wait{{*this}, other, clock_.now() + Interval::picoseconds(other < number_ ? 1 : 0), false};
    run(wait);
  }
}

// settle() comes first. After it no message can arrive by the clock, at this rank or at another rank on its node: if a
// bound of these ranks falls, it remains beyond the clock. So the ranks can be asked one after another.
void Scheduler::wait_until_first(std::span<const int> others) {
  std::optional<Monitor::Waiter> waiter;
  Instant clock;
  do {
    clock = clock_.now();
    settle({.everyone = true});
    if (shared() && !waiter) [[unlikely]]
      waiter.emplace(*monitor_, nothing_to_wait_for(), false, call_);
    for (const int other : others) {
      First wait{{*this, waiter ? &*waiter : nullptr},
                 other,
                 clock + Interval::picoseconds(other < number_ ? 1 : 0),
                 true};
      run(wait);
    }
    waiter.reset();
  } while (clock != clock_.now());  // other threads have advanced it
}

}  // namespace emu::rank
