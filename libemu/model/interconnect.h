// Interconnect between the nodes of a target: links of a topology, and the static route of each pair of nodes.
//
// An interconnect determines the links that a message passes, and their order. contention/contention.h determines how
// messages share a link. All functions are pure. Nodes and links are numbered from 0. A link has one direction; a cable
// is two links.
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
  // Time per byte of a message that does not share the link.
  virtual Rate gap_per_byte(int link) const = 0;
  // Name of a link for users: "leaf3-up0".
  virtual std::string name(int link) const = 0;
  // Appends the links from node `from` to another node `to`, in the order in which a message passes them.
  virtual void route(int from, int to, std::vector<std::int32_t>& links) const = 0;
  // True if route() has any link between two different nodes.
  virtual bool linked(int /*from*/, int /*to*/) const { return true; }
  // Sum of the latencies of these links, which adds to L.
  virtual Interval latency(int from, int to) const = 0;
  // The least latency between any two nodes.
  virtual Interval least_latency() const = 0;
};

}  // namespace emu::model
