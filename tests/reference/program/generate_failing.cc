// Programs that continue when ranks have failed.
#include <algorithm>

#include "reference/program/generator.h"

namespace emu::reference {

Program Generator::run_noticing() {
  noticing_ = true;
  // Random numbers of their own, with which the older single programs that meson.build names are neither rich nor full,
  // make no communicators, and free no requests.
  rich_ = Random(Random::mix(batch_.seed) ^ 0xbad4).chance(50);
  retakes_ = full_ = Random(Random::mix(batch_.seed) ^ 0xbadc).chance(50);
  makes_ = Random(Random::mix(batch_.seed) ^ 0xbb03).chance(40);
  tells_ = Random(Random::mix(batch_.seed) ^ 0x2f454).chance(50);
  releases_ = Random(Random::mix(batch_.seed) ^ 0xf5b3).chance(40);
  if (random_.chance(50)) start_together();
  const int parts = random_.between(3, 8);
  for (int i = 0; i < parts; ++i) {
    tag_ = 10 * (i + 1);
    const int kind = random_.below(100);
    if (makes_ && random_.chance(25))
      on_all(any_collective(true));
    else if (rich_ && random_.chance(25))
      in_background();
    else if (full_ && random_.chance(25))
      cancels() && random_.chance(40) ? taken_back_in_flight() : repeat();
    else if (kind < 55)
      group();
    else if (kind < 65)
      ring();
    else if (kind < 75)
      collective();
    else
      react();
    if (random_.chance(20))
      for (int rank = 0; rank < ranks_; ++rank) complete_all(rank);
  }
  end_noticing();
  program_.slots = *std::max_element(slots_.begin(), slots_.end());
  return program_;
}

// The ranks need not begin it at one time.
void Generator::on_all(Operation operation) {
  const bool together = random_.chance(40);
  for (int rank = 0; rank < ranks_; ++rank) {
    if (!together && random_.chance(60)) compute(rank, duration());
    if (operation.action == Action::agree) operation.flag = random_.between(0, 255);
    program_.ranks[static_cast<std::size_t>(rank)].push_back(operation);
  }
}

void Generator::react() {
  const int communicator = shrunk_ && random_.chance(50) ? newest : random_.below(ordinary_count);
  if (random_.chance(50))
    for (int rank = 0; rank < ranks_; ++rank)
      if (random_.chance(80)) add(rank, Action::acknowledge, communicator);
  const int kind = random_.below(100);
  if (kind < 35) {
    on_all({.action = Action::agree, .communicator = communicator});
  } else if (kind < 70 || !shrunk_) {
    on_all({.action = Action::shrink, .communicator = communicator});
    shrunk_ = true;
  } else if (kind < 80) {
    ring_of_newest();
  } else if (kind < 95) {
    static const std::vector<Action> actions = {Action::barrier, Action::broadcast, Action::all_reduce,
                                                Action::gather, Action::all_to_all};
    Operation o{.action = random_.pick(actions), .communicator = newest, .root = any_rank()};
    if (o.action != Action::barrier) o.bytes = size() / 4 * 4;
    on_all(o);
  } else {
    on_all({.action = Action::duplicate, .communicator = communicator});
  }
}

void Generator::ring_of_newest() {
  const int shift = random_.between(0, ranks_ - 1);
  const bool any = random_.chance(40);
  for (int rank = 0; rank < ranks_; ++rank) {
    if (random_.chance(30)) compute(rank, duration());
    Operation& o = add(rank, Action::send_receive, newest);
    o.out = {shift, tag_, size(), ++messages_};
    // The source is as far before this rank as this rank is before its destination, if no rank is missing.
    o.in = {any ? match::any_source : ranks_ - shift, tag_};
  }
}

void Generator::acknowledge_some(int rank) {
  const int communicator = random_.below(ordinary_count);
  add(rank, random_.chance(60) ? Action::acknowledge : Action::get_acknowledged, communicator);
}

// Requests in doubt are waited for again after failures are acknowledged. No rank leaves before all remaining ranks
// have come.
void Generator::end_noticing() {
  for (int rank = 0; rank < ranks_; ++rank) {
    const std::vector<int> slots = live_[static_cast<std::size_t>(rank)];
    complete_all(rank);
    if (slots.empty() || !random_.chance(60)) continue;
    for (int c = 0; c < ordinary_count; ++c) add(rank, Action::acknowledge, c);
    add(rank, Action::wait_all).slots = slots;
  }
  if (random_.chance(50)) on_all({.action = Action::duplicate});
  for (int rank = 0; rank < ranks_; ++rank) {
    add(rank, Action::get_acknowledged, random_.below(ordinary_count));
    add(rank, Action::detach);
  }
  on_all({.action = Action::agree});
}

Program generate_noticing(std::uint64_t seed, const Batch& batch) {
  return Generator(seed, batch).run_noticing();
}

}  // namespace emu::reference
