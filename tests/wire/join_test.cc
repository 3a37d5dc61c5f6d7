// A message that takes no time (Rank::join) and those who ask meanwhile what its hearer may still send: ranks
// are threads over the real wire, and one of them is held back in real time.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <thread>

#include "model/collectives.h"
#include "rank/rank.h"
#include "wire/shared_wire.h"

namespace emu {
namespace {

constexpr int ranks = 3;
constexpr std::int64_t L = 1000;
constexpr std::int64_t o_s(std::int64_t k) { return 16 + 3 * k; }
constexpr std::int64_t o_r(std::int64_t k) { return 26 + 5 * k; }

model::Parameters parameters() {
  model::Parameters p;
  p.latency = Interval::picoseconds(L);
  p.eager_limit = 100;
  p.send = {Interval::picoseconds(16), Interval(), Rate::femtoseconds_per_byte(3000)};
  p.receive = {Interval::picoseconds(26), Interval(), Rate::femtoseconds_per_byte(5000)};
  p.poll = Interval::picoseconds(7);
  return p;
}

void wait_for(const std::atomic<bool>& flag, std::chrono::milliseconds most) {
  const auto deadline = std::chrono::steady_clock::now() + most;
  while (!flag && std::chrono::steady_clock::now() < deadline) usleep(100);
}

// Says when its rank goes to sleep for the first time, and keeps it from going on when it wakes.
class Held final : public match::Wire {
 public:
  Held(match::Wire& wire, std::atomic<bool>& sleeps, const std::atomic<bool>* until)
      : wire_(wire), sleeps_(sleeps), until_(until) {}
  match::Message* allocate(model::Bytes payload) override { return wire_.allocate(payload); }
  void release(match::Message* message) override { wire_.release(message); }
  void deliver(int to, match::Message* message) override { wire_.deliver(to, message); }
  std::uint64_t announced() const override { return wire_.announced(); }
  match::Message* drain() override { return wire_.drain(); }
  void running(Instant clock) override { wire_.running(clock); }
  bool blocked(const Block& block, std::uint64_t announced) override {
    return wire_.blocked(block, announced);
  }
  void hears(bool yes) override { wire_.hears(yes); }
  void lost(const match::Loss& loss) override { wire_.lost(loss); }
  std::optional<int> in_the_way(const match::Arrival& key, const match::Sources& sources,
                                std::uint64_t announced) override {
    return wire_.in_the_way(key, sources, announced);
  }
  std::optional<int> short_of(int rank, Instant at, std::uint64_t announced) override {
    return wire_.short_of(rank, at, announced);
  }
  std::optional<Instant> horizon(const match::Sources& sources, Instant most,
                                 std::uint64_t announced) override {
    return wire_.horizon(sources, most, announced);
  }
  void sleep(std::uint64_t announced, bool in_the_way) override {
    sleeps_ = true;
    wire_.sleep(announced, in_the_way);
    if (until_ && wire_.announced() != announced) wait_for(*until_, std::chrono::milliseconds(300));
  }

 private:
  match::Wire& wire_;
  std::atomic<bool>& sleeps_;
  const std::atomic<bool>* until_;
};

// Ranks 0 and 1 do what makes a communicator of theirs: an allreduce and a join, in which rank 0 waits for
// rank 1. Then rank 0 sends to rank 2, which looks for that when it is just there: rank 1 may matter to it
// although it sends it nothing, and sooner than if rank 0 waited for a message of the network.
TEST(JoinTest, WhoWaitsForAZeroTimeMessageCanSendALookaheadAfterIt) {
  constexpr std::int64_t entry = 5000;
  constexpr std::int64_t joined = entry + o_s(8) + L + o_r(8);
  constexpr std::int64_t arrival = joined + o_s(1) + L;
  const model::Network network(parameters(), ranks);
  const wire::NodeMap node_map(ranks);
  auto region = wire::Region::create(wire::Table::bytes(node_map) + (std::size_t{16} << 20));
  ASSERT_TRUE(region);
  wire::Table::create(region->base(), node_map);
  std::atomic<bool> hears = false, waits = false, asked = false, asleep = false;
  std::optional<rank::Status> found;

  const auto run = [&](int number, std::atomic<bool>& sleeps, const std::atomic<bool>* until, auto work) {
    wire::SharedWire wire(region->borrowed(), node_map, number, network,
                          [](const std::string& message) { FAIL() << message; });
    Held held(wire, sleeps, until);
    rank::Rank r(number, ranks, network, held);
    wire.start_together([](wire::ClockReadings&) {});
    r.start();
    r.leave();
    work(r);
    wire.finish({});
  };
  const auto make_communicator = [&](rank::Rank& r) {
    const rank::Communicator both{4, r.number(), {0, 1}};
    std::array<std::byte, 8> in{}, out{};
    (void)r.run(both, model::allreduce(r.number(), 2, model::Reduction{1, 8, true, true}),
                {in.data(), out.data(), [](void*, const std::byte*, std::byte*, model::Bytes) {}, nullptr});
    (void)r.join(both);
    EXPECT_EQ(r.now().picoseconds(), joined);
  };
  const auto world = [](int number) { return rank::Communicator{2, number, {0, 1, 2}}; };
  std::array<std::byte, 1> memory{};
  std::thread zero([&] {
    run(0, hears, nullptr, [&](rank::Rank& r) {
      wait_for(waits, std::chrono::seconds(10));
      EXPECT_TRUE(r.declared(Interval::picoseconds(entry)));
      make_communicator(r);
      r.send(world(0), 2, 7, rank::Buffer::contiguous(memory.data(), 0));
      EXPECT_EQ(r.now().picoseconds() + L, arrival);
    });
  });
  std::thread one([&] { run(1, waits, &asked, make_communicator); });
  std::thread two([&] {
    run(2, asleep, nullptr, [&](rank::Rank& r) {
      wait_for(hears, std::chrono::seconds(10));
      EXPECT_TRUE(r.declared(Interval::picoseconds(arrival)));
      found = r.iprobe(world(2), 0, 7);
      asked = true;
    });
  });
  for (std::thread* t : {&zero, &one, &two}) t->join();
  EXPECT_TRUE(found) << "it was there at that instant";
}

}  // namespace
}  // namespace emu
