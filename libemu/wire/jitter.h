// Real delays at random places in front of a wire, as on a loaded, uneven host. Virtual times must not
// change. The tests run with jitter, and users can enable it
// (EMU_JITTER=MICROSECONDS).
#pragma once

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <ctime>

#include "match/wire.h"

namespace emu::wire {

// The places and lengths of sleeps: one place in eight, until the sleeps have taken about a second; then ever
// fewer, so that their sum grows with the logarithm of the run's length, and a run of millions of messages ends.
class Pauses {
 public:
  Pauses(int microseconds, int seed)
      : most_(microseconds > 0 ? static_cast<std::uint64_t>(microseconds) : 1),
        often_(budget / (most_ / 2 + 1) * one_in + 1),
        state_(static_cast<std::uint64_t>(seed) * 2 + 1) {}

  // Microseconds to sleep at the next place; usually 0.
  std::int64_t next() {
    const std::uint64_t seldom = one_in * std::max<std::uint64_t>(1, places_++ / often_);
    if (dice() % seldom != 0) return 0;
    return static_cast<std::int64_t>(dice() % most_);
  }

 private:
  std::uint64_t dice() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return state_ >> 33;
  }

  static constexpr std::uint64_t one_in = 8, budget = 1'000'000;  // microseconds
  std::uint64_t most_;
  std::uint64_t often_;  // number of places before the sleeps become rarer
  std::uint64_t state_;
  std::uint64_t places_ = 0;
};

class Jitter final : public match::Wire {
 public:
  Jitter(match::Wire& wire, int microseconds, int seed) : wire_(wire), pauses_(microseconds, seed) {}

  match::Message* allocate(model::Bytes payload) override { return wire_.allocate(payload); }
  void release(match::Message* message) override { wire_.release(message); }
  void deliver(int to, match::Message* message) override {
    delay();
    wire_.deliver(to, message);
    delay();
  }
  std::uint64_t announced() override { return wire_.announced(); }
  match::Message* drain() override {
    delay();
    return wire_.drain();
  }
  // No delay if the rank has only polled since, which it may do millions of times.
  void running(Instant clock) override {
    if (exchanged_) delay();
    exchanged_ = false;
    wire_.running(clock);
  }
  bool serving(Instant clock, Instant bound, std::uint64_t announced) override {
    if (exchanged_) delay();
    exchanged_ = false;
    return wire_.serving(clock, bound, announced);
  }
  bool blocked(const Block& block, std::uint64_t announced) override {
    delay();
    return wire_.blocked(block, announced);
  }
  void joins(const match::Joined& collective) override { wire_.joins(collective); }
  void lost(const match::Loss& loss) override { wire_.lost(loss); }
  std::optional<int> blocking_rank(const match::Arrival& key, const match::Sources& sources,
                                   std::uint64_t announced) override {
    return wire_.blocking_rank(key, sources, announced);
  }
  std::optional<Instant> horizon(const match::Sources& sources, Instant most,
                                 std::uint64_t announced) override {
    return wire_.horizon(sources, most, announced);
  }
  std::optional<int> bound_below(int rank, Instant at, std::uint64_t announced) override {
    return wire_.bound_below(rank, at, announced);
  }
  match::Landing landing(const match::Message& message) override { return wire_.landing(message); }
  std::uint64_t landing_changes() override { return wire_.landing_changes(); }
  void advance(const match::Arrival& until) override {
    delay();
    wire_.advance(until);
  }
  void landed(match::Message& message) override { wire_.landed(message); }
  std::optional<Instant> wanted() override { return wire_.wanted(); }
  void sleep(std::uint64_t announced, WakeUp wake_up) override {
    delay();
    wire_.sleep(announced, wake_up);
  }

 private:
  void delay() {
    exchanged_ = true;
    const std::int64_t microseconds = pauses_.next();
    if (microseconds == 0) return;
    const timespec pause{microseconds / 1'000'000, microseconds % 1'000'000 * 1000};
    syscall(SYS_nanosleep, &pause, nullptr);  // a system call: the function nanosleep may be the program's
  }
  match::Wire& wire_;
  bool exchanged_ = true;  // since the last running()
  Pauses pauses_;
};

}  // namespace emu::wire
