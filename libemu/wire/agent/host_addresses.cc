#include "wire/agent/host_addresses.h"

#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>

#include <algorithm>
#include <boost/asio/basic_datagram_socket.hpp>
#include <boost/asio/ip/udp.hpp>
#include <cstring>
#include <memory>

#include "base/number.h"
#include "wire/agent/event_loop.h"

namespace emu::wire {

namespace {

namespace ip = boost::asio::ip;
using boost::system::error_code;
using UdpSocket = boost::asio::basic_datagram_socket<ip::udp, EventLoop::executor_type>;

std::optional<Address> address_of(const sockaddr* socket) {
  if (!socket) return {};
  if (socket->sa_family == AF_INET)
    return ip::address_v4(ntohl(reinterpret_cast<const sockaddr_in*>(socket)->sin_addr.s_addr));
  if (socket->sa_family != AF_INET6) return {};
  ip::address_v6::bytes_type bytes;
  std::memcpy(bytes.data(), &reinterpret_cast<const sockaddr_in6*>(socket)->sin6_addr, bytes.size());
  return ip::address_v6(bytes);
}

// The address of this machine from which the system would send to `other`. Nothing is sent.
std::optional<Address> source_for(EventLoop& loop, const Address& other) {
  const ip::udp::endpoint to(other, 9);  // any port
  UdpSocket socket(loop);
  error_code error;
  socket.open(to.protocol(), error);
  if (!error) socket.connect(to, error);
  if (error) return {};
  const auto from = socket.local_endpoint(error);
  if (error) return {};
  return from.address();
}

bool contains(const std::vector<Address>& list, const Address& address) {
  return std::find(list.begin(), list.end(), address) != list.end();
}

}  // namespace

std::vector<Address> host_addresses() {
  ifaddrs* first = nullptr;
  if (getifaddrs(&first) != 0) return {};
  const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> all(first, &freeifaddrs);
  std::vector<Address> addresses;
  for (const ifaddrs* a = all.get(); a; a = a->ifa_next) {
    if (!(a->ifa_flags & IFF_UP) || a->ifa_flags & IFF_LOOPBACK) continue;
    const auto address = address_of(a->ifa_addr);
    if (!address || (address->is_v6() && address->to_v6().is_link_local())) continue;
    if (!contains(addresses, *address)) addresses.push_back(*address);
  }
  std::stable_partition(addresses.begin(), addresses.end(), [](const Address& a) { return a.is_v4(); });
  return addresses;
}

std::vector<Address> addresses_towards(const std::vector<Address>& others, const std::vector<Address>& own) {
  EventLoop loop(1);
  std::vector<Address> used;
  for (const Address& other : others) {
    if (contains(own, other)) continue;
    const auto source = source_for(loop, other);
    if (source && contains(own, *source) && !contains(used, *source)) used.push_back(*source);
  }
  return used;
}

std::string text_of(const Endpoint& endpoint) {
  const std::string address = endpoint.address().to_string();
  return (endpoint.address().is_v6() ? '[' + address + ']' : address) + ':' + std::to_string(endpoint.port());
}

std::optional<Endpoint> read_endpoint(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return {};
  const auto port = read_number(text.substr(colon + 1), 1, 65535);
  std::string_view address = text.substr(0, colon);
  const bool bracketed = address.starts_with('[') && address.ends_with(']');
  if (bracketed) address = address.substr(1, address.size() - 2);
  error_code error;
  const Address read = ip::make_address(std::string(address), error);
  if (!port || error || read.is_v6() != bracketed) return {};
  return Endpoint(read, static_cast<unsigned short>(*port));
}

}  // namespace emu::wire
