// Interconnect between the nodes of a target: links of a topology, and the static route of each pair of nodes.
//
// An interconnect says which links a message passes, in which order. How messages share a link is decided elsewhere. All
// functions are pure. Nodes and links are numbered from 0. A link has one direction; a cable is two links.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/rate.h"
#include "base/time.h"

namespace emu::model {

class Interconnect {
 public:
  virtual ~Interconnect() = default;

  virtual int nodes() const = 0;
  virtual int links() const = 0;
  // Time per byte of a message that has the link for itself.
  virtual Rate gap_per_byte(int link) const = 0;
  // Name of a link, for people: "leaf3-up0".
  virtual std::string name(int link) const = 0;
  // Appends the links from node `from` to node `to`, another one, in the order in which a message passes them.
  virtual void route(int from, int to, std::vector<std::int32_t>& links) const = 0;
  // Sum of the latencies of these links. It comes on top of L.
  virtual Interval latency(int from, int to) const = 0;
  // The least latency between any two nodes.
  virtual Interval least_latency() const = 0;
};

}  // namespace emu::model
