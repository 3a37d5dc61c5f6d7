// The single operations of a random program.
#include <algorithm>
#include <utility>

#include "reference/program/generator.h"

namespace emu::reference {

Operation& Generator::add(int rank, Action action, int communicator) {
  auto& operations = program_.ranks[static_cast<std::size_t>(rank)];
  operations.push_back({.action = action, .communicator = communicator});
  return operations.back();
}

int Generator::new_slot(int rank) {
  const int slot = slots_[static_cast<std::size_t>(rank)]++;
  live_[static_cast<std::size_t>(rank)].push_back(slot);
  return slot;
}

// Sizes below, at and above the eager limit, and sizes with room for little or nothing of a number.
Bytes Generator::size() {
  const Bytes limit = batch_.cluster.network.always_eager ? 500 : batch_.cluster.network.eager_limit;
  const int kind = random_.below(100);
  Bytes bytes = 0;
  if (kind < 10)
    bytes = random_.below(3);
  else if (kind < 40)
    bytes = std::max<Bytes>(0, limit + random_.between(-1, 1));
  else if (kind < 65)
    bytes = random_.between(4, 100);
  else if (kind < 90)
    bytes = random_.between(4, 3000);
  else
    bytes = random_.between(3000, 20000);
  program_.bytes = std::max(program_.bytes, bytes);
  return bytes;
}

std::int64_t Generator::duration() {
  const int kind = random_.below(100);
  if (kind < 25) return 0;
  if (kind < 60) return beat_;
  if (kind < 70) return beat_ + 1;
  return random_.below(static_cast<int>(batch_.unit)) * static_cast<std::int64_t>(random_.between(1, 20));
}

void Generator::compute(int rank, std::int64_t picoseconds) {
  // The host's sleeps have whole nanoseconds.
  const bool sleeps = concurrent_ && random_.chance(50);
  Operation& o = add(rank, sleeps ? Action::sleep : Action::compute);
  o.picoseconds = sleeps ? (picoseconds + 999) / 1000 * 1000 : picoseconds;
}

void Generator::emit_send(const Planned& m, int communicator, bool may_block) {
  if (m.in_parts) return emit_parts(m, communicator);
  if (may_block && cancels() && random_.chance(concurrent_ ? 40 : 25))
    return emit_taken_back(m, communicator);
  if (rich() && random_.chance(5)) return emit_exchange(m, communicator, true);
  const int kind = random_.below(100);
  const bool blocks = may_block && kind < 40;
  if (random_.chance(20)) compute(m.source, duration());
  Operation& o = add(m.source, blocks ? Action::send : Action::isend, communicator);
  o.out = m.out;
  const int mode = random_.below(100);
  o.out.mode = mode < 80 ? Mode::standard : mode < 90 ? Mode::synchronous : Mode::buffered;
  // A buffered send leaves no request that must be waited for, so it may be at any place.
  if (o.out.mode == Mode::buffered) o.action = Action::send;
  if (o.action == Action::isend && releases() && random_.chance(20))
    release(m.source, o);
  else if (o.action == Action::isend)
    o.slot = new_slot(m.source);
  if (random_.chance(12)) sprinkle(m.source);
}

// The request of this isend or ireceive is freed, often later, without a call that waits for it.
void Generator::release(int rank, Operation& started) { release(rank, started.slot = hidden_slot(rank)); }

void Generator::release(int rank, int slot) {
  if (random_.chance(50)) compute(rank, duration());
  if (random_.chance(50)) sprinkle(rank);
  add(rank, Action::release).slots = {slot};
}

// The message with one half of a combined send and receive, whose other half has no peer.
void Generator::emit_exchange(const Planned& m, int communicator, bool sends) {
  const int rank = sends ? m.source : m.destination, slot = new_slot(rank);
  Operation& o = add(rank, Action::isend_receive, communicator);
  if (sends)
    o.out = m.out;
  else
    o.in = as_called(m.in, communicator);
  o.slot = slot;
}

// The parts become ready in any order, one or a few at a time.
void Generator::emit_parts(const Planned& m, int communicator) {
  const int slot = hidden_slot(m.source);
  Operation& o = add(m.source, Action::start_parts, communicator);
  o.out = m.out;
  o.slot = slot;
  const int parts = o.parts = random_.pick<int>({1, 2, 3, 4, 12});
  std::vector<std::pair<int, int>> ranges;
  for (int low = 0; low < parts;) {
    const int high = std::min(parts - 1, low + random_.below(3));
    ranges.emplace_back(low, high);
    low = high + 1;
  }
  random_.shuffle(ranges);
  for (const auto& [low, high] : ranges) {
    if (random_.chance(30)) compute(m.source, duration());
    if (random_.chance(10)) sprinkle(m.source);
    Operation& ready = add(m.source, Action::ready);
    ready.slots = {slot};
    ready.low = low;
    ready.high = high;
  }
  show(m.source, slot);
}

void Generator::emit_receive_parts(const Planned& m, int communicator, bool may_block) {
  const int slot = new_slot(m.destination);
  Operation& o = add(m.destination, Action::receive_parts, communicator);
  o.in = {rank_in(communicator, m.in.from, ranks_), m.in.tag};
  o.slot = slot;
  o.bytes = m.out.bytes;
  const int parts = o.parts = random_.pick<int>({1, 2, 3, 4, 12});
  for (int i = random_.below(3); i > 0; --i) {
    if (random_.chance(30)) compute(m.destination, duration());
    Operation& asked = add(m.destination, Action::arrived);
    asked.slots = {slot};
    asked.low = random_.below(parts);
    asked.until = may_block && random_.chance(30);
  }
}

void Generator::emit_taken_back(const Planned& m, int communicator) {
  const int slot = hidden_slot(m.source);
  Operation& o = add(m.source, Action::isend, communicator);
  o.out = m.out;
  o.out.mode = random_.chance(70) ? Mode::standard : Mode::synchronous;
  o.slot = slot;
  if (random_.chance(50)) compute(m.source, duration());
  if (random_.chance(20)) sprinkle(m.source);
  Operation& back = add(m.source, Action::take_back, communicator);
  back.out = m.out;
  back.slots = {slot};
}

// A send that no receive is intended for, although a receive of any tag may get it; or a receive of such messages.
void Generator::stray(int rank) {
  const int slot = hidden_slot(rank);
  const bool receives = full() && !concurrent_ && random_.chance(40);
  Operation& o = add(rank, receives ? Action::ireceive : Action::isend, random_.below(ordinary_count));
  const int other = random_.below(static_cast<int>(members(o.communicator, rank, ranks_).size()));
  if (receives)
    o.in = {random_.chance(50) ? match::any_source : other, tag_ + 5};
  else
    o.out = {other, tag_ + 5, size(), ++messages_};
  if (!receives && random_.chance(20)) o.out.mode = Mode::synchronous;
  o.slot = slot;
  strays_[static_cast<std::size_t>(rank)].push_back(slot);
  if (random_.chance(50)) cancel_strays(rank);
}

void Generator::cancel_strays(int rank) {
  const std::vector<int> strays = std::exchange(strays_[static_cast<std::size_t>(rank)], {});
  for (const int slot : strays) {
    if (random_.chance(40)) compute(rank, duration());
    add(rank, Action::cancel).slots = {slot};
    if (releases_started() && random_.chance(50))
      release(rank, slot);
    else
      show(rank, slot);
  }
}

// A receive of a send without an intended receive, if there is one.
void Generator::take_stray(int rank) {
  Operation& o = add(rank, Action::iprobe, random_.below(ordinary_count));
  o.in = {match::any_source, tag_ + 5};
  o.take = true;
  o.matched = true;  // so that it cannot be cancelled before its receive
}

// The operation with its source as a rank in the communicator.
Incoming Generator::as_called(Incoming in, int communicator) const {
  if (in.from >= 0) in.from = rank_in(communicator, in.from, ranks_);
  return in;
}

void Generator::emit_receive(const Planned& m, int communicator, bool may_block) {
  if (m.in_parts) return emit_receive_parts(m, communicator, may_block);
  const int kind = random_.below(100);
  if (random_.chance(20)) compute(m.destination, duration());
  if (rich() && random_.chance(cancels() ? 15 : 5)) return emit_exchange(m, communicator, false);
  if (may_block && full() && random_.chance(concurrent_ ? 25 : 8)) return emit_receive_found(m, communicator);
  if (may_block && full() && cancels() && random_.chance(30)) return emit_receive_anew(m, communicator);
  Action action = Action::ireceive;
  if (may_block && kind < 30)
    action = Action::receive;
  else if (may_block && kind < 40)
    action = Action::probe;
  else if (may_block && kind < 55)
    action = Action::iprobe;
  Operation& o = add(m.destination, action, communicator);
  o.in = as_called(m.in, communicator);
  o.take = action == Action::probe || action == Action::iprobe;
  o.matched = o.take && rich() && random_.chance(50);
  o.until = action == Action::iprobe;
  if (action == Action::ireceive) {
    if (releases() && o.in.tag != match::any_tag && random_.chance(20))
      release(m.destination, o);
    else
      o.slot = new_slot(m.destination);
  }
  if (random_.chance(12)) sprinkle(m.destination);
}

// A receive that is cancelled, unless its message has arrived.
void Generator::emit_receive_anew(const Planned& m, int communicator) {
  const int rank = m.destination;
  post_to_take_back(m, communicator);
  if (random_.chance(50)) return;  // other receives may be posted behind it
  if (random_.chance(50)) compute(rank, duration());
  for (int i = random_.below(3); i > 0; --i) sprinkle(rank);
  receive_anew(rank);
}

void Generator::post_to_take_back(const Planned& m, int communicator) {
  const int rank = m.destination, slot = hidden_slot(rank);
  Operation& o = add(rank, Action::ireceive, communicator);
  o.in = as_called(m.in, communicator);
  o.slot = slot;
  anew_[static_cast<std::size_t>(rank)].push_back(
      {.action = Action::receive_anew, .communicator = communicator, .in = o.in, .slots = {slot}});
}

void Generator::receive_anew(int rank) {
  auto& left = anew_[static_cast<std::size_t>(rank)];
  auto& operations = program_.ranks[static_cast<std::size_t>(rank)];
  operations.insert(operations.end(), left.begin(), left.end());
  for (const Operation& o : left)
    if (o.slot >= 0) show(rank, o.slot);
  left.clear();
}

// A matched probe and the later receive get one message, whatever happens in between.
void Generator::emit_receive_found(const Planned& m, int communicator) {
  const int rank = m.destination, found = hidden_slot(rank);
  Operation& o = add(rank, random_.chance(50) ? Action::probe : Action::iprobe, communicator);
  o.in = as_called(m.in, communicator);
  o.until = o.action == Action::iprobe;
  o.matched = true;
  o.slot = found;
  for (int i = random_.below(3); i > 0; --i) sprinkle(rank);
  if (batch_.keeps_found && !concurrent_ && random_.chance(60)) return keep_found(rank, found, communicator);
  const bool blocks = random_.chance(50);
  const int slot = blocks ? -1 : new_slot(rank);
  Operation& receive = add(rank, Action::receive_found, communicator);
  receive.slots = {found};
  receive.slot = slot;
}

// The message is received later, when other receives of the rank have begun or are over.
void Generator::keep_found(int rank, int found, int communicator) {
  anew_[static_cast<std::size_t>(rank)].push_back({.action = Action::receive_found,
                                                   .communicator = communicator,
                                                   .slot = random_.chance(50) ? -1 : hidden_slot(rank),
                                                   .slots = {found}});
}

// An operation that every rank can do at any place.
void Generator::sprinkle(int rank) {
  const int kind = random_.below(100);
  if (noticing_ && random_.chance(15)) {
    acknowledge_some(rank);
  } else if (concurrent_ && random_.chance(30)) {
    take_stray(rank);
  } else if (cancels() && random_.chance(concurrent_ ? 60 : 30)) {
    strays_[static_cast<std::size_t>(rank)].empty() ? stray(rank) : cancel_strays(rank);
  } else if (kind < 25) {
    compute(rank, duration());
  } else if (kind < 40) {
    Operation& o = add(rank, Action::iprobe, random_.below(ordinary_count));
    const int count = static_cast<int>(members(o.communicator, rank, ranks_).size());
    o.in = {random_.chance(70) ? match::any_source : random_.below(count),
            random_.chance(70) ? match::any_tag : tag_ + random_.below(3)};
  } else {
    complete_some(rank);
  }
}

void Generator::complete_some(int rank) {
  auto& live = live_[static_cast<std::size_t>(rank)];
  if (live.empty()) return;
  static const std::vector<Action> calls = {Action::wait,      Action::wait_all, Action::wait_any,
                                            Action::wait_some, Action::test,     Action::test_all,
                                            Action::test_any,  Action::test_some};
  static const std::vector<Action> tests(calls.begin() + 4, calls.end());
  const Action action = random_.pick(timed_by_host() ? tests : calls);
  const bool one = action == Action::wait || action == Action::test;
  std::vector<int> slots = live;
  random_.shuffle(slots);
  slots.resize(one ? 1 : static_cast<std::size_t>(random_.between(1, static_cast<int>(slots.size()))));
  Operation& o = add(rank, action);
  o.slots = slots;
  const bool test = action >= Action::test && action <= Action::test_some;
  o.until = test && !timed_by_host() && random_.chance(50);
  const bool completes_all = one || action == Action::wait_all || action == Action::test_all;
  // Slots that may be null already are kept for a while: calls must also handle null requests.
  if (completes_all && (!test || o.until) && random_.chance(80)) {
    std::erase_if(live, [&](int slot) { return std::find(slots.begin(), slots.end(), slot) != slots.end(); });
  }
}

// A few calls on all remaining requests, and finally waitall.
void Generator::complete_all(int rank) {
  cancel_strays(rank);
  auto& live = live_[static_cast<std::size_t>(rank)];
  if (live.empty()) return;
  for (int i = random_.below(3); i > 0; --i) complete_some(rank);
  Operation& o = add(rank, measured_ || random_.chance(80) ? Action::wait_all : Action::test_all);
  o.until = o.action == Action::test_all;
  o.slots = live;
  live.clear();
}

}  // namespace emu::reference
