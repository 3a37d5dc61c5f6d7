// Addresses of this machine, for any configuration.
#include "wire/agent/host_addresses.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace emu::wire {
namespace {

TEST(HostAddressesTest, NoneIsOnlyOfThisMachine) {
  for (const Address& a : host_addresses()) {
    EXPECT_FALSE(a.is_loopback()) << a;
    EXPECT_FALSE(a.is_unspecified()) << a;
    EXPECT_FALSE(a.is_v6() && a.to_v6().is_link_local()) << a;
  }
}

TEST(HostAddressesTest, FourComesBeforeSix) {
  const auto all = host_addresses();
  EXPECT_TRUE(std::is_partitioned(all.begin(), all.end(), [](const Address& a) { return a.is_v4(); }));
}

// The loopback is its own peer: the rule can be tested without a network.
TEST(HostAddressesTest, TheAddressTowardsAnotherIsTheOneThatTheSystemSendsFrom) {
  const Address one = boost::asio::ip::make_address("127.0.0.1"),
                two = boost::asio::ip::make_address("127.0.0.2"),
                far = boost::asio::ip::make_address("10.1.2.3");
  EXPECT_EQ(addresses_towards({two}, {far, one}), (std::vector{one}));
  EXPECT_EQ(addresses_towards({two, two}, {one}), (std::vector{one}));
  EXPECT_TRUE(addresses_towards({two}, {far}).empty()) << "the system sends from none of these";
  EXPECT_TRUE(addresses_towards({one}, {one}).empty()) << "both machines have it";
  EXPECT_TRUE(addresses_towards({}, {one}).empty());
}

TEST(HostAddressesTest, EndpointsAreReadAsTheyAreWritten) {
  for (const char* text : {"10.0.0.1:4000", "[fd00::1]:65535", "127.0.0.1:1", "[::1]:80"}) {
    const auto endpoint = read_endpoint(text);
    ASSERT_TRUE(endpoint) << text;
    EXPECT_EQ(text_of(*endpoint), text);
  }
}

TEST(HostAddressesTest, OtherTextsAreNoEndpoints) {
  for (const char* text :
       {"", ":", "10.0.0.1", "10.0.0.1:", "10.0.0.1:0", "10.0.0.1:65536", "10.0.0.1:x", "10.0.0:1", "host:80",
        "fd00::1:80", "[10.0.0.1]:80", "[fd00::1]", "[]:80", ":80", "[:80"})
    EXPECT_FALSE(read_endpoint(text)) << text;
}

}  // namespace
}  // namespace emu::wire
