#include <algorithm>

#include "rank/event_loop.h"

namespace emu::rank {

using match::Arrival;
using match::Message;
using match::Sources;

namespace {

constexpr Interval picosecond = Interval::picoseconds(1);

class Nothing final : public Goal {
 public:
  void offer(Event&) override {}
  void add_sources(const Event&, SourceList&) const override {}
  bool waits_only_for(const match::Posted&) const override { return true; }
  void handle(const Event&) override {}
  Interval reaction() const override { return {}; }
  void describe(match::Waiting&) const override {}
} nothing_to_do;

const Event look_again{.protocol = &nothing_to_do, .key = {}, .at = {}};

}  // namespace

[[gnu::hot]] std::uint64_t Scheduler::drain() {
  const std::uint64_t seen = transport_.announced();
  for (Message* m = transport_.drain(); m;) {
    Message* next = m->next;
    take_in(m);
    m = next;
  }
  while (Message* landed = ingress_.take_landed()) arrivals_.landed(landed);
  return seen;
}

[[gnu::hot]] void Scheduler::take_in(Message* m) {
  if (!m->in_transit && ingress_.keeps_back(*m)) [[unlikely]] {
    m->in_transit = true;
    m->head = m->arrival.at;
  }
  if (!m->in_transit && !m->card)
    arrivals_.arrived(m);
  else if (m->card || arrivals_.coming(m))
    ingress_.add(m);
}

// --- the next event

[[gnu::hot]] void Scheduler::offer(Goal& goal, Event& least) {
  for (Protocol* protocol : standing_) protocol->offer(least);
  goal.offer(least);
  if (together_) monitor_->others(goal, [&](Goal& other) { other.offer(least); });
}

[[gnu::hot]] Scheduler::Decision Scheduler::least(Goal& goal, Instant limit) {
  Decision d;
  d.key = end_of(limit);
  offer(goal, d.event);
  if (d.event && d.event.key <= d.key) {
    d.kind = Decision::Kind::event;
    d.key = d.event.key;
    // The choices that are made until the rank handles the event come first. A choice may leave a message to a probe,
    // if it removes one before it; or release a message that precedes this event. Choices after `limit` do not count
    // here.
    if (!d.event.free && queue_.posted_wildcards() > 0 &&
        (d.event.unclaimed || queue_.waits_behind_before(d.event.key))) {
      d.key = std::max(d.event.key, end_of(std::min(limit, std::max(clock_.now(), d.event.at))));
      before_choices(d);
    }
  }
  let_choice_come_first(d);
  d.subject = d.key.at;
  return d;
}

[[gnu::hot]] void Scheduler::let_choice_come_first(Decision& d) const {
  d.pair = queue_.least_wildcard_pair();
  if (!d.pair || !(d.pair.message->key() < d.key)) return;
  d.kind = Decision::Kind::choice;
  d.key = d.pair.message->key();
}

// RMA operations before such a choice come first: they may cancel the message. Those due by the clock come first too:
// others may wait for them. One at the event's own instant, behind the event, comes first only if such a choice follows
// it.
void Scheduler::before_choices(Decision& d) const {
  const Event operation = next_operation();
  if (!operation || !(operation.key < d.key)) return;
  const match::Queue::Pair pair = queue_.least_wildcard_pair();
  const bool chooses = pair && operation.key < pair.message->key() && pair.message->key() < d.key;
  if (d.event.key < operation.key && operation.key.at > clock_.now() && !chooses) return;
  d.event = operation;
  d.key = operation.key;
}

// --- certainty

// The source whose future messages certainly come to the card or the bus later; -1: none. An operation has no such
// source: it follows all messages of its source whose heads come at the same instant, also those sent after it.
int Scheduler::exempt(const Message& head) const {
  return heads_in_order_ && head.card && head.kind != Message::Kind::operation ? head.arrival.source : -1;
}

// Collects the sources whose future messages could create an event before `event`.
[[gnu::hot]] void Scheduler::sources_before(const Goal& goal, const Event& event) {
  sources_.named.clear();
  sources_.except = -1;
  sources_.everyone = queue_.posted_wildcards() > 0;
  if (!sources_.everyone) queue_.named_sources(sources_.named);
  for (const Protocol* protocol : standing_) protocol->add_sources(event, sources_);
  goal.add_sources(event, sources_);
  if (together_) monitor_->others(goal, [&](Goal& other) { other.add_sources(event, sources_); });
  if (event.silent >= 0) sources_.named.push_back(event.silent);
}

// True if the call and all protocols wait for this one choice only. Later messages of the chosen source follow the
// chosen message, so that source need not be asked.
[[gnu::hot]] bool Scheduler::only_choice(const Goal& goal, const match::Posted& receive) const {
  if (queue_.posted_receives() != 1 || monitor_ || !goal.waits_only_for(receive)) return false;
  return std::all_of(standing_.begin(), standing_.end(),
                     [&](const Protocol* protocol) { return protocol->waits_only_for(receive); });
}

[[gnu::hot]] Sources Scheduler::sources_of(const Goal& goal, const Decision& d, bool for_ever) {
  if (d.kind == Decision::Kind::choice)
    return {true, {}, only_choice(goal, *d.pair.receive) ? d.pair.message->envelope.source : -1};
  if (for_ever) return {};
  static const Event none;
  sources_before(goal, d.kind == Decision::Kind::event ? d.event : none);
  return {sources_.everyone, sources_.named, sources_.except};
}

void Scheduler::let_head_pass_first(Decision& d) const {
  const Message* const head = ingress_.next();
  if (!head || head->arrival.at > d.subject) return;
  d.kind = Decision::Kind::head;
  d.key = head->arrival;
  d.sources = {true, {}, exempt(*head)};
  d.open = false;
}

[[gnu::hot]] std::optional<int> Scheduler::blocking_rank(const Decision& d, std::uint64_t seen) {
  if (!d.sources.nobody() && !horizon_.covers(d.key.at, d.sources))
    if (const auto blocker = bounds_.blocking_rank(d.key, d.sources, seen)) return blocker;
  // Once that rank has passed `silent_from`, every message that could replace the event has been taken in.
  if (d.kind == Decision::Kind::event && d.event.silent >= 0) [[unlikely]]
    return bounds_.bound_below(d.event.silent, d.event.silent_from, seen);
  return std::nullopt;
}

[[gnu::hot]] void Scheduler::carry_out(const Decision& d) {
  if (d.kind == Decision::Kind::head) {
    if (Message* const passed = ingress_.pass(d.key)) arrivals_.arrived(passed);
  } else {
    queue_.match_wildcard(d.pair, [this](match::Queue::Pair pair) { arrivals_.matched(pair); });
  }
}

// After a head has passed, the rank may still act before the head's instant: a result of the head's source may come in
// later with an earlier arrival, since a result passes no card and that source was not asked. Only a message of the
// rank to itself must not come to the card before the head. Such a message takes at least the lookahead.
void Scheduler::steps(const Decision& d) const {
  monitor_->steps(d.kind == Decision::Kind::head ? d.key.at - lookahead_ : d.key.at);
}

bool Scheduler::others_come_later(Instant at) {
  if (clock_.now() >= at) return true;
  const Monitor::Others others = monitor_->others(true);
  return others.nothing || others.still || others.until >= at;
}

// --- the next event

struct Scheduler::NextEvent {
  Scheduler& scheduler;
  Goal& goal;
  const Instant limit;
  Monitor::Waiter* const waiter;  // the calling thread's; null: there is no other thread
  std::optional<Event>& found;

