// emu calibrate --from FILE --format smpi: platform files of SimGrid.
#include "calibrate/platform.h"

#include <gtest/gtest.h>

#include "calibrate/piecewise.h"

namespace emu::app::calibration {
namespace {

Imported read_text(const std::string& text) {
  Imported all;
  const auto done = read_platform(all, text, "x");
  EXPECT_TRUE(done) << done.error().message;
  return all;
}

std::string error_in(const std::string& text) {
  Imported all;
  const auto done = read_platform(all, text, "x");
  EXPECT_FALSE(done);
  return done ? "" : done.error().message;
}

// Half a round trip of a message of this many bytes.
double way(const Imported& all, double bytes) {
  for (const Point& p : all.points.at("half_roundtrip"))
    if (p.bytes == bytes) return p.seconds;
  ADD_FAILURE() << "no time of " << bytes << " B";
  return 0;
}

double latency(const Imported& all) { return way(all, 1) - (way(all, 2) - way(all, 1)); }
double rate(const Imported& all) { return 1 / (way(all, 2) - way(all, 1)); }

TEST(Platform, ParametersOfSmpi) {
  const Imported all = read_text(
      "<prop id=\"smpi/os\" value=\"0:1e-6:1e-10;1000:2e-6:0\"/>\n<prop id=\"smpi/or\" value=\"0:3e-6:0\"/>\n"
      "<prop id=\"smpi/bw-factor\" value=\"0:0.5\"/>\n<prop id=\"smpi/lat-factor\" value=\"0:2\"/>\n"
      "<link id=\"l\" bandwidth=\"8Gbps\" latency=\"10us\"/>\n");
  const Point& first = all.points.at("half_roundtrip").front();
  EXPECT_EQ(first.bytes, 1);
  EXPECT_NEAR(first.seconds, 1e-6 + 1e-10 + 3e-6 + 20e-6 + 1 / 0.5e9, 1e-12);
  EXPECT_NEAR(all.points.at("send").back().seconds, 2e-6, 1e-15);
  EXPECT_EQ(error_in("<link bandwidth=\"1Gbps\" latency=\"1us\"/><prop id=\"smpi/os\" value=\"0:fast\"/>"),
            "x: invalid value of smpi/os: \"0:fast\" (expected SIZE:NUMBER or SIZE:NUMBER:NUMBER)");
  EXPECT_EQ(error_in("<prop/>"),
            "x: holds no path with latency and bandwidth (expected a <route> between hosts, a <cluster> or a "
            "<link>)");
}

TEST(Platform, AttributesInAnyOrderAndQuotes) {
  const Imported all = read_text(
      "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n<platform "
      "version='4.1'>\n"
      "<config><prop value = '0:0.5' id = 'smpi/bw-factor'/></config>\n"
      "<!-- <link id=\"old\" bandwidth=\"1kBps\" latency=\"1s\"/> <prop id=\"smpi/lat-factor\" value=\"9\"/> "
      "-->\n"
      "<zone id='z' routing='Full'><link latency='10us' sharing_policy='SHARED' bandwidth='8Gbps' "
      "id='l'/></zone>\n"
      "</platform>\n");
  EXPECT_NEAR(latency(all), 10e-6, 1e-12);
  EXPECT_NEAR(rate(all), 0.5e9, 1);
  EXPECT_EQ(error_in("<platform>\n<link>\n</platform>").substr(0, 4), "x:3:");
}

TEST(Platform, Units) {
  const std::pair<const char*, double> rates[] = {
      {"1E9", 1e9},          {"8Tbps", 1e12}, {"8Gibps", 1073741824.0},
      {"2MiBps", 2097152.0}, {"4TBps", 4e12}, {"1TiBps", 1099511627776.0},
      {"16Kibps", 2048.0}};
  for (const auto& [text, bytes] : rates)
    EXPECT_NEAR(rate(read_text(std::string("<link id='l' latency='0' bandwidth='") + text + "'/>")) / bytes,
                1, 1e-6)
        << text;
  const std::pair<const char*, double> times[] = {
      {"1.0E-4", 1e-4}, {"3ms", 3e-3}, {"700ps", 7e-10}, {"5ns", 5e-9}, {"2s", 2}};
  for (const auto& [text, seconds] : times)
    EXPECT_NEAR(
        latency(read_text(std::string("<link id='l' bandwidth='1TBps' latency='") + text + "'/>")) / seconds,
        1, 1e-6)
        << text;
  // A bandwidth is no time.
  EXPECT_EQ(error_in("<link id=\"l\" bandwidth=\"10us\" latency=\"1us\"/>"),
            "x: invalid bandwidth of link \"l\": \"10us\" (expected such as \"10Gbps\" or \"1.25GBps\")");
  EXPECT_EQ(error_in("<link id=\"l\" bandwidth=\"1Gbps\" latency=\"1 us\"/>"),
            "x: invalid latency of link \"l\": \"1 us\" (expected such as \"24us\")");
  EXPECT_EQ(error_in("<link id=\"l\" bandwidth=\"0Gbps\" latency=\"1us\"/>"),
            "x: invalid bandwidth of link \"l\": \"0Gbps\" (expected such as \"10Gbps\" or \"1.25GBps\")");
}

// As in SimGrid: in any order, above their size; below the first one nothing changes.
TEST(Platform, FactorsBySize) {
  const std::string link = "<link id=\"l\" bandwidth=\"1GBps\" latency=\"0\"/>";
  const Imported all = read_text(link + "<prop id=\"smpi/bw-factor\" value=\"60000:0.5;1000:0.25;\"/>");
  EXPECT_NEAR(way(all, 1000), 1000e-9, 1e-15);
  EXPECT_NEAR(way(all, 1001), 4004e-9, 1e-15);
  EXPECT_NEAR(way(all, 60000), 240000e-9, 1e-15);
  EXPECT_NEAR(way(all, 60001), 120002e-9, 1e-15);
  EXPECT_NEAR(rate(read_text(link + "<prop id=\"network/bandwidth_factor\" value=\"0.8\"/>")), 0.8e9, 1);
  // Times may have units, and there may be more numbers than are used.
  const Imported overheads = read_text(
      link + "<prop id=\"smpi/os\" value=\"0:2us:1e-9:0:0\"/><prop id=\"smpi/or\" value=\"0:0:0:0:0\"/>");
  EXPECT_NEAR(overheads.points.at("send").front().seconds, 2e-6 + 1e-9, 1e-15);
  EXPECT_FALSE(overheads.points.contains("receive"));
}

// Two hosts of a route: all its links.
TEST(Platform, PathOfARoute) {
  const Imported all = read_text(
      "<platform><link id=\"far\" bandwidth=\"1kBps\" latency=\"1s\"/><router id=\"r\"/><host "
      "id=\"a\"/><host id=\"b\"/>"
      "<link id=\"up\" bandwidth=\"4GBps\" latency=\"10us\"/><link id=\"down\" bandwidth=\"1GBps\" "
      "latency=\"5us\"/>"
      "<route src=\"a\" dst=\"r\"><link_ctn id=\"far\"/></route><route src=\"a\" dst=\"a\"><link_ctn "
      "id=\"far\"/></route>"
      "<route src=\"a\" dst=\"b\"><link_ctn id=\"up\"/><link_ctn id=\"down\" "
      "direction=\"UP\"/></route></platform>");
  EXPECT_NEAR(latency(all), 15e-6, 1e-12);
  EXPECT_NEAR(rate(all), 1e9, 1);
  ASSERT_FALSE(all.notes.empty());
  EXPECT_EQ(all.notes[0],
            "the latency 15 us and the bandwidth 1 GB/s are those of the route from \"a\" to \"b\"");
}

// Two nodes of a cluster: the link of each, and the backbone between them.
TEST(Platform, PathOfACluster) {
  const std::string cluster =
      "<cluster id=\"c\" prefix=\"n\" radical=\"0-3\" speed=\"1Gf\" bw=\"10Gbps\" lat=\"20us\" ";
  EXPECT_NEAR(latency(read_text(cluster + "loopback_bw=\"9GBps\" loopback_lat=\"0\"/>")), 40e-6, 1e-12);
  const Imported all =
      read_text(cluster + "bb_bw=\"1GBps\" bb_lat=\"7us\"/><link id=\"l\" bandwidth=\"1\" latency=\"1\"/>");
  EXPECT_NEAR(latency(all), 47e-6, 1e-12);
  EXPECT_NEAR(rate(all), 1e9, 1);
  EXPECT_NEAR(latency(read_text(cluster + "topology=\"TORUS\" topo_parameters=\"2,2\"/>")), 20e-6, 1e-12);
  EXPECT_NEAR(
      latency(read_text("<zone><backbone id=\"b\" bandwidth=\"1Gbps\" latency=\"3us\"/>"
                        "<cabinet id=\"k\" radical=\"1-4\" speed=\"1Gf\" bw=\"1Gbps\" lat=\"5us\"/></zone>")),
      13e-6, 1e-12);
}

TEST(Platform, WithoutFactorsANoteSaysSo) {
  const std::string link = "<link id=\"l\" bandwidth=\"1GBps\" latency=\"1us\"/>";
  EXPECT_EQ(read_text(link).notes.size(), 2u);
  EXPECT_EQ(read_text(link + "<prop id=\"smpi/bw-factor\" value=\"0:0.9\"/>").notes.size(), 1u);
}

}  // namespace
}  // namespace emu::app::calibration
