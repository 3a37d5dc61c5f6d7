// What is said of ranks that are blocked for good.
#include "wire/deadlock.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "wire/shared_wire.h"

namespace emu::wire {
namespace {

// Another thread reads why once the bound is raised, while the rank wakes in vain and blocks again:
// ThreadSanitizer sees whether it writes meanwhile.
TEST(DeadlockTest, WhyARankWaitsStaysAsItIsOnceItsBoundIsRaised) {
  model::Parameters parameters;
  parameters.latency = Interval::picoseconds(1000);
  const model::Network network(parameters, 1);
  const Places places(1);
  auto region = Region::create(Table::bytes(places) + (std::size_t{1} << 20));
  ASSERT_TRUE(region);
  Table::create(region->base(), places);
  SharedWire wire(region->borrowed(), places, 0, network, [](const std::string& text) { FAIL() << text; });
  Table table(region->base(), places, 0, Lookaheads(Interval()));

  std::atomic<bool> read = false;
  std::thread reader([&] {
    while (!table.standstill()) usleep(100);
    const Waiter w = waiter(table, places, 0);
    EXPECT_EQ(describe_deadlock({w}),
              "deadlock: no rank can go on.\n"
              "  rank 0 waits in MPI_Waitall for rank 3, tag 7 (and 1 more request)");
    read.store(true, std::memory_order_relaxed);  // tells ThreadSanitizer nothing of an order
  });
  const match::Wire::Block block{Instant(), Instant::never(), Interval(), {"MPI_Waitall", 3, 7, 2}};
  while (!read.load(std::memory_order_relaxed)) {
    EXPECT_TRUE(wire.blocked(block, wire.announced()));
    usleep(100);
  }
  EXPECT_TRUE(wire.blocked(block, wire.announced()));
  reader.join();
}

}  // namespace
}  // namespace emu::wire
