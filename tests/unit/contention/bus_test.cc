// The bus together with other resources.
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "flows.h"

namespace emu::contention {
namespace {

// Node 0 has a memory, which is shared fairly.
Network bus_and_memory() {
  model::NodeParameters nodes;
  nodes.memory = true;
  nodes.memory_per_byte = Rate::femtoseconds_per_byte(G);
  return Network(model::Resources(nodes, {{0, 0}, {0, 0}}, nullptr, true));
}

record::Path path_of(int source, std::int64_t latency) {
  record::Path path;
  path.travel(Interval::picoseconds(latency), 1);
  path.hop = {source, 0};
  return path;
}

// Each message has its own time per byte, and also a message without further bytes waits.
TEST(Contention, TheBusServesOneAfterAnotherBesideAFairMemory) {
  Network n = bus_and_memory();
  const record::Path path;
  const std::vector<int> bus{model::Resources::bus}, memory{1};
  const Flow& slow = n.add(0, 1000, bus, 2 * G, &path);
  const Flow& empty = n.add(1, 0, bus, G, &path);
  const Flow& fast = n.add(2, 1000, bus, G, &path);
  const Flow& one = n.add(0, 1000, memory);
  const Flow& other = n.add(0, 1000, memory);
  n.finish();
  EXPECT_EQ(n.lands(slow), ps(2000));
  EXPECT_EQ(n.lands(empty), ps(2000));
  EXPECT_EQ(n.lands(fast), ps(3000));
  EXPECT_EQ(n.lands(one), ps(2000));
  EXPECT_EQ(n.lands(other), ps(2000));
}

// The path of a waiting message continues that of the message that kept the bus busy; other messages keep their
// sender's path.
TEST(Contention, APathContinuesOnTheBus) {
  Network n = bus_and_memory();
  const std::vector<int> bus{model::Resources::bus};
  const record::Path of_first = path_of(3, 100), of_second = path_of(1, 101), of_third = path_of(2, ps(500));
  const Flow& first = n.add(100, 10, bus, G, &of_first);
  const Flow& second = n.add(101, 20, bus, G, &of_second);
  const Flow& third = n.add(ps(500), 30, bus, G, &of_third);
  n.finish();
  const auto path = [&](const Flow& flow) { return *n->landing(flow).path; };
  EXPECT_EQ(path(first).hop, of_first.hop);
  EXPECT_EQ(path(first).gap_bytes, 10);
  EXPECT_EQ(path(second).hop, of_first.hop);
  EXPECT_EQ(path(second).gap_bytes, 30);
  EXPECT_EQ(path(third).hop, of_third.hop);
  EXPECT_EQ(path(third).gap_bytes, 30);
  for (const Flow* flow : {&first, &second, &third})
    EXPECT_EQ(path(*flow).total().picoseconds(), n.lands(*flow));
}

// With one source and instant, a later message may have the lower number: one-sided operations come last.
TEST(Contention, TheBusIsCertainUpToAKey) {
  Network n = bus_and_memory();
  const record::Path path;
  const std::vector<int> bus{model::Resources::bus};
  const Flow& first = n.add(50, 10, bus, G, &path);  // its number is that of source 1
  const Flow& second = n.add(50, 10, bus, G, &path);
  n->advance(at(50), 1, 0);
  EXPECT_FALSE(n->landing(first).certain);
  n->advance(at(50), 1, 1);
  EXPECT_TRUE(n->landing(first).certain);
  EXPECT_FALSE(n->landing(second).certain);
  n->advance(at(50), 2);
  EXPECT_TRUE(n->landing(second).certain);
}

// The receiver of such a message reads its landing: the clock then stops the job (clock/clock.h).
TEST(Contention, NothingOnTheBusWrapsAroundBehindTheLastInstant) {
  Network n = bus_and_memory();
  const record::Path path;
  std::vector<const Flow*> flows;
  for (int i = 0; i < 4; ++i)
    flows.push_back(&n.add(100, 1, {model::Resources::bus}, std::numeric_limits<std::int64_t>::max(), &path));
  for (int i = 0; i < 1000; ++i)
    flows.push_back(&n.add(101, std::int64_t{1} << 40, {model::Resources::bus}, G, &path));
  n->advance(Instant::last());
  for (const Flow* flow : flows) EXPECT_LE(n.lands(*flow), Instant::never().picoseconds());
  EXPECT_EQ(n.lands(*flows.back()), Instant::never().picoseconds());
}

}  // namespace
}  // namespace emu::contention
