// Resources that messages share: the bus, cards of nodes, memories of nodes, links of a topology.
//
// A message between two nodes passes a card of its sender's node, the links of the interconnect, and a card of its
// receiver's node; or the bus alone. A message inside a node passes the node's memory. Resources are numbered from 0:
// first the bus or the links of the interconnect, then the cards, then the memories. All functions are pure;
// contention/contention.h defines how messages use their resources.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/rate.h"
#include "model/interconnect.h"
#include "model/places.h"
#include "model/share.h"

namespace emu::model {

// Cards and memories in a target file. Without entries, none of them is shared.
struct NodeParameters {
  enum class Duplex {
    full,   // each direction has the card's rate
    half,   // both directions together have the card's rate
    joint,  // each direction has the card's rate, and both together `both_directions`
  };

  bool cards = false;  // ranks of a node share its cards
  int rails = 1;       // cards of a node, which its ranks use by turns
  Rate card;           // time per byte of a card
  Duplex duplex = Duplex::full;
  Rate both_directions;  // of one card; with Duplex::joint
  bool memory = false;   // messages inside a node share its memory
  Rate memory_per_byte;
  Share share = Share::fair;
};

class Resources {
 public:
  Resources() = default;  // nothing is shared
  // `bus`: a bus is between the nodes, and no interconnect.
  Resources(const NodeParameters& nodes, const Places& ranks,
            std::shared_ptr<const Interconnect> interconnect, bool bus = false);

  // The number of the bus, where there is one.
  static constexpr std::int32_t bus = 0;

  bool any() const { return count_ > 0; }
  int count() const { return count_; }
  Share share(int resource) const { return bus_ && resource == bus ? Share::fifo : nodes_.share; }
  // Time per byte of a message that does not share the resource. The bus has none: messages have their own.
  Rate gap_per_byte(int resource) const;
  // "leaf0-up1", "node 3 card out", "node 3 memory"
  std::string name(int resource) const;
  // Appends the resources that a message between two ranks passes, in order, unless it passes the bus. None: it shares
  // nothing with others.
  void route(int from, int to, std::vector<std::int32_t>& resources) const;
  bool meet(int from, int to) const;  // true if route() has any resource
  // Latency of the interconnect between two ranks.
  Interval latency(int from, int to) const;
  // The least such latency between ranks of different nodes.
  Interval least_latency() const { return interconnect_ ? interconnect_->least_latency() : Interval(); }

 private:
  int links() const { return bus_ ? 1 : interconnect_ ? interconnect_->links() : 0; }
  int ways() const;  // resources of one card
  void pass_card(int rank, bool out, std::vector<std::int32_t>& resources) const;
  int rail(int rank) const { return rails_.empty() ? 0 : rails_[static_cast<std::size_t>(rank)]; }

  NodeParameters nodes_;
  Places ranks_;
  std::shared_ptr<const Interconnect> interconnect_;
  bool bus_ = false;
  std::vector<int> rails_;  // by rank, if a node has several
  int node_count_ = 0;      // of nodes with ranks, and all nodes before them
  int count_ = 0;
};

}  // namespace emu::model
