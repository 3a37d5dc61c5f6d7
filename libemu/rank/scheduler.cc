#include "rank/scheduler.h"

#include <algorithm>

namespace emu::rank {

using match::Arrival;
using match::Message;
using match::Sources;
using WakeUp = match::Bounds::WakeUp;

namespace {

constexpr Interval picosecond = Interval::picoseconds(1);

class Nothing final : public Goal {
 public:
  Nothing() : Goal(Interval()) {}
  void offer(Event&) override {}
  void add_sources(const Event&, SourceList&) const override {}
  bool waits_only_for(const match::Posted&) const override { return true; }
  void handle(const Event&) override {}
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
  if (together_) turns_->others(goal, [&](Goal& other) { other.offer(least); });
}

[[gnu::hot]] Scheduler::Decision Scheduler::least(Goal& goal, Instant limit) {
  Decision d;
  d.key = end_of(limit);
  offer(goal, d.event);
  if (d.event && d.event.key <= d.key) {
    d.what = Decision::What::event;
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
  d.pair = queue_.least_wildcard_pair();
  if (d.pair && d.pair.message->turn() < d.key) {
    d.what = Decision::What::choice;
    d.key = d.pair.message->turn();
  }
  return d;
}

// RMA operations before such a choice come first: they may cancel the message. Those due by the clock come first too:
// others may wait for them. One at the event's own instant, behind the event, comes first only if such a choice follows it.
void Scheduler::before_choices(Decision& d) const {
  if (!served_ || !served_->serving()) return;
  Event operation;
  served_->offer_operation(operation);
  if (!operation || !(operation.key < d.key)) return;
  const match::Queue::Pair pair = queue_.least_wildcard_pair();
  const bool chooses = pair && operation.key < pair.message->turn() && pair.message->turn() < d.key;
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
  if (together_) turns_->others(goal, [&](Goal& other) { other.add_sources(event, sources_); });
  if (event.silent >= 0) sources_.named.push_back(event.silent);
}

// True if the call and all protocols wait for this one choice only. Later messages of the chosen source follow the
// chosen message, so that source need not be asked.
[[gnu::hot]] bool Scheduler::only_choice(const Goal& goal, const match::Posted& receive) const {
  if (queue_.posted_receives() != 1 || turns_ || !goal.waits_only_for(receive)) return false;
  return std::all_of(standing_.begin(), standing_.end(),
                     [&](const Protocol* protocol) { return protocol->waits_only_for(receive); });
}

[[gnu::hot]] Sources Scheduler::sources_of(const Goal& goal, const Decision& d, bool for_ever) {
  if (d.what == Decision::What::choice)
    return {true, {}, only_choice(goal, *d.pair.receive) ? d.pair.message->envelope.source : -1};
  if (for_ever) return {};
  sources_before(goal, d.what == Decision::What::event ? d.event : Event{});
  return {sources_.everyone, sources_.named, sources_.except};
}

// Conditions of an event in addition to its key.
[[gnu::hot]] std::optional<int> Scheduler::blocking_rank(const Event& event, std::uint64_t seen) {
  // Once that rank has passed `silent_from`, every message that could replace the event has been taken in.
  if (event.silent >= 0)
    if (const auto blocker = bounds_.bound_below(event.silent, event.silent_from, seen)) return blocker;
  return std::nullopt;
}

bool Scheduler::others_come_later(Instant at) {
  if (clock_.now() >= at) return true;
  const Turns::Others others = turns_->others(true);
  return others.nothing || others.still || others.until >= at;
}

// --- selection and certainty together

[[gnu::hot]] std::optional<Event> Scheduler::next(Goal& goal, Instant limit) {
  const Instant end = clock_.outages().end();
  if (limit >= end && !end.is_never()) {
    if (auto event = next(goal, end - picosecond)) return event;
    clock_.wait_until(end, clock_.path());  // fails
  }
  if (!shared()) [[likely]]
    return decide(goal, limit, nullptr);
  Turns::Seat seat(*turns_, goal, limit.is_never(), call_);
  return decide(goal, limit, &seat);
}

bool Scheduler::nothing(const Event& event) { return event.protocol == &nothing_to_do; }

// `seat`: the calling thread's; null: there is no other thread.
[[gnu::hot]] std::optional<Event> Scheduler::decide(Goal& goal, Instant limit, Turns::Seat* seat) {
  using What = Decision::What;
  for (;;) {
    together_ = seat && limit.is_never();
    if (seat) [[unlikely]]
      seat->looks();
    const std::uint64_t seen = drain();
    Decision d = least(goal, limit);
    const Arrival subject = d.key;
    const bool for_ever = d.what == What::nothing && limit.is_never();
    // Only the thread that owns the event may query the horizon: any send of this rank
    // invalidates the answer, and another thread may send while the owner is being woken.
    if (together_ && d.what == What::event) [[unlikely]]
      if (Turns::Seat* const other = turns_->seat_of(d.event.protocol); other && other != seat) {
        seat->hand_over(*other);
        if (seat->moved()) return look_again;
        continue;
      }
    const bool early = seat && d.what == What::event && d.event.last && !others_come_later(d.event.key.at);
    Sources who = sources_of(goal, d, for_ever);
    bool certain = who.nobody() && !for_ever && !early;
    std::optional<int> blocker;
    if (!certain || ingress_.may_be_matched()) {
      if (const Message* head = ingress_.next(); head && head->arrival.at <= subject.at) {
        d.what = What::head;
        d.key = head->arrival;
        who = {true, {}, exempt(*head)};
        certain = false;
      }
    }
    if (!certain && (d.what == What::head || !(for_ever || early))) {
      if (!horizon_.covers(d.key.at, who)) blocker = bounds_.blocking_rank(d.key, who, seen);
      certain = !blocker;
    }
    if (certain && d.what == What::event) {
      blocker = blocking_rank(d.event, seen);
      certain = !blocker;
    }
    if (blocker == number_) continue;  // more has come in
    if (!certain) {
      if (!seat || seat->may_sleep()) [[likely]]
        sleep(goal, d, subject.at, limit, blocker, seen);
      if (seat && seat->moved()) [[unlikely]]
        return look_again;
      continue;
    }
    switch (d.what) {
      case What::head:
        if (Message* const passed = ingress_.pass(d.key)) arrivals_.arrived(passed);
        break;
      case What::choice:
        queue_.match_wildcard(d.pair, [this](match::Queue::Pair pair) { arrivals_.matched(pair); });
        break;
      case What::nothing:
        return std::nullopt;
      case What::event:
        if (seat) [[unlikely]]
          seat->acts(d.event.protocol == &goal);
        return d.event;
    }
  }
}

// Another thread of the program may call and act at the clock or later. If it is assumed to compute, it
// acts no earlier than the instant that other ranks want to be promised. An earlier promise remains valid.
Instant Scheduler::promise_of_all(const Goal& goal, Interval& reaction) {
  if (together_) turns_->others(goal, [&](Goal& other) { reaction = std::min(reaction, other.reaction()); });
  const Turns::Others others = turns_->others();
  if (together_ && others.nothing) return Instant::never();
  reaction = Interval();
  const Instant held = std::max(clock_.now(), turns_->promised());
  if (!together_ || others.until <= held) return held;
  return std::max(held, std::min(others.until, bounds_.wanted().value_or(held)));
}

[[gnu::hot]] void Scheduler::sleep(const Goal& goal, const Decision& d, Instant subject, Instant limit,
                                   std::optional<int> blocker, std::uint64_t seen) {
  const Instant least = std::min(d.key.at, subject);
  const bool shared = this->shared();
  Interval reaction = limit.is_never() ? goal.reaction() : Interval();
  Instant most = Instant::never();
  if (shared) [[unlikely]]
    most = promise_of_all(goal, reaction);
  const auto acts = [&](Instant first) {
    Instant bound = first.is_never() ? Instant::never() : std::max(clock_.now(), first) + reaction;
    if (d.event.free) bound = std::min(bound, std::max(clock_.now(), d.event.at));
    return std::min(bound, most);
  };
  const Instant bound = std::min(acts(least), serves_from());
  std::optional<Instant> without_transit;
  if (d.what == Decision::What::head && ingress_.in_transit()) [[unlikely]]
    without_transit = served_ ? std::min(acts(subject), served_->pending()) : acts(subject);
  match::Waiting why;
  why.call = call_;
  why.peer = match::Waiting::nobody;
  goal.describe(why);
  std::span<const match::Waiting> other_waits;
  if (shared) [[unlikely]]
    other_waits = turns_->other_waits(goal);
  if (!bounds_.blocked({clock_.now(), bound, reaction, why, other_waits, without_transit}, seen)) return;
  if (shared && !most.is_never()) [[unlikely]]
    turns_->promises(bound);
  bounds_.sleep(seen, blocker ? WakeUp::bound : WakeUp::announcement);
}

std::optional<Instant> Scheduler::nothing_until(Goal& goal, Instant most) {
  const Instant now = clock_.now();
  const std::uint64_t seen = drain();
  together_ = false;
  sources_before(goal, Event{});
  const Sources who{sources_.everyone, sources_.named, sources_.except};
  if (!who.nobody()) {
    if (!horizon_.covers(now, who)) {
      const auto certain = bounds_.horizon(who, most, seen);
      if (!certain || *certain < now) return std::nullopt;
      horizon_.learn(*certain, who);
    }
    most = std::min(most, horizon_.until());
  }
  const auto ends = [&most](Instant at) { most = std::min(most, at - picosecond); };
  Event event;
  offer(goal, event);
  if (event) ends(event.key.at);
  if (const match::Queue::Pair pair = queue_.least_wildcard_pair()) ends(pair.message->turn().at);
  if (const Message* head = ingress_.next()) ends(head->arrival.at);
  return most;
}

// --- the server

Instant Scheduler::serves_from() const {
  if (!served_ || !served_->serving()) return Instant::never();
  const Instant pending = served_->pending();
  return std::min(pending, ingress_.next_operation());
}

bool Scheduler::serve_next(std::uint64_t seen, Instant limit) {
  Event event;
  served_->offer_operation(event);
  const Message* const head = ingress_.next();
  if (head && (!event || head->arrival.at <= event.key.at)) {
    const Sources who{true, {}, exempt(*head)};
    const Arrival key = head->arrival;
    if (key.at > limit || bounds_.blocking_rank(key, who, seen)) return false;
    if (Message* const passed = ingress_.pass(key)) arrivals_.arrived(passed);
    return true;
  }
  if (!event || event.key.at > limit || bounds_.blocking_rank(event.key, {.everyone = true}, seen))
    return false;
  // Choices before the operation come first: the operation may concern a message that one of them takes.
  for (auto pair = queue_.least_wildcard_pair(); pair && pair.message->turn() < event.key;
       pair = queue_.least_wildcard_pair())
    queue_.match_wildcard(pair, [this](match::Queue::Pair made) { arrivals_.matched(made); });
  served_->handle(event);
  return true;
}

std::optional<Arrival> Scheduler::next_to_serve(Instant now) const {
  Event event;
  served_->offer_operation(event);
  std::optional<Arrival> least;
  if (event) least = event.key;
  if (const Message* const head = ingress_.next(); head && (!least || head->arrival < *least))
    least = head->arrival;
  if (least && least->at > now) least.reset();
  return least;
}

// While this thread sleeps, other threads may advance the rank's clock. The limit is then the new clock.
void Scheduler::settle(const Sources& sources, Instant until) {
  std::optional<Turns::Seat> seat;
  if (shared()) [[unlikely]]
    seat.emplace(*turns_, nothing_to_do, false, call_);
  for (;;) {
    until = std::max(until, clock_.now());
    const std::uint64_t seen = drain();
    if (serve_next(seen, until)) {
      if (seat) seat->acts(false);
      continue;
    }
    const std::optional<Arrival> next = next_to_serve(until);
    if (!next && horizon_.covers(until, sources)) return;
    const auto blocker =
        bounds_.blocking_rank(next.value_or(end_of(until)), next ? Sources{.everyone = true} : sources, seen);
    if (!blocker && !next) return;
    if (!blocker || blocker == number_) continue;  // it can be carried out, or more has come in
    if (seat && !seat->may_sleep()) continue;
    if (bounds_.serving(until, std::min(until, serves_from()), seen)) bounds_.sleep(seen, WakeUp::bound);
  }
}

void Scheduler::serve() {
  for (;;) {
    const std::uint64_t seen = drain();
    const Instant clock = clock_.now();
    if (serve_next(seen, clock)) continue;
    if (bounds_.serving(clock, std::min(clock, serves_from()), seen)) return;
  }
}

void Scheduler::wait_until_first(int size) {
  for (int other = 0; other < size; ++other) {
    if (other == number_) continue;
    const Instant at = clock_.now() + Interval::picoseconds(other < number_ ? 1 : 0);
    for (;;) {
      const std::uint64_t seen = drain();
      bounds_.running(clock_.now());
      const auto blocker = bounds_.bound_below(other, at, seen);
      if (!blocker) break;
      if (*blocker != number_) bounds_.sleep(seen, WakeUp::bound);
    }
  }
}

void Scheduler::wait_until_beyond(int other, Instant at, Turns::Seat* seat) {
  for (;;) {
    const std::uint64_t seen = drain();
    const Instant clock = clock_.now();
    if (serve_next(seen, clock) || !bounds_.serving(clock, std::min(clock, serves_from()), seen)) continue;
    const auto blocker = bounds_.bound_below(other, at, seen);
    if (!blocker) return;
    if (*blocker == number_ || (seat && !seat->may_sleep())) continue;
    bounds_.sleep(seen, WakeUp::bound);
  }
}

// settle() comes first: once no message can arrive by the clock, at this rank or at one on its node,
// a bound of these ranks that falls remains beyond the clock. So they can be asked one after another.
void Scheduler::wait_until_first(std::span<const int> others) {
  std::optional<Turns::Seat> seat;
  Instant clock;
  do {
    clock = clock_.now();
    settle({.everyone = true});
    if (shared() && !seat) [[unlikely]]
      seat.emplace(*turns_, nothing_to_do, false, call_);
    for (const int other : others)
      wait_until_beyond(other, clock + Interval::picoseconds(other < number_ ? 1 : 0),
                        seat ? &*seat : nullptr);
    seat.reset();
  } while (clock != clock_.now());  // other threads have advanced it
}

Instant Scheduler::promise(Instant most) {
  const Instant clock = clock_.now();
  for (;;) {
    const Instant until = std::min({bounds_.wanted().value_or(clock), most, Instant::last()});
    if (until <= clock) return clock;
    const std::uint64_t seen = drain();
    if (serve_next(seen, until)) continue;
    if (bounds_.serving(until, std::min(until, serves_from()), seen)) return until;
  }
}

}  // namespace emu::rank
