// One rank with a scripted wire, on a network of small numbers.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <memory>

#include "rank/rank.h"
#include "scripted_wire.h"

namespace emu::rank {

using match::any_source;
using match::any_tag;
using Kind = match::Message::Kind;

constexpr std::int64_t L = 1000, poll_cost = 7;
constexpr int ranks = 3;
constexpr std::int64_t o_s(std::int64_t k) { return 10 + 1 * ranks + 3 * k; }
constexpr std::int64_t o_r(std::int64_t k) { return 20 + 2 * ranks + 5 * k; }
constexpr std::int64_t c_s = o_s(1), c_r = o_r(1);
constexpr std::int64_t trailing(std::int64_t k) { return 2 * (k - 1); }  // (k-1)G

inline model::Parameters parameters() {
  model::Parameters p;
  p.latency = Interval::picoseconds(L);
  p.gap_per_byte = Rate::femtoseconds_per_byte(2000);
  p.eager_limit = 100;
  p.send = {Interval::picoseconds(10), Interval::picoseconds(1), Rate::femtoseconds_per_byte(3000)};
  p.receive = {Interval::picoseconds(20), Interval::picoseconds(2), Rate::femtoseconds_per_byte(5000)};
  p.poll = Interval::picoseconds(poll_cost);
  return p;
}

class RankTest : public testing::Test {
 protected:
  RankTest() { use(parameters()); }
  ~RankTest() override {
    const record::Breakdown& b = rank_->clock().breakdown();
    EXPECT_EQ(Instant::start() + b.total(), rank_->now());
  }

  void use(const model::Parameters& p) { use(p, model::Topology::uniform(p, ranks)); }
  void use(const model::Parameters& p, const model::Topology& topology) {
    rank_.reset();
    network_ = std::make_unique<model::Network>(p, topology);
    rank_ = std::make_unique<Rank>(0, ranks, *network_, wire_);
  }
  // From `at` on, all links have a tenth of their latency.
  void use_faster_from(model::Parameters p, std::int64_t at) {
    model::Topology topology = model::Topology::uniform(p, ranks);
    for (model::Link& link : topology.between)
      link.changes = {{Instant::from_picoseconds(at), Instant::never(), 100'000'000, 1'000'000'000}};
    use(p, topology);
  }
  std::int64_t now() const { return rank_->now().picoseconds(); }
  void compute(std::int64_t ps) { EXPECT_TRUE(rank_->declared(Interval::picoseconds(ps))); }
  Buffer buffer(model::Bytes bytes) { return Buffer::contiguous(memory_.data(), bytes); }
  match::Envelope from(int source, int tag, model::Bytes bytes) {
    return {world_.context, source, tag, bytes};
  }
  const match::Message& sent(std::size_t i) { return *wire_.sent.at(i).message; }
  std::int64_t sent_at(std::size_t i) { return sent(i).arrival.at.picoseconds(); }

  Communicator world_{2, 0, {0, 1, 2}};
  std::array<std::byte, 1024> memory_{};
  ScriptedWire wire_;
  std::unique_ptr<model::Network> network_;
  std::unique_ptr<Rank> rank_;
};

}  // namespace emu::rank
