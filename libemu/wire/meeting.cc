#include "wire/meeting.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <sstream>

namespace emu::wire {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t build =
    sizeof(match::Message) << 32 | sizeof(record::RankSummary) << 16 | sizeof(Waiter) << 4 | 2;

int milliseconds_to(Clock::time_point deadline) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
  return std::max(0, static_cast<int>(left.count()));
}

bool ready(int fd, short events, Clock::time_point deadline) {
  pollfd p{fd, events, 0};
  int n = -1;
  while ((n = poll(&p, 1, milliseconds_to(deadline))) < 0 && errno == EINTR) {
  }
  return n > 0;
}

// Numeric addresses of this host that others may reach it by.
std::string addresses() {
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return "";
  std::string text;
  for (const ifaddrs* a = all; a; a = a->ifa_next) {
    if (!a->ifa_addr || !(a->ifa_flags & IFF_UP) || a->ifa_flags & IFF_LOOPBACK) continue;
    char number[INET6_ADDRSTRLEN] = "";
    if (a->ifa_addr->sa_family == AF_INET) {
      const auto* in = reinterpret_cast<const sockaddr_in*>(a->ifa_addr);
      inet_ntop(AF_INET, &in->sin_addr, number, sizeof number);
    } else if (a->ifa_addr->sa_family == AF_INET6) {
      const auto* in = reinterpret_cast<const sockaddr_in6*>(a->ifa_addr);
      if (IN6_IS_ADDR_LINKLOCAL(&in->sin6_addr)) continue;
      inet_ntop(AF_INET6, &in->sin6_addr, number, sizeof number);
    }
    if (*number) text += (text.empty() ? "" : " ") + std::string(number);
  }
  freeifaddrs(all);
  return text;
}

template <std::size_t size>
void store(std::array<char, size>& field, const std::string& text) {
  text.copy(field.data(), size - 1);
}

struct Address {
  sockaddr_storage value{};
  socklen_t size = 0;
  int family() const { return value.ss_family; }
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&value); }

  Address(const std::string& number, std::uint16_t port) {
    if (number.find(':') == std::string::npos) {
      auto* in = reinterpret_cast<sockaddr_in*>(&value);
      in->sin_family = AF_INET;
      in->sin_port = port;
      inet_pton(AF_INET, number.c_str(), &in->sin_addr);
      size = sizeof *in;
    } else {
      auto* in = reinterpret_cast<sockaddr_in6*>(&value);
      in->sin6_family = AF_INET6;
      in->sin6_port = port;
      inet_pton(AF_INET6, number.c_str(), &in->sin6_addr);
      size = sizeof *in;
    }
  }
};

// One greeting each way. False with errno if that cannot be.
bool greet(int fd, const Greeting& own, bool first, Greeting& other, Clock::time_point deadline) {
  if (first && send(fd, &own, sizeof own, MSG_NOSIGNAL) != sizeof own) return false;
  std::size_t got = 0;
  while (got < sizeof other) {
    if (!ready(fd, POLLIN, deadline)) {
      errno = ETIMEDOUT;
      return false;
    }
    const ssize_t n = recv(fd, reinterpret_cast<char*>(&other) + got, sizeof other - got, 0);
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (n <= 0) {
      if (n == 0) errno = ECONNRESET;
      return false;
    }
    got += static_cast<std::size_t>(n);
  }
  return true;
}

// A socket connected to that address, or an errno.
Result<int> call(const std::string& address, std::uint16_t port, Clock::time_point deadline) {
  const Address to(address, port);
  const int fd = socket(to.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return fail(std::strerror(errno));
  int error = 0;
  if (connect(fd, to.get(), to.size) != 0) error = errno;
  if (error == EINPROGRESS) {
    socklen_t size = sizeof error;
    if (!ready(fd, POLLOUT, deadline))
      error = ETIMEDOUT;
    else
      getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size);
  }
  if (error == 0) return fd;
  close(fd);
  return fail(std::strerror(error));
}

}  // namespace