  bool begins() {
    if (waiter) [[unlikely]] {
      if (waiter->moved() || !limit.is_never()) catch_up(scheduler.clock_, *scheduler.monitor_);
      if (waiter->moved()) {
        found = look_again;
        return false;
      }
      waiter->looks();
    }
    scheduler.together_ = waiter && limit.is_never();
    return true;
  }

  [[gnu::always_inline]] Decision least() {
    Decision d = scheduler.least(goal, limit);
    const bool for_ever = d.kind == Decision::Kind::nothing && limit.is_never();
    if (waiter && d.kind == Decision::Kind::event) [[unlikely]] {
      // Only the thread that owns the event may query the horizon: any send of this rank
      // invalidates the answer, and another thread may send while the owner is being woken.
      Monitor::Waiter* const owner =
          scheduler.together_ ? scheduler.monitor_->waiter_of(d.event.protocol) : nullptr;
      if (owner && owner != waiter) {
        d.owner = owner;
        d.open = true;
        return d;
      }
      d.open = d.event.last && !scheduler.others_come_later(d.event.key.at);
    }
    d.open = d.open || for_ever;
    d.sources = scheduler.sources_of(goal, d, for_ever);
    d.heads = d.open || !d.sources.nobody() || scheduler.ingress_.may_be_matched();
    return d;
  }

  bool carried_out(const Decision& d) {
    if (waiter) [[unlikely]]
      scheduler.steps(d);
    if (d.kind != Decision::Kind::event) return false;
    if (waiter) [[unlikely]]
      waiter->acts(d.event.protocol == &goal);
    found = d.event;
    return true;
  }

