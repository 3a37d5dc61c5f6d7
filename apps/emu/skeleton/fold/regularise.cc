#include "skeleton/fold/regularise.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

namespace emu::skeleton {
namespace {

// Work between two calls below this time, in seconds, belongs to a loop over neighbours.
constexpr float short_work = 1e-6f;
// If such work is usually that short, longer measurements up to this time are noise: an interruption, a cold
// cache.
constexpr float most_noise = 50e-6f;

struct Event {
  Call call;
  float work = 0, inside = 0;
};

// Pairs of calls without work of the program between them: decided by all gaps of a kind, not by a single one.
class Gaps {
 public:
  explicit Gaps(const RankTrace& trace) : trace_(trace) {
    std::map<std::tuple<Function, std::int32_t, std::int32_t, std::int32_t>, std::uint32_t> kinds;
    for (const Call& call : trace.calls)
      kind_.push_back(kinds
                          .try_emplace({call.function, call.comm, call.peer, call.tag},
                                       static_cast<std::uint32_t>(kinds.size()))
                          .first->second);
    for (std::size_t i = 1; i < trace.size(); ++i) {
      Votes& votes = votes_[between(i)];
      ++(trace.work[i] < short_work ? votes.short_ones : votes.long_ones);
    }
  }
  // For event i, which is not the first.
  bool is_short(std::size_t i) const {
    const float work = trace_.work[i];
    if (work >= most_noise) return false;
    const Votes& votes = votes_.at(between(i));
    return votes.short_ones > votes.long_ones;
  }

 private:
  struct Votes {
    std::uint32_t short_ones = 0, long_ones = 0;
  };
  std::uint64_t between(std::size_t i) const {
    return std::uint64_t{kind_[trace_.call[i - 1]]} << 32 | kind_[trace_.call[i]];
  }

  const RankTrace& trace_;
  std::vector<std::uint32_t> kind_;  // of each call: without slots and sizes
  std::unordered_map<std::uint64_t, Votes> votes_;
};

class Regularising {
 public:
  explicit Regularising(RankTrace& trace) : trace_(trace), gaps_(trace) {}

  void run() {
    RankTrace result = trace_;
    result.calls.clear();
    result.call.clear();
    result.work.clear();
    result.inside.clear();
    for (std::size_t i = 0; i < trace_.size();) {
      std::vector<Event> group{event(i++)};
      const Function first = group.front().call.function;
      const bool waits = first == Function::wait;
      while ((starts(first) || waits) && i < trace_.size() && gaps_.is_short(i) &&
             (waits ? at(i).function == Function::wait : starts(at(i).function)))
        group.push_back(event(i++));
      if (starts(first)) begin(group);
      if (waits) end(group);
      for (Event& each : group) put(result, each);
    }
    trace_ = std::move(result);
  }

 private:
  const Call& at(std::size_t i) const { return trace_.calls[trace_.call[i]]; }
  Event event(std::size_t i) const { return {at(i), trace_.work[i], trace_.inside[i]}; }

  // In order, with the lowest free slots.
  void begin(std::vector<Event>& group) {
    float work = 0;
    for (Event& each : group) {
      work += each.work;
      each.work = 0;
    }
    std::stable_sort(group.begin(), group.end(),
                     [&](const Event& a, const Event& b) { return order(a.call) < order(b.call); });
    group.front().work = work;
    for (Event& each : group) {
      std::int32_t free = 0;
      while (static_cast<std::size_t>(free) < taken_.size() && taken_[static_cast<std::size_t>(free)]) ++free;
      if (static_cast<std::size_t>(free) == taken_.size()) taken_.push_back(true);
      taken_[static_cast<std::size_t>(free)] = true;
      slot_[each.call.slot] = free;
      each.call.slot = free;
    }
  }
  std::tuple<bool, std::int32_t, std::int32_t, std::int32_t> order(const Call& call) const {
    const std::int32_t distance =
        call.peer < 0 ? call.peer : (call.peer - trace_.rank + trace_.ranks) % trace_.ranks;
    return {call.function != Function::irecv, call.comm, call.tag, distance};
  }

  // One wait for all.
  void end(std::vector<Event>& group) {
    Event all = group.front();
    all.call.list.clear();
    all.work = all.inside = 0;
    for (const Event& each : group) {
      all.work += each.work;
      all.inside += each.inside;
      if (each.call.source >= 0) all.call.source = each.call.source;
      for (const std::int64_t slot : each.call.list) {
        const auto known = slot_.find(static_cast<std::int32_t>(slot));
        if (known == slot_.end()) continue;
        all.call.list.push_back(known->second);
        taken_[static_cast<std::size_t>(known->second)] = false;
        slot_.erase(known);
      }
    }
    std::sort(all.call.list.begin(), all.call.list.end());
    group = {std::move(all)};
  }

  void put(RankTrace& to, const Event& event) {
    const auto [known, first] = numbers_.emplace(event.call, static_cast<std::uint32_t>(to.calls.size()));
    if (first) to.calls.push_back(event.call);
    to.call.push_back(known->second);
    to.work.push_back(event.work);
    to.inside.push_back(event.inside);
  }

  RankTrace& trace_;
  const Gaps gaps_;
  std::vector<bool> taken_;                              // slots, by new numbers
  std::unordered_map<std::int32_t, std::int32_t> slot_;  // new for old numbers, of pending requests
  std::unordered_map<Call, std::uint32_t, CallHash> numbers_;
};

}  // namespace

void regularise(RankTrace& trace) {
  const bool any_request = std::any_of(trace.calls.begin(), trace.calls.end(),
                                       [](const Call& call) { return starts(call.function); });
  if (any_request) Regularising(trace).run();
}

}  // namespace emu::skeleton
