// Dragonflies: the links between the groups, and minimality of every route.
#include "model/topologies/dragonfly.h"

#include <gtest/gtest.h>

#include <map>

#include "topologies_check.h"

namespace emu::model {
namespace {

DragonflyShape dragonfly(int groups, int routers, int nodes, int global, Arrangement arrangement) {
  return {
      groups, routers, nodes, global, arrangement, cable(10, 1'000), cable(300, 2'000), cable(5000, 4'000)};
}

TEST(Dragonfly, EveryGlobalPortHasAnOtherEnd) {
  for (const Arrangement arrangement : {Arrangement::consecutive, Arrangement::palm_tree})
    for (const auto& [groups, routers, global] :
         {std::tuple{9, 4, 2}, {5, 4, 2}, {3, 2, 1}, {2, 3, 3}, {4, 5, 2}}) {
      const Dragonfly net(dragonfly(groups, routers, 2, global, arrangement));
      const int copies = routers * global / (groups - 1);
      EXPECT_EQ(net.global_ports(), copies * (groups - 1));
      for (int group = 0; group < groups; ++group) {
        std::map<int, int> cables;
        for (int port = 0; port < net.global_ports(); ++port) {
          const Dragonfly::Port other = net.other_end({group, port}), back = net.other_end(other);
          EXPECT_NE(other.group, group);
          EXPECT_EQ(back.group, group);
          EXPECT_EQ(back.port, port);
          ++cables[other.group];
        }
        EXPECT_EQ(cables.size(), static_cast<std::size_t>(groups - 1));
        for (const auto& [other, number] : cables) EXPECT_EQ(number, copies) << other;
      }
    }
}

TEST(Dragonfly, Arrangements) {
  const Dragonfly consecutive(dragonfly(5, 2, 1, 2, Arrangement::consecutive));
  const Dragonfly palm(dragonfly(5, 2, 1, 2, Arrangement::palm_tree));
  std::vector<int> leads;
  for (int port = 0; port < 4; ++port) leads.push_back(consecutive.other_end({1, port}).group);
  EXPECT_EQ(leads, (std::vector<int>{0, 2, 3, 4}));
  leads.clear();
  for (int port = 0; port < 4; ++port) leads.push_back(palm.other_end({1, port}).group);
  EXPECT_EQ(leads, (std::vector<int>{0, 4, 3, 2}));
}

// A route has at most one local, one global and one local link; each link begins where the previous one ended.
TEST(Dragonfly, EveryRouteIsMinimalAndConnected) {
  for (const Arrangement arrangement : {Arrangement::consecutive, Arrangement::palm_tree})
    for (const auto& [groups, routers, nodes, global] :
         {std::tuple{9, 4, 2, 2}, {5, 4, 1, 2}, {3, 2, 3, 1}, {1, 4, 2, 1}, {4, 1, 2, 3}, {2, 3, 2, 3}}) {
      const Dragonfly net(dragonfly(groups, routers, nodes, global, arrangement));
      check(net);
      for (int from = 0; from < net.nodes(); ++from)
        for (int to = 0; to < net.nodes(); ++to) {
          if (from == to) continue;
          const auto path = names(net, from, to);
          ASSERT_GE(path.size(), 2u);
          ASSERT_LE(path.size(), 5u);
          EXPECT_EQ(path.front(), "node" + std::to_string(from) + "-up");
          EXPECT_EQ(path.back(), "node" + std::to_string(to) + "-down");
          int group = from / nodes / routers, router = from / nodes % routers;
          std::string kinds;
          for (std::size_t i = 1; i + 1 < path.size(); ++i) {
            const std::string at = "router" + std::to_string(group) + "." + std::to_string(router) + "-";
            ASSERT_EQ(path[i].substr(0, at.size()), at) << from << " " << to;
            const std::string rest = path[i].substr(at.size());
            if (rest.starts_with("to")) {
              kinds += 'l';
              router = std::stoi(rest.substr(2));
            } else {
              kinds += 'g';
              const auto other = net.other_end({group, router * global + std::stoi(rest.substr(6))});
              group = other.group;
              router = other.port / global;
            }
          }
          EXPECT_EQ(group, to / nodes / routers);
          EXPECT_EQ(router, to / nodes % routers);
          EXPECT_TRUE(kinds.empty() || kinds == "l" || kinds == "g" || kinds == "lg" || kinds == "gl" ||
                      kinds == "lgl")
              << kinds;
          const auto locals = std::count(kinds.begin(), kinds.end(), 'l');
          const auto globals = std::count(kinds.begin(), kinds.end(), 'g');
          EXPECT_EQ(net.latency(from, to), ps(20 + 300 * locals + 5000 * globals));
        }
    }
}

TEST(Dragonfly, SeveralCablesBetweenTwoGroupsAreTakenByDestination) {
  const Dragonfly net(dragonfly(2, 2, 4, 2, Arrangement::consecutive));  // four cables
  EXPECT_EQ(check(net), 0);
  std::map<std::string, int> load;
  for (int to = 8; to < 16; ++to)
    for (const std::string& name : names(net, 0, to))
      if (name.find("global") != std::string::npos) ++load[name];
  EXPECT_EQ(load.size(), 4u);
  for (const auto& [name, number] : load) EXPECT_EQ(number, 2) << name;
}

TEST(Dragonfly, Bisection) {
  EXPECT_DOUBLE_EQ(Dragonfly(dragonfly(4, 3, 8, 1, Arrangement::palm_tree)).bisection(), 4 * 2.5e11);
  EXPECT_DOUBLE_EQ(Dragonfly(dragonfly(1, 4, 8, 1, Arrangement::palm_tree)).bisection(), 4 * 5e11);
  EXPECT_DOUBLE_EQ(Dragonfly(dragonfly(1, 1, 8, 1, Arrangement::palm_tree)).bisection(), 4 * 1e12);
}

}  // namespace
}  // namespace emu::model
