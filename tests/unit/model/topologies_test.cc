// Topologies between nodes: hops and routes in closed form, and properties of every route.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>

#include "model/resources.h"
#include "model/topologies/fat_tree.h"
#include "model/topologies/links.h"
#include "model/topologies/star.h"
#include "model/topologies/torus.h"
#include "topologies_check.h"

namespace emu::model {
namespace {

// The number of messages of a permutation that use the busiest link.
template <class To>
int busiest(const Interconnect& net, const To& to) {
  std::map<std::int32_t, int> load;
  int most = 0;
  for (int from = 0; from < net.nodes(); ++from)
    if (to(from) != from)
      for (const std::int32_t link : route(net, from, to(from))) most = std::max(most, ++load[link]);
  return most;
}

int busiest_shift(const Interconnect& net) {
  int most = 0;
  for (int by = 1; by < net.nodes(); ++by)
    most = std::max(most, busiest(net, [&](int from) { return (from + by) % net.nodes(); }));
  return most;
}

// --- fat tree

FatTreeShape tree(std::vector<int> down, std::vector<int> up, std::vector<int> parallel = {}) {
  FatTreeShape shape;
  for (std::size_t l = 0; l < down.size(); ++l)
    shape.levels.push_back({down[l], up[l], parallel.empty() ? 1 : parallel[l],
                            cable(l == 0   ? 10
                                  : l == 1 ? 300
                                           : 5000,
                                  static_cast<std::int64_t>(1'000 * (l + 1)))});
  return shape;
}

TEST(FatTree, HasTheElementsAndLinksOfItsShape) {
  const FatTree net(tree({4, 3, 2}, {1, 4, 3}));  // 24 nodes, 6 leaf switches, 2 * 4 above them, 4 * 3 on top
  EXPECT_EQ(net.nodes(), 24);
  EXPECT_EQ(net.elements(0), 24);
  EXPECT_EQ(net.elements(1), 6);
  EXPECT_EQ(net.elements(2), 8);
  EXPECT_EQ(net.elements(3), 12);
  EXPECT_EQ(net.links(), 2 * (24 + 6 * 4 + 8 * 3));
  EXPECT_EQ(tree({4, 3, 2}, {1, 4, 3}).links(), net.links());
  EXPECT_EQ(check(net), 0);
}

TEST(FatTree, HopsAreTwiceTheLevelsToTheLowestCommonSwitch) {
  const FatTree net(tree({4, 3, 2}, {1, 4, 3}));
  for (int from = 0; from < 24; ++from)
    for (int to = 0; to < 24; ++to) {
      if (from == to) continue;
      const int up = from / 4 == to / 4 ? 1 : from / 12 == to / 12 ? 2 : 3;
      EXPECT_EQ(route(net, from, to).size(), static_cast<std::size_t>(2 * up));
      EXPECT_EQ(net.latency(from, to), ps(up == 1 ? 20 : up == 2 ? 620 : 10620));
    }
}

// Follows a route from switch to switch with FatTree::parent, which is independent of routes.
void expect_connected(const FatTree& net, int from, int to) {
  int level = 0, element = from;
  for (const std::int32_t link : route(net, from, to)) {
    const std::string name = net.name(link);
    const bool up = name.find("-up") != std::string::npos;
    const std::string end = name.substr(0, name.find('-'));
    const std::string digits = end.substr(end.find_last_not_of("0123456789") + 1);
    const std::string port = name.substr(name.find_last_not_of("0123456789") + 1);
    const int lower = end.starts_with("node") ? 0 : end.starts_with("leaf") ? 1 : end[5] - '0';
    const int child = std::stoi(digits),
              parent = net.parent(lower, child, port.empty() ? 0 : std::stoi(port));
    EXPECT_EQ(level, up ? lower : lower + 1) << name;
    EXPECT_EQ(element, up ? child : parent) << name;
    level = up ? lower + 1 : lower;
    element = up ? parent : child;
  }
  EXPECT_EQ(level, 0);
  EXPECT_EQ(element, to);
}

TEST(FatTree, EveryRouteIsConnected) {
  for (const auto& shape :
       {tree({4, 3, 2}, {1, 4, 3}), tree({3, 4}, {2, 3}, {1, 2}), tree({2, 2, 2, 2}, {1, 2, 2, 2}),
        tree({5, 3}, {1, 2}, {2, 2}), tree({1, 6}, {1, 2})}) {
    const FatTree net(shape);
    check(net);
    for (int from = 0; from < net.nodes(); ++from)
      for (int to = 0; to < net.nodes(); ++to)
        if (from != to) expect_connected(net, from, to);
  }
}

TEST(FatTree, NamesOfLinks) {
  const FatTree net(tree({4, 3, 2}, {1, 4, 3}));
  EXPECT_EQ(names(net, 0, 1), (std::vector<std::string>{"node0-up", "node1-down"}));
  // To node 23: port 23 mod 4 of the leaf, then floor(23 / 4) mod 3.
  EXPECT_EQ(names(net, 0, 23), (std::vector<std::string>{"node0-up", "leaf0-up3", "level2.3-up2",
                                                         "level2.7-down2", "leaf5-down3", "node23-down"}));
}

TEST(FatTree, WithoutTaperAShiftPermutationLoadsNoLinkTwice) {
  EXPECT_EQ(busiest_shift(FatTree(tree({4, 4}, {1, 4}))), 1);
  EXPECT_EQ(busiest_shift(FatTree(tree({4, 4}, {1, 2}, {1, 2}))), 1);  // two cables to each of two parents
  EXPECT_EQ(busiest_shift(FatTree(tree({4, 4, 4}, {1, 4, 4}))), 1);
  EXPECT_EQ(busiest_shift(FatTree(tree({6, 3, 2}, {1, 6, 3}))), 1);
}

TEST(FatTree, TaperedShiftPermutationsLoadLinksByTheTaper) {
  EXPECT_EQ(busiest_shift(FatTree(tree({4, 4}, {1, 2}))), 2);
  EXPECT_EQ(busiest_shift(FatTree(tree({8, 4}, {1, 2}))), 4);
}

TEST(FatTree, BisectionIsThatOfTheWeakestLevel) {
  // Bandwidths by level: 1e12, 5e11 bytes/s.
  EXPECT_DOUBLE_EQ(FatTree(tree({4, 4}, {1, 4})).bisection(), 8 * 5e11);
  EXPECT_DOUBLE_EQ(FatTree(tree({4, 4}, {1, 2})).bisection(), 4 * 5e11);
  EXPECT_DOUBLE_EQ(FatTree(tree({4, 4}, {1, 16})).bisection(), 8 * 1e12);
  EXPECT_DOUBLE_EQ(FatTree(tree({8}, {1})).bisection(), 4 * 1e12);
  EXPECT_DOUBLE_EQ(FatTree(tree({8, 1}, {1, 1})).bisection(), 4 * 1e12);  // the upper level carries nothing
}

// --- torus

TorusShape torus(std::vector<int> sizes) {
  TorusShape shape;
  for (std::size_t d = 0; d < sizes.size(); ++d)
    shape.dimensions.push_back({sizes[d], cable(d == 0 ? 10 : d == 1 ? 300 : 5000)});
  return shape;
}

TEST(Torus, HopsAreTheShorterWaysOfAllDimensions) {
  for (const std::vector<int>& sizes :
       {std::vector{4, 3, 5}, std::vector{2, 6}, std::vector{7}, std::vector{1, 4, 1, 2}}) {
    const Torus net(torus(sizes));
    EXPECT_EQ(check(net), 0);
    EXPECT_EQ(torus(sizes).links(), net.links());
    for (int from = 0; from < net.nodes(); ++from)
      for (int to = 0; to < net.nodes(); ++to) {
        int hops = 0, a = from, b = to;
        Interval latency;
        for (std::size_t d = 0; d < sizes.size(); ++d) {
          const int apart = std::abs(a % sizes[d] - b % sizes[d]);
          const int here = std::min(apart, sizes[d] - apart);
          hops += here;
          latency += ps(d == 0 ? 10 : d == 1 ? 300 : 5000) * here;
          a /= sizes[d];
          b /= sizes[d];
        }
        EXPECT_EQ(route(net, from, to).size(), static_cast<std::size_t>(hops));
        EXPECT_EQ(net.latency(from, to), latency);
      }
  }
}

TEST(Torus, GoesDimensionByDimensionAndATieToGrowingCoordinates) {
  const Torus net(torus({4, 4}));
  EXPECT_EQ(names(net, 0, 10), (std::vector<std::string>{"node0-x+", "node1-x+", "node2-y+", "node6-y+"}));
  EXPECT_EQ(names(net, 10, 0), (std::vector<std::string>{"node10-x+", "node11-x+", "node8-y+", "node12-y+"}));
  EXPECT_EQ(names(net, 0, 15), (std::vector<std::string>{"node0-x-", "node3-y-"}));
  EXPECT_EQ(names(Torus(torus({1, 1, 1, 2})), 0, 1), (std::vector<std::string>{"node0-d4+"}));
}

TEST(Torus, EveryRouteIsConnected) {
  const Torus net(torus({4, 3, 2}));
  const int strides[] = {1, 4, 12}, sizes[] = {4, 3, 2};
  for (int from = 0; from < 24; ++from)
    for (int to = 0; to < 24; ++to) {
      int node = from;
      for (const std::string& name : names(net, from, to)) {
        EXPECT_EQ(name.substr(0, name.find('-')), "node" + std::to_string(node));
        const int d = name[name.size() - 2] - 'x', size = sizes[d], at = node / strides[d] % size;
        node += ((at + (name.back() == '+' ? 1 : size - 1)) % size - at) * strides[d];
      }
      EXPECT_EQ(node, to);
    }
}

TEST(Torus, BisectionIsThatOfTheWeakestDimension) {
  EXPECT_DOUBLE_EQ(Torus(torus({4, 4, 4})).bisection(), 2 * 16 * 1e9);
  EXPECT_DOUBLE_EQ(Torus(torus({8, 4, 2})).bisection(), 2 * 8 * 1e9);
  EXPECT_DOUBLE_EQ(Torus(torus({2, 2})).bisection(), 2 * 1e9);  // one cable between two nodes
  EXPECT_DOUBLE_EQ(Torus(torus({6, 1})).bisection(), 2 * 1e9);
}

// --- star and lists

TEST(Star, PassesTheCablesOfBothNodesAndTheBackbone) {
  const Star plain({4, cable(10, 1'000), {}});
  EXPECT_EQ(check(plain), 0);
  EXPECT_EQ(names(plain, 0, 3), (std::vector<std::string>{"node0-up", "node3-down"}));
  EXPECT_EQ(plain.latency(2, 1), ps(20));
  EXPECT_DOUBLE_EQ(plain.bisection(), 2e12);
  const Star shared({4, cable(10, 1'000), fs(500)});
  EXPECT_EQ(check(shared), 0);
  EXPECT_EQ(shared.links(), 9);
  EXPECT_EQ(names(shared, 0, 3), (std::vector<std::string>{"node0-up", "backbone", "node3-down"}));
  EXPECT_EQ(shared.gap_per_byte(8), fs(500));
  EXPECT_DOUBLE_EQ(Star({4, cable(10, 1'000), fs(4'000)}).bisection(), 2.5e11);
}

const std::vector<ListedLink> three = {{"a", ps(1), fs(10)}, {"b", ps(20), fs(10)}, {"c", ps(300), fs(10)}};

TEST(ListedLinks, TheWayBackIsTheReverseUnlessItIsSaid) {
  const ListedLinks net(3, three,
                        {{{0}, {1}, {0, 1}, false},
                         {{0}, {2}, {0, 2}, false},
                         {{2}, {0}, {1}, false},
                         {{1, 2}, {1, 2}, {}, false}});
  EXPECT_FALSE(net.repeated());
  EXPECT_EQ(net.unconnected().from, net.unconnected().to);
  EXPECT_EQ(check(net), 0);
  EXPECT_EQ(names(net, 0, 1), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(names(net, 1, 0), (std::vector<std::string>{"b", "a"}));
  EXPECT_EQ(names(net, 0, 2), (std::vector<std::string>{"a", "c"}));
  EXPECT_EQ(names(net, 2, 0), (std::vector<std::string>{"b"}));
  EXPECT_EQ(net.latency(0, 2), ps(301));
  EXPECT_EQ(net.latency(1, 2), ps(0));
}

TEST(ListedLinks, OneWayRoutesHaveNoWayBack) {
  const ListedLinks net(2, three, {{{0}, {1}, {0}, true}});
  EXPECT_EQ(net.unconnected().from, 1);
  EXPECT_EQ(net.unconnected().to, 0);
}

TEST(ListedLinks, FindsPairsWithoutARouteAndPairsWithTwo) {
  const ListedLinks missing(4, three, {{{0, 1}, {2, 3}, {0}, false}, {{0}, {1}, {}, false}});
  EXPECT_EQ(missing.unconnected().from, 2);
  EXPECT_EQ(missing.unconnected().to, 3);
  const ListedLinks twice(
      4, three, {{{0, 1}, {2, 3}, {0}, false}, {{2}, {1}, {}, false}, {{1, 3}, {3, 2}, {1}, false}});
  ASSERT_TRUE(twice.repeated());
  EXPECT_EQ(twice.repeated()->route, 2u);
  EXPECT_EQ(twice.repeated()->from, 1);
}

// Two sites of a thousand nodes: the memory used does not grow with the number of pairs.
// Its messages share nothing: contention has no place for them.
TEST(ListedLinks, AnEmptyRouteSharesNothing) {
  const auto net = std::make_shared<ListedLinks>(
      3, three, std::vector<ListedRoute>{{{0}, {1}, {}, false}, {{0, 1}, {2}, {0}, false}});
  const Resources resources({}, {{0, 0}, {1, 0}, {2, 0}}, net);
  EXPECT_FALSE(resources.meet(0, 1));
  EXPECT_FALSE(resources.meet(1, 0));
  EXPECT_TRUE(resources.meet(1, 2));
}

TEST(ListedLinks, ManyNodesInFewClasses) {
  std::vector<int> here, there;
  for (int node = 0; node < 1000; ++node) {
    here.push_back(node);
    there.push_back(node + 1000);
  }
  const ListedLinks net(
      2000, three, {{here, here, {0}, false}, {there, there, {1}, false}, {here, there, {0, 2, 1}, false}});
  EXPECT_FALSE(net.repeated());
  EXPECT_EQ(net.unconnected().from, net.unconnected().to);
  EXPECT_EQ(names(net, 1500, 7), (std::vector<std::string>{"b", "c", "a"}));
  EXPECT_EQ(names(net, 999, 998), (std::vector<std::string>{"a"}));
  EXPECT_EQ(net.least_latency(), ps(1));
}

}  // namespace
}  // namespace emu::model
