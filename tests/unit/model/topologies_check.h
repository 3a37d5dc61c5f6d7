// Checks that hold for every topology, and its routes by name.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "model/interconnect.h"
#include "model/topologies/cable.h"

namespace emu::model {

constexpr Interval ps(std::int64_t n) { return Interval::picoseconds(n); }
constexpr Rate fs(std::int64_t n) { return Rate::femtoseconds_per_byte(n); }
constexpr Cable cable(std::int64_t latency, std::int64_t rate = 1'000'000) { return {ps(latency), fs(rate)}; }

inline std::vector<std::int32_t> route(const Interconnect& net, int from, int to) {
  std::vector<std::int32_t> links;
  net.route(from, to, links);
  return links;
}

inline std::vector<std::string> names(const Interconnect& net, int from, int to) {
  std::vector<std::string> result;
  for (const std::int32_t link : route(net, from, to)) result.push_back(net.name(link));
  return result;
}

// Checks properties of every topology: links exist and have unique names, and no route uses a link twice. Returns the
// number of links that no route uses.
inline int check(const Interconnect& net) {
  std::set<std::string> named;
  for (int link = 0; link < net.links(); ++link) {
    EXPECT_TRUE(named.insert(net.name(link)).second) << net.name(link);
    EXPECT_GT(net.gap_per_byte(link), Rate());
  }
  std::set<std::int32_t> used;
  Interval least = Interval::longest();
  for (int from = 0; from < net.nodes(); ++from) {
    for (int to = 0; to < net.nodes(); ++to) {
      if (from == to) continue;
      std::vector<std::int32_t> links = {-7};  // appended to, not replaced
      net.route(from, to, links);
      EXPECT_EQ(links.front(), -7);
      links.erase(links.begin());
      const std::set<std::int32_t> once(links.begin(), links.end());
      EXPECT_EQ(once.size(), links.size()) << from << " " << to;
      if (!once.empty()) {
        EXPECT_GE(*once.begin(), 0);
        EXPECT_LT(*once.rbegin(), net.links());
      }
      used.insert(once.begin(), once.end());
      least = std::min(least, net.latency(from, to));
    }
  }
  EXPECT_EQ(net.least_latency(), net.nodes() > 1 ? least : Interval());
  return net.links() - static_cast<int>(used.size());
}

}  // namespace emu::model
