// A wire that checks the promises of ranks at run time: match/invariants.h. It is always in
// front of the real wire, which is a template parameter so that only the checks cost time.
#pragma once

#include <functional>
#include <utility>

#include "match/invariants.h"
#include "match/wire.h"

namespace emu::match {

template <class Inner>
class CheckedWire final : public Wire {
 public:
  // `broken` ends the job, and does not return normally.
  CheckedWire(Inner& inner, Invariants promises, std::function<void(const Violation&)> broken)
      : inner_(inner), promises_(std::move(promises)), broken_(std::move(broken)) {}

  [[gnu::hot]] Message* allocate(model::Bytes payload) override { return inner_.allocate(payload); }
  [[gnu::hot]] void release(Message* message) override { inner_.release(message); }
  [[gnu::hot]] void deliver(int to, Message* message) override {
    check(promises_.sends(to, *message));
    inner_.deliver(to, message);
  }
  [[gnu::hot]] std::uint64_t announced() override { return inner_.announced(); }
  [[gnu::hot]] Message* drain() override {
    Message* const first = inner_.drain();
    for (const Message* m = first; m; m = m->next) check(promises_.came(*m));
    return first;
  }
  [[gnu::hot]] void running(Instant clock) override {
    check(promises_.publishes(clock, clock, Interval()));
    inner_.running(clock);
  }
  bool serving(Instant clock, Instant bound, std::uint64_t announced) override {
    if (!inner_.serving(clock, bound, announced)) return false;
    check(promises_.publishes(clock, bound, Interval()));
    return true;
  }
  [[gnu::hot]] bool blocked(const Block& block, std::uint64_t announced) override {
    if (!inner_.blocked(block, announced)) return false;
    check(promises_.publishes(block.clock, block.bound, block.reaction));
    return true;
  }
  void joins(const Joined& collective) override { inner_.joins(collective); }
  void lost(const Loss& loss) override { inner_.lost(loss); }
  [[gnu::hot]] std::optional<int> blocking_rank(const Arrival& key, const Sources& sources,
                                                std::uint64_t announced) override {
    const std::optional<int> blocker = inner_.blocking_rank(key, sources, announced);
    if (!blocker) promises_.clear(key, sources);
    return blocker;
  }
  std::optional<Instant> horizon(const Sources& sources, Instant most, std::uint64_t announced) override {
    const std::optional<Instant> until = inner_.horizon(sources, most, announced);
    if (until) promises_.clear_ahead(*until, sources);
    return until;
  }
  std::optional<int> bound_below(int rank, Instant at, std::uint64_t announced) override {
    return inner_.bound_below(rank, at, announced);
  }
  Landing landing(const Message& message) override { return inner_.landing(message); }
  std::uint64_t landing_changes() override { return inner_.landing_changes(); }
  void advance(const Arrival& until) override { inner_.advance(until); }
  void landed(Message& message) override { inner_.landed(message); }
  std::optional<Instant> wanted() override { return inner_.wanted(); }
  [[gnu::hot]] void sleep(std::uint64_t announced, WakeUp wake_up) override {
    inner_.sleep(announced, wake_up);
  }

 private:
  [[gnu::hot]] void check(const std::optional<Violation>& broken) {
    if (broken) [[unlikely]]
      broken_(*broken);
  }

  Inner& inner_;
  Invariants promises_;
  std::function<void(const Violation&)> broken_;
};

}  // namespace emu::match
