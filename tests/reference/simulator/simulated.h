// Programs in the simulator, on a cluster whose results can be computed by hand.
//
// Unless a test states otherwise: L = 1000, g = 0, G = 1 per byte, S = 64 bytes, o_s = 100, o_r = 200, a false answer
// 50, card free; all in picoseconds. So a request takes c_s + L = 1100 to arrive, and its receiver c_r + c_s = 300 to
// answer it.
#pragma once

#include <gtest/gtest.h>

#include "reference/simulator/simulator.h"

namespace emu::reference {

inline constexpr int any = match::any_source;

inline model::Parameters parameters() {
  model::Parameters p;
  p.latency = Interval::picoseconds(1000);
  p.gap_per_byte = Rate::femtoseconds_per_byte(1000);
  p.eager_limit = 64;
  p.send.fixed = Interval::picoseconds(100);
  p.receive.fixed = Interval::picoseconds(200);
  p.poll = Interval::picoseconds(50);
  return p;
}

inline Operation compute(std::int64_t ps) { return {.action = Action::compute, .picoseconds = ps}; }
inline Operation send(int to, Bytes bytes, int tag = 0) {
  return {.action = Action::send, .out = {.to = to, .tag = tag, .bytes = bytes}};
}
inline Operation isend(int to, Bytes bytes, int slot, int tag = 0) {
  return {.action = Action::isend, .out = {.to = to, .tag = tag, .bytes = bytes}, .slot = slot};
}
inline Operation receive(int from, int tag = match::any_tag) {
  return {.action = Action::receive, .in = {from, tag}};
}
inline Operation ireceive(int from, int slot, int tag = match::any_tag) {
  return {.action = Action::ireceive, .in = {from, tag}, .slot = slot};
}
inline Operation call(Action action, std::vector<int> slots) {
  return {.action = action, .slots = std::move(slots)};
}

class Simulated : public testing::Test {
 protected:
  // The clock after each operation of `rank`.
  std::vector<std::int64_t> clocks(int rank) const {
    std::vector<std::int64_t> result;
    for (const Outcome& o : outcomes_[static_cast<std::size_t>(rank)]) result.push_back(o.clock);
    return result;
  }
  const Outcome& outcome(int rank, int operation) const {
    return outcomes_[static_cast<std::size_t>(rank)][static_cast<std::size_t>(operation)];
  }
  Simulator::End run(std::vector<std::vector<Operation>> ranks) {
    Program program{.ranks = std::move(ranks), .slots = 8};
    Cluster cluster(parameters_, static_cast<int>(program.ranks.size()));
    cluster.outages = outages_;
    cluster.notices = notices_;
    cluster.link_events = link_events_;
    Simulator simulator(cluster, static_cast<int>(program.ranks.size()));
    const Simulator::End end = simulator.run(program);
    outcomes_ = simulator.outcomes();
    for (int rank = 0; end == Simulator::End::finished && rank < static_cast<int>(program.ranks.size());
         ++rank) {
      EXPECT_EQ(simulator.time(rank).total().picoseconds(), simulator.clock(rank).picoseconds());
    }
    return end;
  }
  using Clocks = std::vector<std::int64_t>;

  // The node of `rank`, which has no other rank, is down from `at` on; for good without `until`.
  void down(int rank, std::int64_t at, std::int64_t until = 0) {
    outages_.push_back({rank, Interval::picoseconds(at), Interval::picoseconds(until)});
  }

  model::Parameters parameters_ = parameters();
  std::vector<Cluster::Outage> outages_;
  bool notices_ = false;  // failures for good show in the results of other ranks' operations
  std::vector<Cluster::LinkEvent> link_events_;
  std::vector<std::vector<Outcome>> outcomes_;
};

}  // namespace emu::reference
