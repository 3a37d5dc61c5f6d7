// Lookaheads of this rank, by slots of the table of bounds: the least times until it can notice acts of others.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "model/network.h"
#include "wire/node_map.h"

namespace emu::wire {

class Lookaheads {
 public:
  struct Least {
    std::int64_t message, chain;  // as in model::Lookahead
    friend auto operator<=>(const Least&, const Least&) = default;
  };

  explicit Lookaheads(Interval all) : all_{all.picoseconds(), 2 * all.picoseconds()}, least_(all_) {}
  // With several host nodes, the least of all lookaheads counts: the argument in wire/agent/cut.h uses it.
  Lookaheads(const model::Network& network, const NodeMap& node_map, int self)
      : Lookaheads(network.lookahead()) {
    if (node_map.several()) return;
    const std::vector<model::Lookahead> lookaheads = network.lookaheads(self);
    const auto picoseconds = [](const model::Lookahead& l) {
      return Least{l.message.picoseconds(), l.chain.picoseconds()};
    };
    if (std::all_of(lookaheads.begin(), lookaheads.end(),
                    [&](const model::Lookahead& l) { return picoseconds(l) == all_; }))
      return;
    Least least{INT64_MAX, INT64_MAX};
    std::map<Least, std::uint32_t> known;
    bool differ = false;
    for (int rank = 0; rank < node_map.ranks(); ++rank) {
      const Least own = picoseconds(lookaheads[static_cast<std::size_t>(network.place(rank).group)]);
      const auto [kind, first] = known.try_emplace(own, static_cast<std::uint32_t>(kinds_.size()));
      if (first) kinds_.push_back(own);
      by_slot_.push_back(kind->second);
      if (rank == self) continue;
      least = {std::min(least.message, own.message), std::min(least.chain, own.chain)};
      differ = differ || own != all_;
    }
    if (differ)
      least_ = least;
    else
      by_slot_ = {};
  }

  // True if some slots have more than the least of all.
  bool differ() const { return !by_slot_.empty(); }
  const Least& all() const { return all_; }      // least of any two ranks of the job
  const Least& least() const { return least_; }  // least of those by slot
  // Requires differ().
  const Least& of(int slot) const { return kinds_[by_slot_[static_cast<std::size_t>(slot)]]; }

 private:
  Least all_, least_;
  std::vector<Least> kinds_;            // at most as many as the target has groups of nodes
  std::vector<std::uint32_t> by_slot_;  // index into kinds_
};

}  // namespace emu::wire
