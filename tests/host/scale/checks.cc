// checks [MESSAGES]: CPU nanoseconds per message of the library's checks of itself
// (match/invariants.h). It measures the calls that a rank makes of its wire while it deals tasks
// to 63 others, with match/checked_wire.h and without it, on a wire that does nothing else. The
// two alternate, and the minimum of each counts, because other load only increases times.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <optional>

#include "match/checked_wire.h"

namespace {

using namespace emu;

constexpr int others = 63;
constexpr int turns = 15;

// Returns its only message again and again.
class Still final : public match::Wire {
 public:
  match::Message arrived;

  match::Message* allocate(model::Bytes) override { return &sent_; }
  void release(match::Message*) override {}
  void deliver(int, match::Message*) override {}
  std::uint64_t announced() override { return 0; }
  match::Message* drain() override { return &arrived; }
  void running(Instant) override {}
  bool serving(Instant, Instant, std::uint64_t) override { return true; }
  bool blocked(const Block&, std::uint64_t) override { return true; }
  void lost(const match::Loss&) override {}
  std::optional<int> blocking_rank(const match::Arrival&, const match::Sources&, std::uint64_t) override {
    return {};
  }
  std::optional<Instant> horizon(const match::Sources&, Instant, std::uint64_t) override { return {}; }
  std::optional<int> bound_below(int, Instant, std::uint64_t) override { return {}; }
  void sleep(std::uint64_t, WakeUp) override {}

 private:
  match::Message sent_;
};

// A receive from any source that must wait, and a send: two messages.
double round_trips(match::Wire& wire, Still& still, long messages, Instant& now) {
  constexpr Interval step = Interval::picoseconds(1000000), flight = Interval::picoseconds(50000000);
  timespec begin, end;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
  match::Sources everyone;
  everyone.everyone = true;
  for (long trip = 0; trip < messages / 2; ++trip) {
    const int source = 1 + static_cast<int>(trip % others);
    // The rank waits for the message. It asks for an earlier message when it drains, and once more to be sure.
    wire.blocked({now, now, step, {}}, 0);
    now = now + step;
    still.arrived.arrival = {now + flight, source, static_cast<std::uint64_t>(trip)};
    wire.drain();
    wire.blocking_rank(still.arrived.arrival, everyone, 0);
    wire.blocking_rank(still.arrived.arrival, everyone, 0);
    now = now + flight;
    wire.running(now);
    match::Message* const answer = wire.allocate(0);
    answer->arrival = {now + flight, 0, static_cast<std::uint64_t>(trip)};
    wire.deliver(source, answer);
    now = now + step;
    wire.running(now);
  }
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
  return (static_cast<double>(end.tv_sec - begin.tv_sec) * 1e9 +
          static_cast<double>(end.tv_nsec - begin.tv_nsec)) /
         static_cast<double>(messages);
}

}  // namespace

int main(int argc, char** argv) {
  const long messages = argc == 2 ? std::atol(argv[1]) : 1000000;
  if (argc > 2 || messages < 2) {
    std::fprintf(stderr, "usage: checks [MESSAGES]   two or more\n");
    return 2;
  }
  Still still;
  bool broken = false;
  match::CheckedWire<Still> checked(still, match::Invariants(0, others + 1, Interval::picoseconds(1000000)),
                                    [&](const match::Violation&) { broken = true; });
  double with = 1e9, without = 1e9;
  Instant now;
  for (int turn = 0; turn < turns; ++turn) {
    without = std::min(without, round_trips(still, still, messages, now));
    with = std::min(with, round_trips(checked, still, messages, now));
  }
  if (broken) {
    std::fprintf(stderr, "checks: a promise was broken: the calls are not a rank's\n");
    return 1;
  }
  std::printf("%.2f\n", with - without);
}
