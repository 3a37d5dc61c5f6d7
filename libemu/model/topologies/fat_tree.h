// Fat tree: levels of switches above the nodes, in which a child may have several parents.
//
// The shape is a parallel ports generalized fat tree (E. Zahavi, "D-Mod-K routing providing non-blocking traffic for
// shift permutations on real life fat trees", CCIT report 776, Technion, 2010). Without parallel cables it is an
// extended generalized fat tree, XGFT (S. R. Ohring, M. Ibel, S. K. Das, M. J. Kumar, "On generalized fat trees", IPPS
// 1995). SimGrid describes fat trees by the same numbers.
//
// Elements of level 0 are the nodes, of level 1 the leaf switches. Element e of level l is switch e mod W_l above the
// e / W_l'th block of M_l nodes, where M_l is the product of `down`, W_l that of `up`, of the levels 1 to l.
//
// Routing is static, D-mod-K: on its way to node j a message leaves a child of level l by port
// floor(j / W_(l-1)) mod (up_l * parallel_l), until it is above j, and descends by ports of equal numbers.
#pragma once

#include <vector>

#include "model/interconnect.h"
#include "model/topologies/cable.h"

namespace emu::model {

struct FatTreeShape {
  // Switches of one level, and the cables to their children.
  struct Level {
    int down = 1;      // children of a switch
    int up = 1;        // parents of a child
    int parallel = 1;  // cables between a child and each of its parents
    Cable cable;
  };
  std::vector<Level> levels;  // leaf switches first; at least one

  // Products of these numbers may exceed the limits of a FatTree.
  double nodes() const;
  double links() const;
};

class FatTree final : public Interconnect {
 public:
  // `shape` has at most 2^31 - 1 links.
  explicit FatTree(const FatTreeShape& shape);

  int nodes() const override { return nodes_; }
  int links() const override { return links_; }
  Rate gap_per_byte(int link) const override { return end_of(link).level->cable.gap_per_byte; }
  // "node5-up", "leaf3-up0", "level2.1-down2": the lower end, and its port.
  std::string name(int link) const override;
  void route(int from, int to, std::vector<std::int32_t>& links) const override;
  Interval latency(int from, int to) const override;
  Interval least_latency() const override;

  int levels() const { return static_cast<int>(levels_.size()); }
  int elements(int level) const;
  // Parent of element `child` of level `level`, below the top, at its port `port`.
  int parent(int level, int child, int port) const;
  int ports(int level) const { return levels_[static_cast<std::size_t>(level)].ports; }
  // Bytes per second from one half of the nodes to the other, cut at the top.
  double bisection() const;

 private:
  // As FatTreeShape::Level, with sums and products of the lower levels.
  struct Level {
    int down, up, ports;  // ports: of a child
    Cable cable;
    int under;        // nodes below each child
    int twins;        // children above the same nodes
    int children;     // elements of the level below
    int first;        // link: first those up, by child and port, then those down
    Interval height;  // latency from a node to this level
  };
  // The lower end of a link.
  struct End {
    const Level* level;
    int number;  // on the level of the lower end
    bool up;
    int child, port;
  };
  End end_of(int link) const;
  // The level of the lowest switch above both.
  std::size_t meeting(int from, int to) const;

  std::vector<Level> levels_;
  int nodes_ = 1;
  int links_ = 0;
};

}  // namespace emu::model
