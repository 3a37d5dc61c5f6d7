#include "mpi/nodes.h"

#include <fcntl.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <utility>

#include "wire/shared_wire.h"

namespace emu::mpi {

namespace {

// FNV-1a.
std::uint64_t hash(const std::string& text) {
  std::uint64_t h = 0xcbf29ce484222325u;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return h;
}

std::string link_target(const char* path) {
  char text[128];
  const ssize_t n = readlink(path, text, sizeof text);
  return n > 0 ? std::string(text, static_cast<std::size_t>(n)) : "";
}

// Ranks share memory through /proc, and different networks are different nodes to whoever set them up
// (containers).
std::uint64_t machine() {
  std::ifstream boot("/proc/sys/kernel/random/boot_id");
  std::string id;
  std::getline(boot, id);
  return hash(id + link_target("/proc/self/ns/pid") + link_target("/proc/self/ns/net"));
}

// The number of the node of each rank, in the order in which they come up.
std::vector<int> divide(const std::vector<std::uint64_t>& machines, const Division& division) {
  std::map<std::uint64_t, int> seen;
  std::map<std::pair<std::uint64_t, int>, int> numbers;
  std::vector<int> nodes;
  for (const std::uint64_t m : machines) {
    const int local = seen[m]++;
    const int part = division.nodes_per_machine == 0 ? local : local % division.nodes_per_machine;
    nodes.push_back(numbers.try_emplace({m, part}, static_cast<int>(numbers.size())).first->second);
  }
  return nodes;
}

// What the first rank of each node tells the others; they are told of their own node only by it.
struct Card {
  std::int32_t pid, region, pipe;
  std::uint64_t region_bytes;
  wire::Contact contact;
};

void lead(HostNode& node, Card& card, std::uint64_t machine, const Fail& fail) {
  const std::size_t bytes = wire::SharedWire::region_bytes(node.node_map);
  auto made = wire::Region::create(bytes);
  if (!made) fail(made.error().message);
  node.region.emplace(std::move(*made));
  wire::Table::create(node.region->base(), node.node_map);
  card.pid = getpid();
  card.region = node.region->fd();
  card.region_bytes = bytes;
  if (!node.node_map.several()) return;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
    fail(std::string("cannot make a pipe: ") + std::strerror(errno));
  node.agent_wakes_in = ends[0];
  node.agent_wakes_out = card.pipe = ends[1];
  auto listener = wire::Listener::open(machine);
  if (!listener) fail(listener.error().message);
  node.listener.emplace(std::move(*listener));
  card.contact = node.listener->contact();
}

void follow(HostNode& node, const Card& card, const Fail& fail) {
  auto opened = wire::Region::open(card.pid, card.region, card.region_bytes);
  if (!opened) fail(opened.error().message);
  node.region.emplace(std::move(*opened));
  if (!node.node_map.several()) return;
  const std::string path = "/proc/" + std::to_string(card.pid) + "/fd/" + std::to_string(card.pipe);
  node.agent_wakes_out = open(path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
  if (node.agent_wakes_out < 0)
    fail("cannot open the pipe of process " + std::to_string(card.pid) + ": " + std::strerror(errno));
}

}  // namespace

HostNode lead_only_node(int size, const Fail& fail) {
  HostNode node;
  node.node_map = wire::NodeMap(size);
  Card card{};
  lead(node, card, 0, fail);
  return node;
}

HostNode join_only_node(int size, const std::string& where, const Fail& fail) {
  HostNode node;
  node.node_map = wire::NodeMap(size);
  Card card{};
  std::istringstream(where) >> card.pid >> card.region >> card.region_bytes;
  follow(node, card, fail);
  return node;
}

HostNode find_nodes(int number, int size, Division division, const Fail& fail) {
  const std::uint64_t own = machine();
  std::vector<std::uint64_t> machines(static_cast<std::size_t>(size));
  PMPI_Allgather(&own, 1, MPI_UINT64_T, machines.data(), 1, MPI_UINT64_T, MPI_COMM_WORLD);
  std::vector<int> node_of = divide(machines, division);
  const int node_number = node_of[static_cast<std::size_t>(number)];
  HostNode node;
  node.node_map = wire::NodeMap(std::move(node_of), node_number);
  const int first = node.node_map.locals().front();

  Card card{};
  if (number == first) lead(node, card, own, fail);
  std::vector<Card> cards(static_cast<std::size_t>(size));
  PMPI_Allgather(&card, sizeof card, MPI_BYTE, cards.data(), sizeof card, MPI_BYTE, MPI_COMM_WORLD);
  if (number != first) follow(node, cards[static_cast<std::size_t>(first)], fail);
  if (node.node_map.several()) {
    node.contacts.resize(static_cast<std::size_t>(node.node_map.nodes()));
    for (int r = size - 1; r >= 0; --r)
      node.contacts[static_cast<std::size_t>(node.node_map.node_of(r))] =
          cards[static_cast<std::size_t>(r)].contact;
  }
  return node;
}

}  // namespace emu::mpi