std::string name_of(int node, const Contact& contact, const std::vector<int>& ranks) {
  std::ostringstream text;
  text << "node " << node << " (" << contact.host.data() << (ranks.size() == 1 ? ", rank " : ", ranks ");
  if (ranks.size() > 2 && ranks.back() - ranks.front() + 1 == static_cast<int>(ranks.size())) {
    text << ranks.front() << '-' << ranks.back();
  } else {
    constexpr std::size_t most = 8;
    for (std::size_t i = 0; i < std::min(most, ranks.size()); ++i) text << (i ? ", " : "") << ranks[i];
    if (ranks.size() > most) text << ", ...";
  }
  text << ')';
  return text.str();
}

Result<Listener> Listener::open(std::uint64_t machine) {
  int fd = -1;
  // "::" takes calls by IPv4 too. A system without IPv6 knows only the other.
  for (const char* any : {"::", "0.0.0.0"}) {
    Address address(any, 0);
    fd = socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) continue;
    Listener listener(fd);
    const int no = 0;
    if (address.family() == AF_INET6) setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no);
    if (bind(fd, address.get(), address.size) != 0 || listen(fd, SOMAXCONN) != 0) continue;
    getsockname(fd, reinterpret_cast<sockaddr*>(&address.value), &address.size);
    Contact& c = listener.contact_;
    gethostname(c.host.data(), c.host.size() - 1);
    store(c.addresses, addresses());
    c.machine = machine;
    // At the same place in both kinds of address.
    c.port = reinterpret_cast<const sockaddr_in*>(&address.value)->sin_port;
    return listener;
  }
  return fail(std::string("cannot listen for other nodes: ") + std::strerror(errno));
}

Listener::~Listener() {
  if (fd_ >= 0) close(fd_);
}

namespace {

class Meeting {
 public:
  Meeting(const Listener& listener, const NodeMap& node_map, const std::vector<Contact>& contacts,
          std::uint64_t job)
      : listener_(listener), node_map_(node_map), contacts_(contacts), job_(job) {
    ranks_.resize(contacts.size());
    for (int r = 0; r < node_map.ranks(); ++r)
      ranks_[static_cast<std::size_t>(node_map.node_of(r))].push_back(r);
  }

  Result<std::vector<Peer>> all() {
    for (int node = 0; node < node_map_.node(); ++node)
      if (auto reached = reach(node); !reached) return tl::unexpected(reached.error());
    while (static_cast<int>(peers_.size()) < node_map_.nodes() - 1)
      if (auto admitted = admit(); !admitted) return tl::unexpected(admitted.error());
    return std::move(peers_);
  }

 private:
  std::string name(int node) const {
    const auto i = static_cast<std::size_t>(node);
    return name_of(node, contacts_[i], ranks_[i]);
  }
  Greeting greeting(int to) const { return {job_, build, node_map_.node(), to}; }
  bool valid(const Greeting& g) const {
    return g.job == job_ && g.build == build && g.to == node_map_.node();
  }

  Result<void> reach(int node) {
    const Contact& contact = contacts_[static_cast<std::size_t>(node)];
    const bool here = contact.machine == listener_.contact().machine;
    std::istringstream list(here ? "127.0.0.1 ::1" : contact.addresses.data());
    std::string tried;
    for (std::string address; list >> address;) {
      const auto deadline = std::min(deadline_, Clock::now() + std::chrono::seconds(3));
      auto fd = call(address, contact.port, deadline);
      std::string why = fd ? "" : fd.error().message;
      if (fd) {
        Greeting other{};
        if (greet(*fd, greeting(node), true, other, deadline_) && valid(other) && other.node == node) {
          peers_.push_back({node, name(node), Connection(*fd)});
          return {};
        }
        why = other.job == job_ && other.build != build
                  ? "it runs another version of libemu (protocol " + std::to_string(other.build) +
                        ", here it is " + std::to_string(build) + ")"
                  : "no agent answers";
        close(*fd);
      }
      tried +=
          (tried.empty() ? "" : "; ") + address + " port " + std::to_string(ntohs(contact.port)) + ": " + why;
    }
    return fail("cannot reach " + name(node) + " from " + name(node_map_.node()) + ": " +
                (tried.empty() ? "it has no address but its loopback's" : tried) +
                ". The nodes of a job must reach each other by TCP: check names, firewalls and networks");
  }

