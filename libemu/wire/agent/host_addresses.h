// Addresses of this machine, and those of them that other machines use.
#pragma once

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace emu::wire {

using Address = boost::asio::ip::address;
using Endpoint = boost::asio::ip::tcp::endpoint;

// Addresses of interfaces that are up, without loopback and link-local addresses; IPv4 first.
std::vector<Address> host_addresses();

// The addresses among `own` from which the system sends to one of `others`. Addresses in both lists are left
// out: if two machines have the same address, as many have 172.17.0.1, they cannot reach each other by it.
std::vector<Address> addresses_towards(const std::vector<Address>& others, const std::vector<Address>& own);

// "10.0.0.1:4000" or "[fd00::1]:4000", and its inverse; nothing for any other text.
std::string text_of(const Endpoint& endpoint);
std::optional<Endpoint> read_endpoint(std::string_view text);

}  // namespace emu::wire
