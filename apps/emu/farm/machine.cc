#include "farm/machine.h"

#include <algorithm>
#include <utility>

#include "base/units.h"

namespace emu::app::farms {
namespace {

// Thrown to Machine::run() to end the simulation.
struct Stop {
  std::string why;
};

std::string name_of(int rank) { return "rank " + std::to_string(rank); }

}  // namespace

Machine::Machine(const target::Target& target, int ranks)
    : target_(target), network_(target.network, target.topology(ranks)) {
  for (int number = 0; number < ranks; ++number) {
    Rank& rank = ranks_.emplace_back();
    rank.clock = clock::Clock(model::Outages(), {}, [number](Instant before) {
      throw Stop{name_of(number) + " comes to the end of virtual time, 53 days, from " +
                 format(before - Instant::start(), 6)};
    });
    rank.speed = target.speed(network_.place(number).node, ranks);
  }
}

Result<record::RunSummary> Machine::run(std::vector<std::unique_ptr<Process>> programs) {
  try {
    for (std::size_t i = 0; i < programs.size(); ++i) ranks_[i].program = std::move(programs[i]);
    for (int rank = 0; rank < static_cast<int>(ranks_.size()); ++rank) go_on(rank);
    while (!events_.empty()) {
      const Event event = events_.top();
      events_.pop();
      if (event.key.arrival)
        arrive(event.message);
      else
        pass(event.message);
    }
  } catch (const Stop& stop) {
    return fail(stop.why);
  }
  return summary();
}

Result<record::RunSummary> Machine::summary() const {
  record::RunSummary run;
  run.target = target_.name;
  for (const Rank& rank : ranks_) {
    if (!rank.over) return fail(name_of(static_cast<int>(run.ranks.size())) + " waits for ever");
    record::RankSummary one;
    one.finish = rank.clock.now();
    one.time = rank.clock.breakdown();
    one.path = rank.clock.path();
    one.messages_sent = rank.sends;
    one.bytes_sent = rank.bytes;
    run.ranks.push_back(std::move(one));
  }
  return run;
}

void Machine::go_on(int number) {
  Rank& rank = at(number);
  rank.waits = false;
  rank.over = rank.program->go_on(*this);
}

// --- costs of a rank's own time

void Machine::compute(int number, double seconds) {
  Rank& rank = at(number);
  const auto begins = [&] { return format(rank.clock.now() - Instant::start(), 6); };
  constexpr const char* too_long = " lasts beyond the end of virtual time, 53 days";
  if (!(seconds <= Interval::longest().seconds()))
    throw Stop{name_of(number) + ": the work that it begins at " + begins() + too_long};
  Interval work = Interval::seconds(seconds);
  const model::Jitter& jitter = rank.speed.jitter();
  if (jitter.deviation != 0) work = jitter.of(work, number, rank.pieces);
  ++rank.pieces;
  const model::Speed::Done done = rank.speed.done(work, rank.clock.now());
  if (done.at.is_never())
    throw Stop{name_of(number) + ": the work that it begins at " + begins() +
               (rank.speed.stops().is_never() ? std::string(too_long)
                                              : " never ends, since the speed of its node stays 0")};
  rank.clock.compute(work, done);
}

double Machine::read_clock(int number) {
  Rank& rank = at(number);
  const Instant now = rank.clock.now();
  rank.clock.poll(network_.poll());
  return now.seconds();
}

void Machine::copy(int number, model::Bytes bytes) {
  if (const Interval cost = network_.copying(bytes); cost > Interval()) at(number).clock.copy(cost, bytes);
}

void Machine::reduce(int number, model::Bytes bytes) {
  if (const Interval cost = network_.reduction(bytes); cost > Interval())
    at(number).clock.reduce(cost, bytes);
}

void Machine::allocate(int number, model::Bytes bytes, model::Bytes largest) {
  if (const Interval cost = network_.temporary(bytes, largest); cost > Interval())
    at(number).clock.allocate(cost, bytes);
}

// --- start of operations

void Machine::start_send(int number, int to, Channel channel, model::Bytes bytes, const Note& note) {
  Rank& rank = at(number);
  if (network_.gap() > Interval()) rank.gap.keep(rank.clock, network_.gap());
  ++rank.sends;
  rank.bytes += bytes;
  const bool eager = network_.eager(number, to, bytes);
  Message* m = make(eager ? Message::Kind::eager : Message::Kind::request, number, to);
  m->channel = channel;
  m->bytes = bytes;
  m->note = note;
  if (eager) {
    rank.clock.send(network_.send_overhead(number, to, bytes), bytes);
    leave(rank, m, bytes);
    return;
  }
  rank.clock.control_send(network_.control_send(number, to));
  m->sending = rank.operations.size();
  rank.operations.push_back({.peer = to, .channel = channel, .bytes = bytes, .note = note});
  leave(rank, m, 1);
}

void Machine::start_receive(int number, int from, Channel channel) {
  Rank& rank = at(number);
  Operation& receive =
      rank.operations.emplace_back(Operation{.receive = true, .peer = from, .channel = channel});
  if (from == any_rank) {
    if (!rank.chooses) begin_choosing(rank, channel);
    return;
  }
  const auto line = rank.lines.find(line_of(from, channel));
  if (line == rank.lines.end() || line->second.empty()) return;
  receive.message = line->second.front();
  receive.message->line = nullptr;
  line->second.pop_front();
}

// --- waits

bool Machine::wait(int number) {
  Rank& rank = at(number);
  for (;;) {
    if (rank.operations.size() == 1 && rank.operations[0].peer == any_rank && rank.operations[0].receive &&
        !rank.operations[0].message && !rank.operations[0].complete && !rank.operations[0].answered)
      choose(rank, rank.operations[0]);
    Operation* const next = least(rank);
    if (!next) break;
    handle(rank, number, *next);
  }
  rank.waits = std::any_of(rank.operations.begin(), rank.operations.end(),
                           [](const Operation& operation) { return !operation.complete; });
  if (!rank.waits) rank.operations.clear();
  return !rank.waits;
}

// The operation whose message has arrived and has the least key; null if there is none.
Machine::Operation* Machine::least(Rank& rank) {
  Operation* least = nullptr;
  for (Operation& operation : rank.operations)
    if (operation.message && operation.message->here &&
        (!least || key_of(*operation.message) < key_of(*least->message)))
      least = &operation;
  return least;
}

void Machine::handle(Rank& rank, int number, Operation& operation) {
  Message* const m = std::exchange(operation.message, nullptr);
  rank.clock.wait_until(m->at, m->path);
  if (m->kind == Message::Kind::request) {
    operation.peer = m->from;
    operation.answered = true;
    rank.clock.control_receive(network_.control_receive(m->from, number));
    rank.clock.control_send(network_.control_send(number, m->from));
    Message* const answer = make(Message::Kind::answer, number, m->from);
    answer->sending = m->sending;
    answer->receiving = static_cast<std::size_t>(&operation - rank.operations.data());
    leave(rank, answer, 1);
  } else if (m->kind == Message::Kind::answer) {
    rank.clock.control_receive(network_.control_receive(m->from, number));
    rank.clock.send(network_.send_overhead(number, m->from, operation.bytes), operation.bytes);
    Message* const data = make(Message::Kind::data, number, m->from);
    data->receiving = m->receiving;
    data->bytes = operation.bytes;
    data->note = operation.note;
    operation.complete = true;
    leave(rank, data, operation.bytes);
  } else {
    rank.clock.receive(network_.receive_overhead(m->from, number, m->bytes), m->bytes);
    rank.received = {m->from, m->note};
    operation.complete = true;
  }
  release(m);
}

// --- matching of messages

// Matches a message that has been sent with the receive that names its source; otherwise it is unexpected.
void Machine::join(Message* m) {
  Rank& rank = at(m->to);
  for (Operation& operation : rank.operations)
    if (operation.receive && !operation.complete && !operation.answered && !operation.message &&
        operation.peer == m->from && operation.channel == m->channel) {
      operation.message = m;
      return;
    }
  m->line = &rank.lines[line_of(m->from, m->channel)];
  m->line->push_back(m);
}

void Machine::begin_choosing(Rank& rank, Channel channel) {
  rank.chooses = true;
  rank.chosen_channel = channel;
  for (const auto& [key, line] : rank.lines)
    if (!line.empty() && line.front()->channel == channel && line.front()->here) offer(rank, line.front());
}

void Machine::offer(Rank& rank, Message* m) { rank.candidates.push({key_of(*m), m}); }

// Only the first message of a source is a candidate; the following ones are held until it has been chosen.
void Machine::choose(Rank& rank, Operation& receive) {
  if (rank.candidates.empty()) return;
  Message* const m = rank.candidates.top().message;
  rank.candidates.pop();
  receive.message = m;
  Line& line = *std::exchange(m->line, nullptr);
  line.pop_front();
  if (line.empty()) return;
  Message* const behind = line.front();
  if (!behind->here) return;
  if (behind->at < m->at) {
    behind->at = m->at;
    behind->path = m->path;
  }
  offer(rank, behind);
}

}  // namespace emu::app::farms