  Result<void> admit() {
    if (!ready(listener_.fd(), POLLIN, deadline_)) {
      for (int node = node_map_.node() + 1; node < node_map_.nodes(); ++node)
        if (std::none_of(peers_.begin(), peers_.end(), [&](const Peer& p) { return p.node == node; }))
          return fail(
              name(node) + " did not call " + name(node_map_.node()) +
              " within ten seconds. The nodes of a job must reach each other by TCP: check firewalls and "
              "networks");
    }
    const int fd = accept4(listener_.fd(), nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) return {};
    Greeting other{};
    const auto deadline = std::min(deadline_, Clock::now() + std::chrono::seconds(2));
    const bool known =
        greet(fd, {}, false, other, deadline) && other.job == job_ && other.to == node_map_.node();
    if (known) {
      const Greeting own = greeting(other.node);
      [[maybe_unused]] const ssize_t sent = send(fd, &own, sizeof own, MSG_NOSIGNAL);
    }
    if (known && valid(other))
      peers_.push_back({other.node, name(other.node), Connection(fd)});
    else
      close(fd);  // a stranger, or one that will say itself what is wrong
    return {};
  }

  const Listener& listener_;
  const NodeMap& node_map_;
  const std::vector<Contact>& contacts_;
  const std::uint64_t job_;
  const Clock::time_point deadline_ = Clock::now() + std::chrono::seconds(10);
  std::vector<std::vector<int>> ranks_;  // by node
  std::vector<Peer> peers_;
};

// All of `bytes` by `move`, send() or recv(). False with errno if the other end is gone.
template <class Move>
bool whole(int fd, short events, std::size_t bytes, Move move) {
  std::size_t done = 0;
  while (done < bytes) {
    pollfd p{fd, events, 0};
    if (poll(&p, 1, -1) < 0 && errno != EINTR) return false;
    const ssize_t n = move(done);
    if (n < 0 && (errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK)) continue;
    if (n == 0) errno = ECONNRESET;
    if (n <= 0) return false;
    done += static_cast<std::size_t>(n);
  }
  return true;
}

bool send_whole(int fd, const void* from, std::size_t bytes) {
  return whole(fd, POLLOUT, bytes, [&](std::size_t done) {
    return send(fd, static_cast<const char*>(from) + done, bytes - done, MSG_NOSIGNAL);
  });
}

bool receive_whole(int fd, void* to, std::size_t bytes) {
  return whole(fd, POLLIN, bytes,
               [&](std::size_t done) { return recv(fd, static_cast<char*>(to) + done, bytes - done, 0); });
}

tl::unexpected<Failure> lost(const Peer& peer) {
  return fail("lost " + peer.name + " before the job had started: " + std::strerror(errno));
}

}  // namespace

Result<void> tell(const Peer& peer, const std::string& text) {
  const std::uint64_t bytes = text.size();
  const int fd = peer.connection.fd();
  if (!send_whole(fd, &bytes, sizeof bytes) || !send_whole(fd, text.data(), text.size())) return lost(peer);
  return {};
}

Result<std::string> hear(const Peer& peer) {
  constexpr std::uint64_t most = 1 << 30;  // no text is that long
  std::uint64_t bytes = 0;
  const int fd = peer.connection.fd();
  if (!receive_whole(fd, &bytes, sizeof bytes)) return lost(peer);
  if (bytes > most) return fail("what " + peer.name + " says is no text of this job");
  std::string text(bytes, '\0');
  if (!receive_whole(fd, text.data(), text.size())) return lost(peer);
  return text;
}

Result<std::vector<Peer>> meet(const Listener& listener, const NodeMap& node_map,
                               const std::vector<Contact>& contacts, std::uint64_t job) {
  return Meeting(listener, node_map, contacts, job).all();
}

}  // namespace emu::wire
