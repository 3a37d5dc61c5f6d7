#include "reference/program/generate.h"

#include <algorithm>

#include "reference/program/generator.h"

namespace emu::reference {

Generator::Generator(std::uint64_t seed, const Batch& batch)
    : random_(Random::mix(seed) + Random::mix(batch.seed) * 3 + static_cast<std::uint64_t>(batch.ranks)),
      batch_(batch),
      ranks_(batch.ranks),
      live_(static_cast<std::size_t>(batch.ranks)),
      slots_(static_cast<std::size_t>(batch.ranks)),
      anew_(static_cast<std::size_t>(batch.ranks)),
      strays_(static_cast<std::size_t>(batch.ranks)),
      beat_(batch.unit * random_.between(1, 12)) {
  program_.seed = seed;
  program_.ranks.resize(static_cast<std::size_t>(batch.ranks));
}

Program Generator::run() {
  retakes_ = !concurrent_ && Random(Random::mix(batch_.seed) ^ 0xf5c8).chance(70);
  if (random_.chance(50)) start_together();
  const int groups = random_.between(1, 5);
  for (int i = 0; i < groups; ++i) {
    tag_ = 10 * (i + 1);
    const int kind = random_.below(100);
    if (plain() && random_.chance(15)) {
      random_.chance(60) ? in_background() : repeat();
    } else if (plain() && cancels() && !concurrent_ && random_.chance(25)) {
      taken_back_in_flight();
    } else if (kind < 72) {
      group();
    } else if (kind < 82) {
      ring();
    } else {
      collective();
    }
    for (int rank = 0; timed_by_host() && rank < ranks_; ++rank) complete_all(rank);
    if (open_) close();
  }
  for (int rank = 0; rank < ranks_; ++rank) complete_all(rank);
  // The order in which threads make communicators is the host's, and their messages depend on it.
  const Action last = concurrent_ ? Action::barrier : Action::duplicate;
  for (int rank = 0; rank < ranks_; ++rank) add(rank, last);
  program_.slots = *std::max_element(slots_.begin(), slots_.end());
  return program_;
}

// All ranks compute for equal times, or equal except for a picosecond, or nearly equal.
void Generator::start_together() {
  const std::int64_t spread = random_.pick<std::int64_t>({0, 0, 1, batch_.unit / 10, batch_.unit});
  for (int rank = 0; rank < ranks_; ++rank) {
    const std::int64_t more = spread == 0 ? 0 : random_.below(static_cast<int>(spread) + 1);
    compute(rank, beat_ + more);
  }
}

void Generator::group() {
  const int communicator = random_.below(ordinary_count);
  const bool contest = random_.chance(60);
  std::vector<Planned> messages = plan(communicator, contest);
  for (int rank = 0; rank < ranks_; ++rank) choose_receives(messages, rank);
  if (random_.chance(60)) start_together();

  emit(messages, communicator,
       random_.pick<Order>({Order::together, Order::receives_first, Order::sends_first}));
  for (int rank = 0; rank < ranks_; ++rank) receive_anew(rank);
}

void Generator::emit(const std::vector<Planned>& messages, int communicator, Order order) {
  if (order == Order::together) {
    for (const Planned& m : messages) {
      const bool receive_first = random_.chance(30);
      const bool may_block = !timed_by_host() && m.source != m.destination;
      if (receive_first) emit_receive(m, communicator, may_block);
      emit_send(m, communicator, may_block);
      if (!receive_first) emit_receive(m, communicator, !timed_by_host());
      if (random_.chance(25)) sprinkle(any_rank());
    }
    return;
  }
  const bool receives_first = order == Order::receives_first;
  for (const Planned& m : messages) {
    receives_first ? emit_receive(m, communicator, false) : emit_send(m, communicator, false);
  }
  for (const Planned& m : messages) {
    receives_first ? emit_send(m, communicator, !measured_ && m.source != m.destination)
                   : emit_receive(m, communicator, !measured_);
    if (random_.chance(20)) sprinkle(any_rank());
  }
}

// A contest has one receiver; otherwise any rank sends to any rank. On links that change often, most messages have one
// source, so that later ones could be faster.
std::vector<Generator::Planned> Generator::plan(int communicator, bool contest) {
  std::vector<Planned> messages;
  const bool stream = !batch_.cluster.link_events.empty() && random_.chance(50);
  const int receiver = any_rank();
  const int count =
      (contest ? random_.between(2, 9) : random_.between(2, 12)) + (ranks_ > 8 ? ranks_ / 2 : 0);
  const bool same_size = random_.chance(40);
  const Bytes common = size();
  const bool bursts = random_.chance(40);  // several consecutive ones of one source, long and short
  int source = any_rank();
  for (int i = 0; i < count; ++i) {
    if (stream ? random_.chance(15) : !bursts || random_.chance(40)) source = any_rank();
    Planned m{.source = source, .destination = contest || stream ? receiver : any_rank()};
    m.source = another(communicator, m.source, m.destination);
    m.out.to = rank_in(communicator, m.destination, ranks_);
    m.out.bytes = same_size ? common : size();
    m.out.message = ++messages_;
    messages.push_back(m);
  }
  return messages;
}

// A rank that can send to `destination`: `source`, or one near it. Hardly ever `destination` itself.
int Generator::another(int communicator, int source, int destination) {
  const std::vector<int> all = members(communicator, destination, ranks_);
  auto at = std::find(all.begin(), all.end(), source);
  if (at == all.end())
    at = std::find_if(all.begin(), all.end(), [&](int rank) { return rank <= source + 1; });
  if (at == all.end()) at = all.begin();
  if (*at == destination && !random_.chance(5) && ++at == all.end()) at = all.begin();
  return *at;
}

// The tags of the messages to `destination`, and what its receives accept.
void Generator::choose_receives(std::vector<Planned>& messages, int destination) {
  static const std::vector<Choice> choices = {Choice::named, Choice::any_source, Choice::any_source,
                                              Choice::mixed, Choice::any_tag,    Choice::ladder};
  static const std::vector<Choice> safe = {Choice::named, Choice::any_source, Choice::any_tag};
  static const std::vector<Choice> safe_beside_strays = {Choice::named, Choice::any_source};
  const Choice choice = random_.pick(concurrent_ ? safe_beside_strays : measured_ ? safe : choices);
  for (Planned& m : messages) {
    if (m.destination != destination) continue;
    // Sources are ranks in the world here.
    const bool one_tag = choice == Choice::any_source || choice == Choice::mixed;
    m.out.tag = tag_ + (one_tag ? 0 : random_.below(3));
    const int kind = random_.below(100);
    switch (choice) {
      case Choice::named:
        m.in = {m.source, m.out.tag};
        break;
      case Choice::any_source:
        m.in = {match::any_source, m.out.tag};
        break;
      case Choice::mixed:
        m.in = {kind < 25 ? m.source : match::any_source, m.out.tag};
        break;
      case Choice::any_tag:
        m.in = {match::any_source, match::any_tag};
        break;
      case Choice::ladder:
        m.in = {kind < 75 ? match::any_source : m.source, kind < 50 ? m.out.tag : match::any_tag};
        break;
    }
    if (full() && random_.chance(10)) {
      m.in_parts = true;
      m.in = {m.source, m.out.tag};
      m.out.bytes = (m.out.bytes + 11) / 12 * 12;
      program_.bytes = std::max(program_.bytes, m.out.bytes);
    }
    open_ = open_ || m.in.tag == match::any_tag;
  }
}

void Generator::ring() {
  const int communicator = random_.below(ordinary_count);
  const int shift = random_.between(1, ranks_ - 1);
  const bool line = random_.chance(20);  // the ranks at its ends have one neighbour
  const bool any = random_.chance(30);
  for (int rank = 0; rank < ranks_; ++rank) {
    const int me = rank_in(communicator, rank, ranks_);
    const int count = static_cast<int>(members(communicator, rank, ranks_).size());
    if (random_.chance(30)) compute(rank, duration());
    const bool waits = !rich() || random_.chance(70);
    Operation& o = add(rank, waits ? Action::send_receive : Action::isend_receive, communicator);
    if (!waits) o.slot = new_slot(rank);
    const bool no_next = line && me + shift >= count;
    const bool no_previous = line && me < shift;
    o.out = {no_next ? nobody : (me + shift) % count, tag_, size(), ++messages_};
    program_.bytes = std::max(program_.bytes, o.out.bytes);
    o.in = {no_previous ? nobody : (any ? match::any_source : (me + (count - 1) * shift) % count), tag_};
  }
}

// Messages of one rank to another. Some of their receives are cancelled when
// messages are in transit: those messages then match the receives posted after them.
void Generator::taken_back_in_flight() {
  const int communicator = random_.below(ordinary_count);
  const int destination = any_rank(), source = another(communicator, any_rank(), destination);
  const bool one_tag = random_.chance(50);
  std::vector<Planned> messages;
  for (int i = random_.between(2, 6); i > 0; --i) {
    Planned m{.source = source, .destination = destination};
    m.out = {rank_in(communicator, destination, ranks_), tag_ + (one_tag ? 0 : random_.below(2)), size(),
             ++messages_};
    m.in = {random_.chance(85) ? source : match::any_source,
            one_tag && random_.chance(30) ? match::any_tag : m.out.tag};
    open_ = open_ || m.in.tag == match::any_tag;
    messages.push_back(m);
  }
  for (int rank = 0; rank < ranks_; ++rank) add(rank, Action::barrier);
  for (const Planned& m : messages) emit_send(m, communicator, false);
  for (const Planned& m : messages) {
    const int kind = random_.below(100);
    if (takes_beside() && random_.chance(30))
      emit_receive_found(m, communicator);
    else if (kind < 40)
      post_to_take_back(m, communicator);
    else if (kind < 70)
      emit_exchange(m, communicator, false);
    else
      emit_receive(m, communicator, false);
  }
  // In whole units: break_ties() increases the network's latency a little, which the player does not know.
  const std::int64_t units = batch_.cluster.network.latency.picoseconds() / batch_.unit;
  const auto latency = static_cast<int>(units * batch_.unit / 1000);
  compute(destination, std::int64_t{1000} * random_.below(2 * latency + 1));
  receive_anew(destination);
}

void Generator::collective() {
  const Operation o = any_collective(plain() && !concurrent_ && random_.chance(25));
  const bool together = random_.chance(50);
  for (int rank = 0; rank < ranks_; ++rank) {
    if (!together && random_.chance(60)) compute(rank, duration());
    program_.ranks[static_cast<std::size_t>(rank)].push_back(o);
  }
}

Operation Generator::any_collective(bool makes) {
  static const std::vector<Action> actions = {Action::barrier,    Action::broadcast, Action::reduce,
                                              Action::all_reduce, Action::gather,    Action::scatter,
                                              Action::all_gather, Action::all_to_all};
  // These consist of several calls, and measured work is attributed to single calls.
  static const std::vector<Action> makers = {Action::ring,       Action::star,   Action::shortcuts,
                                             Action::rows,       Action::bridge, Action::from_group,
                                             Action::from_groups};
  static const std::vector<Action> more = {Action::ring,         Action::star,          Action::rows,
                                           Action::bridge_split, Action::bridge_create, Action::from_groups};
  Operation o;
  o.action = random_.pick(!makes ? actions : batch_.parts_bridges ? more : makers);
  if ((noticing_ ? tells_ : batch_.tells_edges) && !measured_ &&
      (o.action == Action::ring || o.action == Action::star))
    o.action = Action::edges;
  if (batch_.makes_subsets && (o.action == Action::rows || o.action == Action::star))
    o.action = Action::subset;
  o.communicator = random_.below(ordinary_count);
  o.root = any_rank();
  // Among neighbours, or between two groups.
  if (!makes && rich() && random_.chance(15)) {
    o.action = random_.pick<Action>({Action::near_gather, Action::near_exchange});
    o.communicator = web;
  } else if (!makes && rich() && ranks_ > 1 && random_.chance(20)) {
    o.communicator = halves;
  }
  if (o.communicator == parts)
    o.root %= std::max(1, ranks_ / 2);  // the number of odd ranks does not exceed the number of even ones
  // Most are near a limit between two algorithms or kinds of message; a few are long.
  const int kind = random_.below(100);
  o.bytes = (kind < 60 ? size() : kind < 90 ? random_.below(3000) : random_.below(90000)) / 4 * 4;
  if (o.action == Action::barrier) o.bytes = 0;
  const bool bridges =
      (o.action >= Action::bridge && o.action <= Action::bridge_create) || o.action == Action::from_groups;
  if (bridges) o.bytes = std::max<Bytes>(o.bytes, 4);
  return o;
}

// No earlier message is left when the following operations begin.
void Generator::close() {
  for (int rank = 0; rank < ranks_; ++rank) complete_all(rank);
  for (int rank = 0; rank < ranks_; ++rank) add(rank, Action::barrier);
  open_ = false;
}

Program Generator::run_measured() {
  measured_ = true;
  return run();
}

Program Generator::run_concurrent() {
  concurrent_ = true;
  return run();
}

Program generate_concurrent(std::uint64_t seed, const Batch& batch, int thread) {
  Batch cancelling = batch;
  cancelling.cancels = true;
  Program program =
      Generator(Random::mix(seed) + static_cast<std::uint64_t>(thread), cancelling).run_concurrent();
  program.seed = seed;
  return program;
}

Program generate_measured(std::uint64_t seed, const Batch& batch) {
  return Generator(seed, batch).run_measured();
}

Program generate(std::uint64_t seed, const Batch& batch) { return Generator(seed, batch).run(); }

Program setup(int ranks) {
  Program p;
  std::vector<Operation> makes = {{.action = Action::duplicate},
                                  {.action = Action::split},
                                  {.action = Action::split},
                                  {.action = Action::make_web}};
  if (ranks > 1) makes.push_back({.action = Action::make_halves, .communicator = halves});
  p.ranks.assign(static_cast<std::size_t>(ranks), makes);
  return p;
}

}  // namespace emu::reference
