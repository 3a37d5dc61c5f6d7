// How soon this rank can notice what others do, by the slots of the table of bounds.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/network.h"
#include "wire/node_map.h"

namespace emu::wire {

class Lookaheads {
 public:
  struct Least {
    std::int64_t message, chain;  // as model::Lookahead
  };

  explicit Lookaheads(Interval all) : all_{all.picoseconds(), 2 * all.picoseconds()}, least_(all_) {}
  // Between several of the host's nodes the least of all counts: wire/cut.h argues with that.
  Lookaheads(const model::Network& network, const NodeMap& node_map, int self)
      : Lookaheads(network.lookahead()) {
    if (node_map.several()) return;
    const std::vector<model::Lookahead> lookaheads = network.lookaheads(self);
    Least least{INT64_MAX, INT64_MAX};
    bool differ = false;
    for (int rank = 0; rank < node_map.ranks(); ++rank) {
      const model::Lookahead& l = lookaheads[static_cast<std::size_t>(rank)];
      by_slot_.push_back({l.message.picoseconds(), l.chain.picoseconds()});
      if (rank == self) continue;
      least = {std::min(least.message, by_slot_.back().message),
               std::min(least.chain, by_slot_.back().chain)};
      differ = differ || by_slot_.back().message != all_.message || by_slot_.back().chain != all_.chain;
    }
    if (differ)
      least_ = least;
    else
      by_slot_.clear();
  }

  // Whether some slots have more than the least of all.
  bool differ() const { return !by_slot_.empty(); }
  const Least& all() const { return all_; }      // for any two ranks of the job
  const Least& least() const { return least_; }  // of those by slot
  const Least& of(int slot) const { return by_slot_[static_cast<std::size_t>(slot)]; }  // if they differ

 private:
  Least all_, least_;
  std::vector<Least> by_slot_;
};

}  // namespace emu::wire
