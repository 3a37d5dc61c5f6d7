// The heart of a rank: which event comes next, and when that is certain. rank/semantics.md, "Events".

#include <limits>

#include "rank/rank.h"

namespace emu::rank {

using match::Arrival;
using match::Concern;
using match::Message;

namespace {

Arrival end_of(Instant instant) {
  return {instant, std::numeric_limits<int>::max(), std::numeric_limits<std::uint64_t>::max()};
}

}  // namespace

// --- what has come in

[[gnu::hot]] std::uint64_t Rank::drain() {
  const std::uint64_t seen = wire_.announced();
  for (Message* m = wire_.drain(); m;) {
    Message* next = m->next;
    if (m->card)
      card_.add(m);
    else
      arrive(m);
    m = next;
  }
  return seen;
}

[[gnu::hot]] void Rank::arrive(Message* m) {
  const bool lost = m->kind != Message::Kind::join && clock_.outages().down(m->arrival.at);
  if (lost) return lose(m, {true, m->arrival.source, m->arrival.at});
  if (m->kind == Message::Kind::notice)
    wire_.release(m);
  else
    route(m);
}

void Rank::lose(Message* m, const match::Loss& loss) {
  if (m->kind != Message::Kind::notice) wire_.lost(loss);
  wire_.release(m);
}

[[gnu::hot]] void Rank::route(Message* m) {
  switch (m->kind) {
    case Message::Kind::eager:
    case Message::Kind::request:
    case Message::Kind::join:
      met(queue_.add(m));
      break;
    case Message::Kind::answer: {
      auto* send = reinterpret_cast<Request*>(m->sender_request);
      if (send->state == Request::State::forgotten) {
        wire_.release(m);
        recycle(send);
        break;
      }
      send->handshake = m;
      offered_.erase(send);
      answered_.insert(send);
      break;
    }
    case Message::Kind::notice:
      break;  // has no other effect
    case Message::Kind::data: {
      auto* receive = reinterpret_cast<Request*>(m->receiver_request);
      if (receive->state == Request::State::forgotten) {
        wire_.release(m);
        recycle(receive);
        break;
      }
      receive->handshake = m;
      if (receive->freed) complete(receive);
      break;
    }
  }
}

[[gnu::hot]] void Rank::met(match::Queue::Pair pair) {
  if (!pair) return;
  auto* r = static_cast<Request*>(pair.receive);
  if (pair.message->kind == Message::Kind::request)
    to_answer_.insert(r);
  else if (r->freed)
    complete(r);
}

// --- what comes next

// After everything else of that instant.
Rank::Event Rank::failing(Event::Kind kind, Instant known, int failed, Request* request) const {
  if (known.is_never()) return {};
  const Instant at = std::max(known, entered_);
  return {kind,    nullptr, {at, std::numeric_limits<int>::max(), static_cast<std::uint64_t>(failed)},
          request, at,      failed};
}

int Rank::doubtful(const Communicator& comm) const {
  int first = -1;
  for (int member : comm.world) {
    const Instant known = failures_.known(member);
    if (known.is_never() || (comm.acknowledged && known <= *comm.acknowledged)) continue;
    if (first < 0 || known < failures_.known(first)) first = member;
  }
  return first;
}

Rank::Event Rank::ending(Request* r) const {
  if (r->receive)
    if (Message* m = r->message()) {
      // What takes no time comes after everything else of its instant.
      const bool word = m->kind == Message::Kind::join;
      return {Event::Kind::completion, m, word ? end_of(m->ready()) : m->turn(), r, m->ready()};
    }
  if (!failures_.noticed()) return {};
  if (!r->receive)
    return r->handshake ? Event{} : failing(Event::Kind::failure, failures_.known(r->peer), r->peer, r);
  const int peer = r->bound ? r->bound->envelope.source : r->peer;
  if (peer != match::any_source) return failing(Event::Kind::failure, failures_.known(peer), peer, r);
  const int member = r->doubt < 0 ? doubtful(*r->comm) : -1;
  return member < 0 ? Event{} : failing(Event::Kind::doubt, failures_.known(member), member, r);
}

// A probe of one source fails if there is no message that it would find.
Rank::Event Rank::failing_probe(const Goal& goal, bool found) const {
  const int source = goal.probe->source;
  if (source != match::any_source)
    return found ? Event{} : failing(Event::Kind::failure, failures_.known(source), source, nullptr);
  const int member = doubtful(*goal.comm);
  return member < 0 ? Event{} : failing(Event::Kind::doubt, failures_.known(member), member, nullptr);
}

// Whether the rank can pay for its part of a handshake before it fails.
bool Rank::survives(const Event& event) const {
  const model::Outages& outages = clock_.outages();
  if (outages.end().is_never()) return true;
  const bool answers = event.kind == Event::Kind::request;
  const Request& r = *event.request;
  const int peer = answers ? event.message->envelope.source : r.peer;
  const Interval sends =
      answers ? network_.control_send(number_, peer) : network_.send_overhead(number_, peer, r.buffer.bytes);
  const Instant begins = std::max(clock_.now(), event.ready());
  return !outages.after(begins, network_.control_receive(peer, number_) + sends).is_never();
}

[[gnu::hot]] Rank::Event Rank::least_event(const Goal& goal) const {
  Event least;
  const auto consider = [&least](const Event& event) {
    if (event && (!least || event.key < least.key)) least = event;
  };
  const auto arrived = [&](Event::Kind kind, Message* m, Request* r) {
    consider({kind, m, m->turn(), r, m->ready()});
  };
  if (!to_answer_.empty()) arrived(Event::Kind::request, (*to_answer_.begin())->bound, *to_answer_.begin());
  if (!answered_.empty()) arrived(Event::Kind::answer, (*answered_.begin())->handshake, *answered_.begin());
  if (goal.joins && least && !survives(least)) least = {};
  if (goal.probe) {
    Message* const m = queue_.probe(*goal.probe);
    if (m) arrived(Event::Kind::candidate, m, nullptr);
    if (failures_.noticed()) consider(failing_probe(goal, m != nullptr));
  }

  // Members that count only together do so at the last of their arrivals, and the first of them is handled
  // first.
  Event first;
  Arrival last;
  bool all_here = true;
  for (Request* r : goal.requests) {
    if (!r || r->complete()) continue;
    const Event end = ending(r);
    if (!end) {
      all_here = all_here && r->doubt >= 0;
      continue;
    }
    if (!first || end.key < first.key) first = end;
    last = std::max(last, end.key);
  }
  if (first && !goal.together) consider(first);
  if (first && goal.together && all_here) {
    first.key = last;
    first.at = last.at;
    consider(first);
  }
  consider(failing(Event::Kind::broken, goal.broken, goal.by, nullptr));
  return least;
}

// Whose future messages could still make another event the least one.
[[gnu::hot]] Concern Rank::concern(const Goal& goal, const Event& event) {
  Concern c;
  concerned_.clear();
  c.everyone = queue_.unbound_wildcards() > 0;
  if (!c.everyone) {
    queue_.named_sources(concerned_);
    for (const Request* r : offered_) concerned_.push_back(r->peer);
    for (const Request* r : goal.requests)
      if (r && r->state == Request::State::answered && !r->handshake) concerned_.push_back(r->peer);
  }
  if (goal.probe) {
    if (event.kind != Event::Kind::candidate) {
      if (goal.probe->source == match::any_source)
        c.everyone = true;
      else
        concerned_.push_back(goal.probe->source);
    } else if (goal.probe->source == match::any_source && !c.everyone) {
      // Later messages of the candidate's own source stand behind it, unless something else may come from
      // there.
      if (concerned_.empty()) c.exempt = event.message->envelope.source;
      c.everyone = true;
    }
  }
  if (event.kind == Event::Kind::failure) concerned_.push_back(event.failed);
  c.sources = concerned_;
  return c;
}

// A call that waits for this one choice and nothing else that could come: later messages of the source it
// chose stand behind, so that source need not be asked.
[[gnu::hot]] bool Rank::only(const Goal& goal, const match::Queue::Pair& pair) const {
  return goal.requests.size() == 1 && pair.receive == goal.requests[0] && queue_.unbound_receives() == 1 &&
         offered_.empty() && answered_.empty() && to_answer_.empty();
}

[[gnu::hot]] std::optional<Rank::Event> Rank::next_event(const Goal& goal, Instant limit) {
  const Instant end = clock_.outages().end();
  if (limit >= end && !end.is_never()) {
    if (auto event = next_event(goal, end - Interval::picoseconds(1))) return event;
    clock_.wait_until(end, clock_.path());  // fails
  }
  for (;;) {
    const std::uint64_t seen = drain();
    const Event event = least_event(goal);
    const match::Queue::Pair pair = queue_.least_wildcard_pair();

    // The subject: the least thing to be decided. A pair binds, an event is handled; or there is nothing up
    // to the limit.
    Arrival subject = end_of(limit);
    bool binds = false;
    const bool acts = event && event.key <= subject;
    if (acts) subject = event.key;
    // The choices that are made by the instant at which the rank acts come first. They may leave a message to
    // a probe, behind one that a receive takes; or let go what then comes before this event. A failure is met
    // with what there is by its key.
    if (acts && event.failed < 0 && queue_.unbound_wildcards() > 0 &&
        (event.kind == Event::Kind::candidate || queue_.stands_back_before(event.key)))
      subject = std::max(event.key, end_of(std::max(clock_.now(), event.ready())));
    if (pair && pair.message->turn() < subject) {
      subject = pair.message->turn();
      binds = true;
    }
    const bool nothing = !binds && !acts;

    const bool for_ever = nothing && limit.is_never();
    Concern who;
    if (binds)
      who = {true, {}, only(goal, pair) ? pair.message->envelope.source : -1};
    else if (!for_ever)
      who = concern(goal, nothing ? Event{} : event);
    if (nothing && goal.joins) who = {.sources = goal.joins->world, .at_once = true};
    Arrival key = subject;
    bool settled = who.nobody() && !for_ever;
    bool passes = false;  // what is decided: the next message passes the card
    std::optional<int> blocker;
    if (!settled) {
      if (Message* head = card_.next(); head && head->arrival.at <= subject.at) {
        key = head->arrival;
        who = Concern{true, {}, network_.orderly_heads() ? head->envelope.source : -1};
        passes = true;
      }
      if (passes || !for_ever) {
        if (!horizon_.covers(key.at, who)) blocker = wire_.in_the_way(key, who, seen);
        settled = !blocker;
        if (blocker == number_) continue;  // more has come in
      }
    }
    // All that could come in place of a failure is here once the rank has come to it.
    if (settled && !passes && !binds && !nothing && event.kind == Event::Kind::failure) {
      blocker = wire_.short_of(event.failed, failures_.at(event.failed) + Interval::picoseconds(1), seen);
      settled = !blocker;
      if (blocker == number_) continue;
    }
    // Nor does it handle anything that a word would come before, and end the waiting.
    if (settled && !passes && !binds && !nothing && goal.joins && event.kind != Event::Kind::completion) {
      const Arrival before = end_of(event.at - Interval::picoseconds(1));
      blocker = wire_.in_the_way(before, {.sources = goal.joins->world, .at_once = true}, seen);
      settled = !blocker;
      if (blocker == number_) continue;
    }
    if (settled) {
      if (passes)
        arrive(card_.pass());
      else if (binds)
        queue_.bind_wildcard(pair, [this](match::Queue::Pair p) { met(p); });
      else if (nothing)
        return std::nullopt;
      else
        return event;
      continue;
    }
    const Instant least = std::min(key.at, subject.at);
    const Interval reaction = limit.is_never() ? goal.reaction : Interval();
    // What a word of a member would have led to is not done then.
    const bool past = nothing && !passes && goal.joins && !limit.is_never();
    Instant bound = least.is_never() ? Instant::never() : std::max(clock_.now(), least) + reaction;
    if (past) bound = std::max(clock_.now(), limit + Interval::picoseconds(1));
    if (event.failed >= 0) bound = std::min(bound, std::max(clock_.now(), event.at));  // that costs nothing
    if (wire_.blocked({clock_.now(), bound, reaction, waiting(goal)}, seen))
      wire_.sleep(seen, blocker.has_value());
  }
}

void Rank::await_turn() {
  for (int other = 0; other < size_; ++other) {
    if (other == number_) continue;
    const Instant at = clock_.now() + Interval::picoseconds(other < number_ ? 1 : 0);
    for (;;) {
      const std::uint64_t seen = drain();
      wire_.running(clock_.now());
      const auto blocker = wire_.short_of(other, at, seen);
      if (!blocker) break;
      if (*blocker != number_) wire_.sleep(seen, true);
    }
  }
}

[[gnu::hot]] match::Waiting Rank::waiting(const Goal& goal) const {
  match::Waiting w;
  w.call = call_;
  w.peer = match::Waiting::nobody;
  if (goal.probe) {
    w.peer = goal.probe->source;
    w.tag = goal.probe->tag;
    return w;
  }
  for (const Request* r : goal.requests) {
    if (!r || r->complete()) continue;
    if (++w.requests == 1) {
      w.peer = r->peer;
      w.tag = r->tag;
    }
  }
  return w;
}

}  // namespace emu::rank