  Rest rests(const Decision& d, const std::optional<int>& blocker, std::uint64_t seen) {
    if (!blocker && !d.open) return Rest::over;  // certainly nothing up to the limit
    if (d.owner) [[unlikely]] {
      waiter->hand_over(*d.owner);
      return Rest::again;
    }
    if (waiter && !waiter->may_sleep()) [[unlikely]]
      return Rest::again;
    return scheduler.publish(goal, d, limit, seen) ? Rest::sleep : Rest::again;
  }
};

[[gnu::hot]] std::optional<Event> Scheduler::next(Goal& goal, Instant limit) {
  std::optional<Event> found;  // the only value returned, so that it is not copied
  const Instant end = clock_.outages().end();
  if (limit >= end && !end.is_never()) {
    found = next(goal, end - picosecond);
    if (found) return found;
    clock_.wait_until(end, clock_.path());  // fails
  }
  if (!shared()) [[likely]] {
    NextEvent wait{*this, goal, limit, nullptr, found};
    run(wait);
    return found;
  }
  Monitor::Waiter waiter(*monitor_, goal, limit.is_never(), call_);
  NextEvent wait{*this, goal, limit, &waiter, found};
  run(wait);
  return found;
}

Goal& Scheduler::nothing_to_wait_for() { return nothing_to_do; }

bool Scheduler::nothing(const Event& event) { return event.protocol == &nothing_to_do; }

// Another thread of the program may call and act at the clock or later. If it is assumed to compute, it
// acts no earlier than the instant that other ranks want to be promised. An earlier promise remains valid.
Instant Scheduler::promise_of_all(const Goal& goal, Interval& reaction) {
  if (together_)
    monitor_->others(goal, [&](Goal& other) { reaction = std::min(reaction, other.reaction()); });
  const Monitor::Others others = monitor_->others();
  if (together_ && others.nothing) return Instant::never();
  reaction = Interval();
  const Instant held = std::max(clock_.now(), monitor_->promised());
  if (!together_ || others.until <= held) return held;
  return std::max(held, std::min(others.until, bounds_.wanted().value_or(held)));
}

[[gnu::hot]] bool Scheduler::publish(const Goal& goal, const Decision& d, Instant limit, std::uint64_t seen) {
  const Instant least = std::min(d.key.at, d.subject);
  const bool shared = this->shared();
  Interval reaction = limit.is_never() ? goal.reaction() : Interval();
  for (const Protocol* protocol : standing_) reaction = std::min(reaction, protocol->reaction());
  Instant most = Instant::never();
  if (shared) [[unlikely]]
    most = promise_of_all(goal, reaction);
  const auto acts = [&](Instant first) {
    return std::min(most, first.is_never() ? Instant::never() : std::max(clock_.now(), first) + reaction);
  };
  const Instant bound = std::min(acts(least), serves_from());
  std::optional<Instant> without_transit;
  if (d.kind == Decision::Kind::head && ingress_.in_transit()) [[unlikely]] {
    const Event operation = next_operation();
    without_transit = acts(d.subject);
    if (operation) without_transit = std::min(*without_transit, operation.at);
  }
  match::Waiting why;
  why.call = call_;
  why.peer = match::Waiting::nobody;
  goal.describe(why);
  std::span<const match::Waiting> other_waits;
  if (shared) [[unlikely]]
    other_waits = monitor_->other_waits(goal);
  if (!bounds_.blocked({clock_.now(), bound, reaction, why, other_waits, without_transit}, seen))
    return false;
  if (shared && !most.is_never()) [[unlikely]]
    monitor_->promises(bound);
  return true;
}

// --- how long nothing can happen

// It decides no step: it looks once at what one round of the loop has taken in.
struct Scheduler::LookAhead {
  Scheduler& scheduler;
  Goal& goal;
  const Instant most;
  std::optional<Instant> until = std::nullopt;

  static bool begins() { return true; }
  Decision least() const {
    Decision d;
    d.open = true;
    return d;
  }
  static bool carried_out(const Decision&) { return true; }  // never called: the decision is open
  Rest rests(const Decision&, const std::optional<int>&, std::uint64_t seen) {
    scheduler.together_ = false;
    if (const auto certain = scheduler.certain_until(goal, most, seen))
      until = scheduler.before_known_steps(goal, *certain);
    return Rest::over;
  }
};

std::optional<Instant> Scheduler::nothing_until(Goal& goal, Instant most) {
  LookAhead look{*this, goal, most};
  run(look);
  return look.until;
}

std::optional<Instant> Scheduler::certain_until(const Goal& goal, Instant most, std::uint64_t seen) {
  sources_before(goal, Event{});
  const Sources who{sources_.everyone, sources_.named, sources_.except};
  if (who.nobody()) return most;
  const Instant now = clock_.now();
  if (!horizon_.covers(now, who)) {
    const auto certain = bounds_.horizon(who, most, seen);
    if (!certain || *certain < now) return std::nullopt;
    horizon_.learn(*certain, who);
  }
  return std::min(most, horizon_.until());
}

Instant Scheduler::before_known_steps(Goal& goal, Instant until) {
  const auto ends = [&until](Instant at) { until = std::min(until, at - picosecond); };
  Event event;
  offer(goal, event);
  if (event) ends(event.key.at);
  if (const match::Queue::Pair pair = queue_.least_wildcard_pair()) ends(pair.message->key().at);
  if (const Message* head = ingress_.next()) ends(head->arrival.at);
  return until;
}

}  // namespace emu::rank
