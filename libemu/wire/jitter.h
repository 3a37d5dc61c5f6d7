// Real delays at random places in front of a wire: what a loaded, uneven host does, made on purpose. The
// virtual times must not change; the tests run with it, and so can anyone who doubts
// (EMU_JITTER=MICROSECONDS).
#pragma once

#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <ctime>

#include "match/wire.h"

namespace emu::wire {

class Jitter final : public match::Wire {
 public:
  Jitter(match::Wire& wire, int microseconds, int seed)
      : wire_(wire),
        most_(microseconds > 0 ? microseconds : 1),
        state_(static_cast<std::uint64_t>(seed) * 2 + 1) {}

  match::Message* allocate(model::Bytes payload) override { return wire_.allocate(payload); }
  void release(match::Message* message) override { wire_.release(message); }
  void deliver(int to, match::Message* message) override {
    delay();
    wire_.deliver(to, message);
    delay();
  }
  std::uint64_t announced() const override { return wire_.announced(); }
  match::Message* drain() override {
    delay();
    return wire_.drain();
  }
  // Not if all it did since was to poll, which it may do millions of times.
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
  std::optional<int> in_the_way(const match::Arrival& key, const match::Sources& sources,
                                std::uint64_t announced) override {
    return wire_.in_the_way(key, sources, announced);
  }
  std::optional<Instant> horizon(const match::Sources& sources, Instant most,
                                 std::uint64_t announced) override {
    return wire_.horizon(sources, most, announced);
  }
  std::optional<int> short_of(int rank, Instant at, std::uint64_t announced) override {
    return wire_.short_of(rank, at, announced);
  }
  std::optional<Instant> wanted() override { return wire_.wanted(); }
  void sleep(std::uint64_t announced, bool in_the_way) override {
    delay();
    wire_.sleep(announced, in_the_way);
  }

 private:
  void delay() {
    exchanged_ = true;
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    const auto dice = state_ >> 33;
    if (dice % 8 != 0) return;
    const auto microseconds = static_cast<long>(dice / 8 % most_);
    const timespec pause{microseconds / 1'000'000, microseconds % 1'000'000 * 1000};
    syscall(SYS_nanosleep, &pause, nullptr);  // not a function, which would be the program's
  }
  match::Wire& wire_;
  bool exchanged_ = true;  // since the last running()
  std::uint64_t most_;
  std::uint64_t state_;
};

}  // namespace emu::wire
