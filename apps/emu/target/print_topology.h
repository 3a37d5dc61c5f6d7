// emu target: the links between the nodes of a target, and the route of a pair.
#pragma once

#include <string>

#include "base/failure.h"
#include "target/target.h"

namespace emu::app {

// Places, links, hops, latencies and bisection bandwidth; no output if the target has no topology.
void print_topology(const target::Target& t);

struct NodePair {
  int from, to;
};
// "3,17". Fails if there are no such nodes, or the target has no topology.
Result<NodePair> read_pair(const target::Target& t, const std::string& pair);
// The links from one node to the other, with their bandwidths.
void print_route(const target::Target& t, NodePair pair);

}  // namespace emu::app
