// An independent implementation of topologies: a message walks from switch to switch by the rules of the target's
// description (config/README.md).
#pragma once

#include <string>
#include <vector>

#include "base/rate.h"
#include "base/time.h"
#include "reference/program/random.h"
#include "reference/simulator/flows.h"

namespace emu::reference {

struct Wiring {
  enum class Kind { none, fat_tree, torus, dragonfly, star, links };
  struct Cable {
    Interval latency;
    Rate gap;
  };
  Kind kind = Kind::none;
  // A fat tree's levels: down, up, parallel. A torus: its dimensions. A dragonfly: groups, routers, nodes, global
  // links.
  std::vector<std::vector<int>> sizes;
  std::vector<Cable> cables;  // by level, dimension or class; of `links` by link
  bool palm_tree = false;
  Rate backbone;  // of a star; 0: none
  struct Way {    // links: the route between two nodes
    int from = 0, to = 0;
    bool oneway = false;
    std::vector<int> via;
  };
  std::vector<Way> ways;
};

// A random topology for `nodes` nodes.
Wiring choose_wiring(Random& random, int nodes, std::int64_t unit);
std::string wiring_lines(const Wiring& wiring);  // [topology] of the target file; empty without one
std::string wiring_words(const Wiring& wiring);  // ", a torus of 2 x 3"
// The links from a node to another one, in order, and the sum of their latencies.
struct Walk {
  std::vector<Passed> links;
  Interval latency;
};
Walk walk(const Wiring& wiring, int from, int to);

}  // namespace emu::reference
