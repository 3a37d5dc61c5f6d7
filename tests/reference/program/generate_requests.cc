// Requests that are started several times, and collectives in the background.
#include <algorithm>
#include <utility>

#include "reference/program/generator.h"

namespace emu::reference {

// The order in which requests are started is equal on all ranks, because all ranks must start collectives in one order.
void Generator::again(int rank, int slot) {
  if (slot < 0) return;
  const Action action =
      random_.pick<Action>({Action::wait, Action::wait_all, Action::test, Action::wait_some});
  Operation& o = add(rank, action);
  o.slots = {slot};
  o.until = action == Action::test;
}

// The request may be freed while its last start is under way. The next start then belongs to a new request.
void Generator::end_start(int rank, int& slot) {
  if (slot >= 0 && releases_started() && random_.chance(25))
    release(rank, std::exchange(slot, -1));
  else
    again(rank, slot);
}

// The request is freed when it is inactive.
void Generator::end_and_free(int rank, int slot) {
  if (slot < 0) return;
  again(rank, slot);
  release(rank, slot);
}

// Some of the requests are inactive or null. None of the calls waits for a certain one.
void Generator::ask_all(int rank) {
  std::vector<int> slots = live_[static_cast<std::size_t>(rank)];
  if (slots.empty()) return;
  random_.shuffle(slots);
  add(rank, random_.pick<Action>({Action::wait_any, Action::wait_some, Action::test_any, Action::test_any,
                                  Action::test_some, Action::test_some, Action::test_all}))
      .slots = slots;
}

// Cancels the last start of a persistent send, or of its receive, before the next one. As MPI_Bsend is complete at once,
// buffered sends are only received anew.
void Generator::take_stream_back(const Planned& m, int communicator, int sent, int received) {
  if (m.out.mode == Mode::buffered || random_.chance(50)) {
    again(m.source, sent);
    Operation& o = add(m.destination, Action::receive_anew, communicator);
    o.in = m.in;
    o.slots = {received};
  } else {
    Operation& o = add(m.source, Action::take_back, communicator);
    o.out = m.out;
    o.slots = {sent};
    again(m.destination, received);
  }
}

// Persistent requests that are started several times.
void Generator::repeat() {
  struct Stream {
    Planned message;
    int sent = -1, received = -1;  // slots
    Mode mode;
  };
  const int communicator = random_.below(ordinary_count);
  std::vector<Planned> messages = plan(communicator, random_.chance(40));
  messages.resize(std::min<std::size_t>(messages.size(), 4));
  std::vector<Stream> streams;
  const bool any = random_.chance(30);
  for (Planned& m : messages) {
    m.out.tag = tag_ + static_cast<int>(streams.size());
    m.in = {any ? match::any_source : rank_in(communicator, m.source, ranks_), m.out.tag};
    streams.push_back(
        {.message = m,
         .mode = random_.pick<Mode>({Mode::standard, Mode::standard, Mode::synchronous, Mode::buffered})});
  }
  for (int round = random_.between(2, 4); round > 0; --round) {
    for (Stream& s : streams) {
      Planned& m = s.message;
      if (retakes_ && cancels() && s.sent >= 0 && s.received >= 0 && random_.chance(noticing_ ? 20 : 50)) {
        take_stream_back(m, communicator, s.sent, s.received);
      } else {
        end_start(m.source, s.sent);
        end_start(m.destination, s.received);
      }
      if (mixes() && random_.chance(40)) ask_all(random_.chance(50) ? m.source : m.destination);
      if (random_.chance(30)) compute(m.source, duration());
      const auto start = [&](int rank, Action action, int& slot) {
        const int before = std::exchange(slot, new_slot(rank));
        Operation& o = add(rank, action, communicator);
        o.persistent = true;
        o.slot = slot;
        o.again = before;
        if (action == Action::ireceive) {
          o.in = m.in;
          return;
        }
        m.out.mode = s.mode;
        m.out.message = ++messages_;
        o.out = m.out;
      };
      const bool receive_first = random_.chance(50);
      if (receive_first) start(m.destination, Action::ireceive, s.received);
      start(m.source, Action::isend, s.sent);
      if (!receive_first) start(m.destination, Action::ireceive, s.received);
      if (random_.chance(30)) sprinkle(any_rank());
    }
  }
  for (Stream& s : streams) {
    if (frees_idle() && plain() && random_.chance(30))
      end_and_free(s.message.source, std::exchange(s.sent, -1));
    if (frees_idle() && plain() && random_.chance(30))
      end_and_free(s.message.destination, std::exchange(s.received, -1));
  }
  for (const Stream& s : streams) {
    if (s.sent >= 0 && releases_started() && random_.chance(15)) release(s.message.source, s.sent);
    if (s.received >= 0 && releases_started() && random_.chance(15))
      release(s.message.destination, s.received);
  }
}

// One or several requests, some of them restarted, while the ranks act in between.
void Generator::in_background() {
  const bool persistent = random_.chance(30);
  const int count = random_.between(1, 3), with = random_.between(0, 4);
  std::vector<int> before(static_cast<std::size_t>(ranks_), -1);
  Operation o = any_collective(false);
  for (int i = 0; i < count; ++i) {
    if (!persistent && i > 0) o = any_collective(false);
    if (!persistent && !concurrent_ && o.communicator < ordinary_count && random_.chance(10))
      o.action = Action::duplicate;
    for (int rank = 0; rank < ranks_; ++rank) {
      int& slot = before[static_cast<std::size_t>(rank)];
      if (persistent) again(rank, slot);
      if (random_.chance(40)) compute(rank, duration());
      o.persistent = persistent;
      o.again = persistent ? slot : -1;
      o.slot = slot = new_slot(rank);
      program_.ranks[static_cast<std::size_t>(rank)].push_back(o);
      if (random_.chance(25)) sprinkle(rank);
    }
    if (i == with) group();
  }
  for (int rank = 0; persistent && frees_idle() && rank < ranks_; ++rank)
    if (random_.chance(60)) end_and_free(rank, before[static_cast<std::size_t>(rank)]);
}

}  // namespace emu::reference
