// [topology] of a target: valid values of each kind, and each kind of error with its message.
#include <gtest/gtest.h>

#include "model/topologies/dragonfly.h"
#include "model/topologies/fat_tree.h"
#include "model/topologies/star.h"
#include "model/topologies/torus.h"
#include "target/target.h"

namespace emu::target {
namespace {

// 10 lines.
const std::string head = R"(name = "linked"
compute = "declared"
[network]
latency = "1us"
gap_per_byte = "100ps"
eager_limit = "64KiB"
send = { fixed = "1us" }
receive = { fixed = "1us" }
[[node]]
count = 8
)";

Target good(const std::string& topology) {
  auto t = parse(head + "[topology]\n" + topology, "x.toml");
  EXPECT_TRUE(t) << t.error().message;
  return t ? *t : Target();
}

template <class Kind>
std::shared_ptr<const Kind> as(const Target& t) {
  auto result = std::dynamic_pointer_cast<const Kind>(t.interconnect);
  EXPECT_TRUE(result);
  return result;
}

// Expects the whole message, one line. `topology` begins in line 12.
void expect_error(const std::string& topology, const std::string& message) {
  const auto t = parse(head + "[topology]\n" + topology, "x.toml");
  ASSERT_FALSE(t) << "expected: " << message;
  EXPECT_EQ(t.error().message, "x.toml:" + message);
}

std::vector<std::string> names(const model::Interconnect& net, int from, int to) {
  std::vector<std::int32_t> links;
  net.route(from, to, links);
  std::vector<std::string> result;
  for (const std::int32_t link : links) result.push_back(net.name(link));
  return result;
}

TEST(Topology, IsOptional) {
  const auto t = parse(head, "x.toml");
  ASSERT_TRUE(t);
  EXPECT_FALSE(t->interconnect);
  EXPECT_FALSE(t->topology(8).interconnect);
  EXPECT_EQ(t->network.nodes.share, model::Share::fair);
}

TEST(Topology, IsHandedToTheNetworkAndShares) {
  const Target t = good("kind = \"star\"\nbandwidth = \"10Gbit/s\"\nlatency = \"200ns\"\n");
  EXPECT_EQ(t.topology(3).interconnect, t.interconnect);
  EXPECT_EQ(t.network.nodes.share, model::Share::fair);
  EXPECT_EQ(good("kind = \"star\"\nbandwidth = \"10Gbit/s\"\nshare = \"fifo\"\n").network.nodes.share,
            model::Share::fifo);
}

TEST(Topology, Star) {
  const auto plain =
      as<model::Star>(good("kind = \"star\"\nbandwidth = \"10Gbit/s\"\nlatency = \"200ns\"\n"));
  EXPECT_EQ(plain->nodes(), 8);
  EXPECT_EQ(plain->links(), 16);
  EXPECT_EQ(plain->gap_per_byte(3), Rate::femtoseconds_per_byte(800'000));
  EXPECT_EQ(plain->latency(0, 1), Interval::picoseconds(400'000));
  const auto shared =
      as<model::Star>(good("kind = \"star\"\nbandwidth = \"10Gbit/s\"\nbackbone = \"40Gbit/s\"\n"));
  EXPECT_EQ(shared->links(), 17);
  EXPECT_EQ(shared->gap_per_byte(16), Rate::femtoseconds_per_byte(200'000));
  EXPECT_EQ(shared->latency(0, 1), Interval());
}

TEST(Topology, FatTree) {
  const auto full =
      as<model::FatTree>(good("kind = \"fat-tree\"\ndown = [4, 2]\nbandwidth = \"100Gbit/s\"\n"));
  EXPECT_EQ(full->links(), 2 * (8 + 2 * 4));
  const auto tapered =
      as<model::FatTree>(good("kind = \"fat-tree\"\ndown = [4, 2, 3]\ntaper = 2\nbandwidth = [\"100Gbit/s\", "
                              "\"200Gbit/s\", \"400Gbit/s\"]\n"
                              "latency = [\"10ns\", \"20ns\", \"30ns\"]\n"));
  EXPECT_EQ(tapered->nodes(), 24);
  EXPECT_EQ(tapered->ports(1), 2);
  EXPECT_EQ(tapered->ports(2), 2);
  EXPECT_EQ(tapered->gap_per_byte(0), Rate::femtoseconds_per_byte(80'000));
  EXPECT_EQ(tapered->gap_per_byte(2 * 24), Rate::femtoseconds_per_byte(40'000));
  EXPECT_EQ(tapered->latency(0, 23), Interval::picoseconds(120'000));
  const auto parallel = as<model::FatTree>(
      good("kind = \"fat-tree\"\ndown = [4, 4]\nup = [1, 2]\nparallel = [1, 2]\nbandwidth = \"1GB/s\"\n"));
  EXPECT_EQ(parallel->ports(1), 4);
  EXPECT_EQ(parallel->elements(2), 2);
  // Default values: four ports up, two cables to each of two parents.
  const auto derived = as<model::FatTree>(
      good("kind = \"fat-tree\"\ndown = [4, 4]\nparallel = [1, 2]\nbandwidth = \"1GB/s\"\n"));
  EXPECT_EQ(derived->ports(1), 4);
  EXPECT_EQ(derived->elements(2), 2);
  const auto by_a_third =
      as<model::FatTree>(good("kind = \"fat-tree\"\ndown = [6, 4]\ntaper = 1.5\nbandwidth = \"1GB/s\"\n"));
  EXPECT_EQ(by_a_third->ports(1), 4);
}

TEST(Topology, Torus) {
  const auto net =
      as<model::Torus>(good("kind = \"torus\"\ndimensions = [2, 2, 2]\nbandwidth = [\"1GB/s\", \"2GB/s\", "
                            "\"4GB/s\"]\nlatency = \"50ns\"\n"));
  EXPECT_EQ(net->nodes(), 8);
  EXPECT_EQ(net->links(), 24);
  EXPECT_EQ(net->gap_per_byte(2), Rate::femtoseconds_per_byte(250'000));
  EXPECT_EQ(net->latency(0, 7), Interval::picoseconds(150'000));
}

TEST(Topology, Dragonfly) {
  const std::string some = "kind = \"dragonfly\"\ngroups = 3\nrouters = 2\nnodes = 2\nglobal_links = 1\n";
  const auto net = as<model::Dragonfly>(
      good(some +
           "bandwidth = [\"25GB/s\", \"25GB/s\", \"12.5GB/s\"]\nlatency = [\"0ns\", \"30ns\", \"300ns\"]\n"));
  EXPECT_EQ(net->nodes(), 12);
  EXPECT_EQ(net->links(), 24 + 6 + 6);
  EXPECT_EQ(net->shape().arrangement, model::Arrangement::consecutive);
  EXPECT_EQ(net->shape().global.latency, Interval::picoseconds(300'000));
  EXPECT_EQ(as<model::Dragonfly>(good(some + "arrangement = \"palm-tree\"\nbandwidth = \"25GB/s\"\n"))
                ->shape()
                .arrangement,
            model::Arrangement::palm_tree);
}

// Two sites of four nodes, with a line of half the speed in one direction.
const std::string sites = R"(kind = "links"
[[topology.link]]
name = "here"
bandwidth = "10Gbit/s"
[[topology.link]]
name = "there"
bandwidth = "10Gbit/s"
latency = "10us"
[[topology.link]]
name = "between"
bandwidth = "1Gbit/s"
latency = "5ms"
[[topology.route]]
from = "0-3"
to = "0-3"
via = ["here"]
[[topology.route]]
from = "4-7"
to = "4-7"
via = "there"
)";  // 20 lines: 12 to 31

TEST(Topology, Links) {
  const Target t = good(
      sites +
      "[[topology.route]]\nfrom = [0, 1, 2, 3]\nto = \"4-7\"\nvia = [\"here\", \"between\", \"there\"]\n");
  EXPECT_EQ(t.interconnect->links(), 3);
  EXPECT_EQ(names(*t.interconnect, 7, 0), (std::vector<std::string>{"there", "between", "here"}));
  EXPECT_EQ(names(*t.interconnect, 1, 0), (std::vector<std::string>{"here"}));
  EXPECT_EQ(t.interconnect->latency(0, 4), Interval::picoseconds(5'010'000'000));
  EXPECT_EQ(t.interconnect->least_latency(), Interval());
}

TEST(Topology, WrongLinksAndRoutes) {
  const auto route = [](const std::string& rest) { return sites + "[[topology.route]]\n" + rest; };
  expect_error(sites,
               "24: topology.route: no route from node 0 to node 4 (expected a [[topology.route]] for "
               "each pair of nodes)");
  expect_error(route("from = \"0-3\"\nto = \"4-7\"\nvia = []\noneway = true\n"),
               "24: topology.route: no route from node 4 to node 0 (expected a [[topology.route]] for "
               "each pair of nodes)");
  expect_error(route("from = 0\nto = 4\nvia = [\"here\", \"betwen\"]\n"),
               "35: topology.route.via: unknown link: \"betwen\" (expected the name of a [[topology.link]])");
  expect_error(route("from = 0\nto = 4\nvia = [\"here\", \"here\"]\n"),
               "35: topology.route.via: duplicate link: \"here\" (expected each link once)");
  expect_error(
      route("from = 0\nto = 4\nvia = 3\n"),
      "35: topology.route.via: invalid value (expected a list of names of links, such as [\"uplink0\"])");
  expect_error(route("from = 0\nto = 4\n"),
               "32: topology.route.via: missing (expected such as via = [\"uplink0\", \"uplink1\"])");
  expect_error(route("from = 0\nto = 8\nvia = []\n"),
               "34: topology.route.to: invalid node: 8 (expected 0 to 7)");
  expect_error(route("from = 3\nto = 3\nvia = []\n"),
               "34: topology.route.to: invalid node: 3 (expected another one than from: messages inside a "
               "node pass no links)");
  expect_error(route("from = 2\nto = \"3-7\"\nvia = []\n"),
               "33: topology.route.from: duplicate route from node 2 to node 3 (expected each pair once)");
  expect_error(
      "kind = \"links\"\n[[topology.link]]\nname = \"a\"\n[[topology.route]]\nfrom = 0\nto = \"all\"\nvia = "
      "[]\n",
      "13: topology.link.bandwidth: missing (expected such as bandwidth = \"10Gbit/s\")");
  expect_error(
      "kind = \"links\"\n[[topology.link]]\nname = \"a\"\nbandwidth = \"1GB/s\"\n[[topology.link]]\nname = "
      "\"a\"\n"
      "bandwidth = \"1GB/s\"\n[[topology.route]]\nfrom = 0\nto = \"all\"\nvia = []\n",
      "17: topology.link.name: duplicate name of a link: \"a\"");
}

TEST(Topology, WrongKinds) {
  expect_error(
      "kind = \"fat tree\"\n",
      "12: topology.kind: unknown value: \"fat tree\" (expected \"fat-tree\", \"torus\", \"dragonfly\", "
      "\"star\" or \"links\")");
  expect_error("bandwidth = \"1GB/s\"\n",
               "11: topology.kind: missing (expected such as kind = \"fat-tree\")");
  expect_error("kind = \"star\"\nbandwidth = \"1GB/s\"\nshare = \"fare\"\n",
               "14: topology.share: unknown value: \"fare\" (expected \"fair\" or \"fifo\")");
  expect_error("kind = \"star\"\nbandwidth = \"1GB/s\"\ndown = [4, 2]\n",
               "14: topology.down: unknown key for kind = \"star\" (expected only for kind = \"fat-tree\")");
  expect_error(
      "kind = \"star\"\nbandwidth = \"1GB/s\"\ngroups = 4\n",
      "14: topology.groups: unknown key for kind = \"star\" (expected only for kind = \"dragonfly\")");
  expect_error("kind = \"torus\"\ndimensions = [8]\nbandwidth = \"1GB/s\"\ntapre = 2\n",
               "15: topology.tapre: unknown key (did you mean \"taper\"?)");
  expect_error(
      "bandwidth = \"1GB/s\"\n" + sites + "[[topology.route]]\nfrom = \"0-3\"\nto = \"4-7\"\nvia = []\n",
      "12: topology.bandwidth: unknown key for kind = \"links\" (expected in each [[topology.link]])");
  for (const std::string medium : {"bus", "grid"}) {
    std::string text = head + "[topology]\nkind = \"star\"\nbandwidth = \"1GB/s\"\n";
    text.replace(text.find("eager"), 0,
                 "medium = \"" + medium + "\"\n" + (medium == "grid" ? "columns = 2\n" : ""));
    const auto t = parse(text, "x.toml");
    ASSERT_FALSE(t);
    EXPECT_EQ(t.error().message, "x.toml:" + std::string(medium == "grid" ? "14" : "13") +
                                     ": topology.kind: excludes network.medium = \"" + medium +
                                     "\" (expected \"switch\")");
  }
}

TEST(Topology, WrongBandwidthsAndLatencies) {
  expect_error("kind = \"star\"\n",
               "11: topology.bandwidth: missing (expected such as bandwidth = \"10Gbit/s\")");
  expect_error("kind = \"star\"\nbandwidth = \"0Gbit/s\"\n",
               "13: topology.bandwidth: invalid rate: \"0Gbit/s\" (expected above 0)");
  expect_error("kind = \"star\"\nbandwidth = \"0us\"\n",
               "13: topology.bandwidth: infinite bandwidth: \"0us\" (expected a rate such as \"10Gbit/s\")");
  expect_error("kind = \"star\"\nbandwidth = \"1B/s\"\n",
               "13: topology.bandwidth: invalid bandwidth: \"1B/s\" (expected \"1kB/s\" or more)");
  expect_error("kind = \"star\"\nbandwidth = 10\n",
               "13: topology.bandwidth: invalid bandwidth (expected a rate such as \"10Gbit/s\")");
  expect_error("kind = \"star\"\nbandwidth = \"1GB/s\"\nbackbone = \"0GB/s\"\n",
               "14: topology.backbone: invalid rate: \"0GB/s\" (expected above 0)");
  expect_error(
      "kind = \"star\"\nbandwidth = \"1GB/s\"\nlatency = 3\n",
      "14: topology.latency: invalid value: a number without a unit (expected text in quotes, such as "
      "\"12.1us\")");
  expect_error("kind = \"fat-tree\"\ndown = [4, 2]\nbandwidth = [\"1GB/s\"]\n",
               "14: topology.bandwidth: invalid value: a list of 1 (expected one value, or 2: that of the "
               "nodes, then of "
               "each level of switches)");
  expect_error(
      "kind = \"torus\"\ndimensions = [4, 2]\nbandwidth = \"1GB/s\"\nlatency = [\"1us\", \"1us\", \"1us\"]\n",
      "15: topology.latency: invalid value: a list of 3 (expected one value, or 2: one for each dimension)");
  expect_error(
      "kind = \"dragonfly\"\ngroups = 3\nrouters = 2\nnodes = 2\nglobal_links = 1\nbandwidth = [\"1GB/s\", "
      "\"0B/s\", \"1GB/s\"]\n",
      "17: topology.bandwidth: invalid rate: \"0B/s\" (expected above 0)");
}

TEST(Topology, WrongShapes) {
  const std::string rate = "bandwidth = \"1GB/s\"\n";
  expect_error("kind = \"fat-tree\"\n" + rate,
               "11: topology.down: missing (expected such as down = [16, 4])");
  expect_error("kind = \"fat-tree\"\ndown = 8\n" + rate,
               "13: topology.down: invalid value (expected a list of whole numbers, such as down = [16, 4])");
  expect_error("kind = \"fat-tree\"\ndown = [8, 0]\n" + rate,
               "13: topology.down: invalid entry 1 (expected a whole number from 1 to 1000000, such as down "
               "= [16, 4])");
  expect_error("kind = \"fat-tree\"\ndown = [4, 2]\nup = [1]\n" + rate,
               "14: topology.up: invalid value: a list of 1 (expected 2, one for each level)");
  expect_error("kind = \"fat-tree\"\ndown = [4, 2]\nup = [1, 2]\ntaper = 2\n" + rate,
               "15: topology.taper: taper and up exclude each other (expected one of them)");
  expect_error("kind = \"fat-tree\"\ndown = [4, 2]\ntaper = 3\n" + rate,
               "14: topology.taper: leaves a switch of level 1 with 1.33333 up ports, on 1 cable to each "
               "parent (expected up = "
               "[...], the parents of each level)");
  expect_error("kind = \"fat-tree\"\ndown = [4, 2]\ntaper = 0.5\n" + rate,
               "14: topology.taper: invalid number: below 1 (expected the down ports of a leaf switch for "
               "each of its up "
               "ports, such as 2)");
  expect_error("kind = \"fat-tree\"\ndown = [3, 2]\nup = [1, 1]\n" + rate,
               "13: topology.down: too small: 6 nodes (expected at least 8, the target's)");
  expect_error("kind = \"torus\"\ndimensions = [7]\n" + rate,
               "13: topology.dimensions: too small: 7 nodes (expected at least 8, the target's)");
  expect_error("kind = \"torus\"\ndimensions = [1000000, 1000000]\n" + rate,
               "13: topology.dimensions: too large: 1e+12 nodes and 4e+12 links (expected at most 1000000 "
               "and 10000000)");
  expect_error("kind = \"torus\"\n" + rate,
               "11: topology.dimensions: missing (expected such as dimensions = [4, 4, 4])");
  expect_error(
      "kind = \"dragonfly\"\ngroups = 6\nrouters = 2\nnodes = 2\nglobal_links = 2\n" + rate,
      "16: topology.global_links: gives a group 4 links to the other 5 groups (expected one for each "
      "of them, over all "
      "routers of a group, or more)");
  expect_error("kind = \"dragonfly\"\ngroups = 1\nrouters = 2\nnodes = 2\nglobal_links = 2\n" + rate,
               "13: topology.groups: too small: 4 nodes (expected at least 8, the target's)");
  expect_error("kind = \"dragonfly\"\ngroups = 3\nrouters = 2\nnodes = 2\n" + rate,
               "11: topology.global_links: missing (expected such as global_links = 64)");
}

}  // namespace
}  // namespace emu::target
