// Resources in memory of a test, and flows on them.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "contention/contention.h"

namespace emu::contention {

// A row of links, each with its own time per byte.
class Links final : public model::Interconnect {
 public:
  explicit Links(std::vector<std::int64_t> femtoseconds) : femtoseconds_(std::move(femtoseconds)) {}
  int nodes() const override { return 2; }
  int links() const override { return static_cast<int>(femtoseconds_.size()); }
  Rate gap_per_byte(int link) const override {
    return Rate::femtoseconds_per_byte(femtoseconds_[static_cast<std::size_t>(link)]);
  }
  std::string name(int) const override { return "link"; }
  void route(int, int, std::vector<std::int32_t>&) const override {}
  Interval latency(int, int) const override { return {}; }
  Interval least_latency() const override { return {}; }

 private:
  std::vector<std::int64_t> femtoseconds_;
};

inline Instant at(std::int64_t ps) { return Instant::from_picoseconds(ps); }

// The resources, and flows on them.
class Network {
 public:
  explicit Network(std::vector<std::int64_t> femtoseconds, model::Share share = model::Share::fair) {
    model::NodeParameters nodes;
    nodes.share = share;
    create({nodes, {{0, 0}, {1, 0}}, std::make_shared<Links>(std::move(femtoseconds))});
  }
  explicit Network(const model::Resources& resources) { create(resources); }
  void create(const model::Resources& resources) {
    memory_.resize(Contention::bytes(resources.count(), 1) / sizeof(Aligned) + 1);
    Contention::create(reinterpret_cast<std::byte*>(memory_.data()), resources, 1);
    contention_.emplace(reinterpret_cast<std::byte*>(memory_.data()));
  }
  // A flow of `bytes` bytes that follow the first; `own` is its own time per byte in femtoseconds; `path`: on the bus.
  Flow& add(std::int64_t head, std::int64_t bytes, const std::vector<int>& route, std::int64_t own = 1,
            const record::Path* path = nullptr) {
    auto& block = flows_.emplace_back(Flow::size(route.size()) / sizeof(Aligned) + 1);
    Flow& flow = *new (block.data()) Flow{};
    flow.head = at(head);
    flow.sequence = flows_.size();
    flow.source = static_cast<std::int32_t>(flows_.size());
    flow.bytes = bytes;
    flow.limit = Rate::femtoseconds_per_byte(own);
    flow.receiver = 0;
    flow.bus = path != nullptr;
    if (path) flow.path = *path;
    flow.trailing = static_cast<double>(bytes);
    flow.stages = static_cast<std::int32_t>(route.size());
    for (std::size_t i = 0; i < route.size(); ++i)
      (new (flow.stage(static_cast<int>(i))) Stage{})->resource = route[i];
    EXPECT_TRUE(contention_->add(flow));
    return flow;
  }
  Contention& operator*() { return *contention_; }
  Contention* operator->() { return &*contention_; }
  std::int64_t lands(const Flow& flow) {
    const Landing landing = contention_->landing(flow);
    EXPECT_TRUE(landing.certain);
    return landing.at.picoseconds();
  }
  void finish() { contention_->advance(at(std::int64_t{1} << 60)); }

 private:
  struct alignas(64) Aligned {
    std::byte bytes[64];
  };
  std::vector<Aligned> memory_;
  std::deque<std::vector<Aligned>> flows_;
  std::optional<Contention> contention_;
};

inline constexpr std::int64_t G = 26'800'000;  // fs per byte: Fast Ethernet

inline std::int64_t ps(std::int64_t bytes, std::int64_t gap = G) {
  return Rate::femtoseconds_per_byte(gap).times(bytes).picoseconds();
}

}  // namespace emu::contention
