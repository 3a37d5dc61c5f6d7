#include "schedule/machine.h"

#include <algorithm>
#include <utility>

#include "../goal/player.h"

namespace emu::app::schedules {
namespace {

constexpr std::size_t at_once = 128;  // messages of a block
// A rank that sends lets other ranks continue once this number of messages is on its way.
constexpr std::int64_t most_messages = 1 << 20;

}  // namespace

bool Machine::can_play(const target::Target& target, int ranks) {
  if (!target.outages.empty() || !target.failures(ranks).empty()) return false;
  if (target.network.card != model::Card::free) return false;
  const model::Network network(target.network, target.topology(ranks));
  return !network.resources().any() && !network.any_gets() && !network.any_sends_whole();
}

Machine::Machine(const Schedule& schedule, const target::Target& target)
    : schedule_(schedule),
      target_(target),
      network_(target.network, target.topology(schedule.ranks())),
      lookahead_(network_.lookahead()) {
  const auto ranks = schedule.parts.size();
  speeds_.reserve(ranks);
  ranks_.reserve(ranks);
  for (int number = 0; number < schedule.ranks(); ++number) {
    Rank& rank = ranks_.emplace_back(schedule.parts[static_cast<std::size_t>(number)]);
    rank.clock = clock::Clock(model::Outages(), {}, [](Instant) { throw Failed(); });
    rank.speed = &speeds_.emplace_back(target.speed(network_.place(number).node, schedule.ranks()));
    rank.asked = Instant::never();
  }
}

Machine::~Machine() {
  for (Message* const block : blocks_) delete[] block;
}

std::optional<record::RunSummary> Machine::run() {
  try {
    for (int number = schedule_.ranks(); number-- > 0;) take_turn(number);
    for (;;) {
      if (!turns_.empty()) {
        const int number = turns_.back();
        turns_.pop_back();
        at(number).queued = false;
        go_on(number, Instant::start());
      } else if (!waiting_.empty()) {
        let_first_go_on();
      } else {
        break;
      }
    }
  } catch (const Failed&) {
    return std::nullopt;
  }
  for (const Rank& rank : ranks_)
    if (!rank.order.over() || rank.under_way > 0) return std::nullopt;
  return summary();
}

record::RunSummary Machine::summary() const {
  record::RunSummary run;
  run.target = target_.name;
  run.ranks.reserve(ranks_.size());
  for (const Rank& rank : ranks_)
    run.ranks.push_back(
        {rank.clock.now(), rank.clock.breakdown(), rank.clock.path(), rank.sends, rank.bytes});
  return run;
}

// --- choice of the next rank

void Machine::take_turn(int number) {
  if (std::exchange(at(number).queued, true)) return;
  turns_.push_back(number);
}

void Machine::let_first_go_on() {
  const auto [instant, number] = waiting_.top();
  waiting_.pop();
  Rank& rank = at(number);
  if (instant != rank.asked) return;
  rank.asked = Instant::never();
  while (!waiting_.empty() && at(waiting_.top().second).asked != waiting_.top().first) waiting_.pop();
  Instant limit = instant + lookahead_ + lookahead_;
  if (!waiting_.empty()) limit = std::min(limit, waiting_.top().first + lookahead_);
  go_on(number, limit);
}

// Continues as far as possible. Events before `limit` are certain.
bool Machine::go_on(int number, Instant limit) {
  Rank& rank = at(number);
  for (;;) {
    if (const int operation = rank.order.take(); operation >= 0) {
      start(rank, number, operation);
      if (count_ > most_messages && !turns_.empty()) [[unlikely]] {
        // The receivers of the messages continue first.
        rank.queued = true;
        turns_.insert(turns_.begin(), number);
        return false;
      }
      continue;
    }
    if (rank.noticed < rank.sent.size()) {
      const int operation = rank.sent[rank.noticed++];
      if (rank.noticed == rank.sent.size()) {
        rank.sent.clear();
        rank.noticed = 0;
      }
      rank.order.complete(operation);
      continue;
    }
    if (rank.events.empty()) return rank.under_way == 0;
    const Instant next = rank.events.front()->key.at;
    if (static_cast<int>(rank.events.size()) < rank.under_way && next >= limit) {
      if (next < rank.asked) {
        rank.asked = next;
        waiting_.emplace(next, number);
      }
      return false;
    }
    if (const int complete = handle(rank, number); complete >= 0) rank.order.complete(complete);
  }
}

// --- effects of operations

void Machine::start(Rank& rank, int number, int operation) {
  const goal::Operation16 o = rank.order[operation];
  rank.order.started(operation);
  switch (o.what()) {
    case goal::Kind::compute:
      compute(rank, number, o.amount * schedule_.unit);
      rank.order.complete(operation);
      break;
    case goal::Kind::send:
      send(rank, number, operation);
      break;
    case goal::Kind::receive:
      ++rank.under_way;
      if (Message* const m = rank.mailbox.post(operation, static_cast<int>(o.peer), o.tag)) {
        m->receiving = operation;
        expect(number, m);
      }
      break;
  }
}

// As in rank/rank.cc, piece by piece.
void Machine::compute(Rank& rank, int number, std::int64_t picoseconds) {
  for (bool last = false; !last; picoseconds -= goal::piece) {
    last = picoseconds <= goal::piece;
    Interval work = Interval::picoseconds(std::min(picoseconds, goal::piece));
    const model::Jitter& jitter = rank.speed->jitter();
    if (jitter.deviation != 0) work = jitter.of(work, number, rank.pieces++);
    const model::Speed::Done done = rank.speed->done(work, rank.clock.now());
    if (done.at.is_never()) throw Failed();
    rank.clock.compute(work, done);
  }
}

void Machine::send(Rank& rank, int number, int operation) {
  const goal::Operation16 o = rank.order[operation];
  const int to = static_cast<int>(o.peer);
  if (network_.gap() > Interval()) rank.gap.keep(rank.clock, network_.gap());
  ++rank.sends;
  rank.bytes += o.amount;
  const bool eager = network_.eager(number, to, o.amount);
  Message* const m = make(eager ? Message::Kind::eager : Message::Kind::request);
  m->bytes = o.amount;
  m->sending = operation;
  if (eager) {
    rank.clock.send(network_.send_overhead(number, to, o.amount), o.amount);
    rank.sent.push_back(operation);
    leave(rank, number, to, m, o.amount);
  } else {
    ++rank.under_way;
    rank.clock.control_send(network_.control_send(number, to));
    leave(rank, number, to, m, 1);
  }
  if (const int receive = at(to).mailbox.add(m, number, o.tag); receive >= 0) {
    m->receiving = receive;
    expect(to, m);
  }
}

void Machine::leave(Rank& rank, int from, int to, Message* m, model::Bytes occupying) {
  const Instant leave = rank.clock.now();
  m->path = rank.clock.path();
  m->path.hop = {from, rank.sequence};
  const model::Route route = network_.route(from, to, occupying, leave);
  rank.clock.check(leave + route.latency);
  m->path.occupy(route.occupancy, route.trailing);
  m->path.travel(route.latency, route.latencies);
  Instant arrival = leave + route.latency + route.occupancy;
  rank.clock.check(arrival);
  if (m->kind == Message::Kind::answer) {
    const Interval further = network_.further_trips(route);
    if (further > Interval()) {
      arrival += further;
      m->path.travel(further, network_.further_latencies(route));
      at(to).clock.check(arrival);
    }
  }
  m->key = {arrival, from, rank.sequence++};
}

// --- events

// The message is the next event of a pending operation of `number`.
void Machine::expect(int number, Message* m) {
  Rank& rank = at(number);
  rank.events.push_back(m);
  std::push_heap(rank.events.begin(), rank.events.end(), Later());
  // A rank that is running finds its events itself.
  if (static_cast<int>(rank.events.size()) == rank.under_way) return take_turn(number);
  if (const Instant next = rank.events.front()->key.at; next < rank.asked) {
    rank.asked = next;
    waiting_.emplace(next, number);
  }
}

// Handles the least event. Returns the operation that it completes; -1: none.
int Machine::handle(Rank& rank, int number) {
  std::pop_heap(rank.events.begin(), rank.events.end(), Later());
  Message* const m = rank.events.back();
  rank.events.pop_back();
  const int peer = m->key.source;
  rank.clock.wait_until(m->key.at, m->path);
  int complete = -1;
  switch (m->kind) {
    case Message::Kind::request: {
      rank.clock.control_receive(network_.control_receive(peer, number));
      rank.clock.control_send(network_.control_send(number, peer));
      if (m->bytes > rank.order[m->receiving].amount) throw Failed();  // truncated
      Message* const answer = make(Message::Kind::answer);
      answer->sending = m->sending;
      answer->receiving = m->receiving;
      leave(rank, number, peer, answer, 1);
      expect(peer, answer);
      break;
    }
    case Message::Kind::answer: {
      rank.clock.control_receive(network_.control_receive(peer, number));
      const model::Bytes bytes = rank.order[m->sending].amount;
      rank.clock.send(network_.send_overhead(number, peer, bytes), bytes);
      Message* const data = make(Message::Kind::data);
      data->bytes = bytes;
      data->receiving = m->receiving;
      complete = m->sending;
      --rank.under_way;
      leave(rank, number, peer, data, bytes);
      expect(peer, data);
      break;
    }
    case Message::Kind::eager:
    case Message::Kind::data:
      if (m->bytes > rank.order[m->receiving].amount) throw Failed();  // truncated
      rank.clock.receive(network_.receive_overhead(peer, number, m->bytes), m->bytes);
      complete = m->receiving;
      --rank.under_way;
      break;
  }
  release(m);
  return complete;
}

// --- memory

Machine::Message* Machine::make(Message::Kind kind) {
  if (!spare_) grow();
  Message* const m = spare_;
  spare_ = m->next;
  ++count_;
  m->kind = kind;
  return m;
}

void Machine::grow() {
  Message* const block = blocks_.emplace_back(new Message[at_once]);
  for (std::size_t i = at_once; i-- > 0;) {
    block[i].next = spare_;
    spare_ = &block[i];
  }
}

}  // namespace emu::app::schedules
