#include "process/start/nodes.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <numeric>
#include <utility>

#include "process/fork/fork_start.h"
#include "process/start/manager_entries.h"
#include "process/start/outsiders.h"
#include "wire/agent/bootstrap.h"
#include "wire/agent/handshake.h"
#include "wire/notice.h"
#include "wire/shared_wire.h"

namespace emu::mpi {

using namespace std::chrono_literals;

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

// Ranks of a machine share memory through /proc. Different network namespaces are different nodes to their creator
// (containers).
wire::Machine machine() {
  std::ifstream boot("/proc/sys/kernel/random/boot_id");
  std::string id;
  std::getline(boot, id);
  char host[65] = "";
  gethostname(host, sizeof host - 1);
  // PMI and get_machine() do not accept other characters.
  std::string name = host;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c <= ' ' || c == '=' || c == ','; }, '?');
  return {hash(id + link_target("/proc/self/ns/pid") + link_target("/proc/self/ns/net")),
          name.empty() ? "?" : name, wire::host_addresses()};
}

// The node of each rank, numbered in order of appearance.
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

// Lets the node's agent listen. `machines`: the machine of each node.
Result<void> listen(const HostNode& node, std::optional<wire::AgentBootstrap>& bootstrap,
                    const std::vector<wire::Machine>& machines, NodeEntry& entry) {
  if (node.node_map.node() == 0) {
    const auto secret = wire::Secret::draw();
    if (!secret) return tl::unexpected(secret.error());
    entry.secret = secret->text();
  }
  auto listens = wire::AgentBootstrap::listen(node.node_map, machines);
  if (!listens) return tl::unexpected(listens.error());
  bootstrap.emplace(std::move(*listens));
  entry.endpoints = bootstrap->endpoints();
  entry.endpoints.resize(std::min(entry.endpoints.size(), most_addresses));
  return {};
}

// `machines`: of all nodes, if there are several.
Result<NodeEntry> lead(HostNode& node, std::optional<wire::AgentBootstrap>& bootstrap,
                       const std::vector<wire::Machine>& machines) {
  NodeEntry entry;
  const std::size_t bytes = wire::SharedWire::region_bytes(node.node_map);
  auto made = wire::Region::create(bytes);
  if (!made) return tl::unexpected(made.error());
  node.region.emplace(std::move(*made));
  node.first = true;
  wire::Table::create(node.region->base(), node.node_map);
  entry.nodes = node.node_map.nodes();
  entry.pid = getpid();
  entry.region = node.region->fd();
  entry.region_bytes = bytes;
  if (!node.node_map.several()) return entry;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
    return fail(std::string("cannot make a pipe: ") + std::strerror(errno));
  node.agent_wakes_in = ends[0];
  node.agent_wakes_out = entry.pipe = ends[1];
  if (const auto listens = listen(node, bootstrap, machines, entry); !listens)
    return tl::unexpected(listens.error());
  return entry;
}

Result<void> follow(HostNode& node, const NodeEntry& entry) {
  auto opened = wire::Region::open(entry.pid, entry.region, entry.region_bytes);
  if (!opened) return tl::unexpected(opened.error());
  node.region.emplace(std::move(*opened));
  if (!node.node_map.several()) return {};
  const std::string path = "/proc/" + std::to_string(entry.pid) + "/fd/" + std::to_string(entry.pipe);
  node.agent_wakes_out = open(path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
  if (node.agent_wakes_out < 0)
    return fail("cannot open the pipe of process " + std::to_string(entry.pid) + ": " + std::strerror(errno));
  return {};
}

// The helper of the process manager that has started each rank. The ranks of a helper are on one
// machine, which may have several helpers. If the manager does not tell: each rank is its own helper's.
Result<std::vector<int>> helpers(const Job& job) {
  auto machines = manager().machines(job.size);
  if (!machines) return tl::unexpected(machines.error());
  if (*machines) return std::move(**machines);
  std::vector<int> each(static_cast<std::size_t>(job.size));
  std::iota(each.begin(), each.end(), 0);
  return each;
}

// Nodes of all ranks.
struct Places {
  wire::NodeMap node_map{0};
  std::vector<wire::Machine> machines;  // by node, if there are several
};

// From the machines that the first ranks of helpers have published.
Result<Places> find_places(const Job& job, const Division& division, const std::vector<int>& helper_of) {
  std::map<int, wire::Machine> known;
  std::vector<std::uint64_t> machines;
  for (const int helper : helper_of) {
    const auto [entry, first] = known.try_emplace(helper);
    if (first) {
      auto machine = get_machine(helper);
      if (!machine) return tl::unexpected(machine.error());
      entry->second = std::move(*machine);
    }
    machines.push_back(entry->second.id);
  }
  std::vector<int> node_of = divide(machines, division);
  if (*std::max_element(node_of.begin(), node_of.end()) == 0) return Places{wire::NodeMap(job.size), {}};
  Places places;
  // Nodes are numbered in the order of their first ranks.
  for (std::size_t rank = 0; rank < node_of.size(); ++rank)
    if (std::ssize(places.machines) == node_of[rank]) places.machines.push_back(known.at(helper_of[rank]));
  const int node = node_of[static_cast<std::size_t>(job.number)];
  places.node_map = wire::NodeMap(std::move(node_of), node);
  return places;
}

// Waits for all ranks of the job. `helper_of`: the helper of the process manager that has started each rank.
Result<void> wait_for_all(const Job& job, const std::vector<int>& helper_of) {
  std::optional<Watch> watch;
  if (const auto connection = read_started().connection)
    watch.emplace(1s, 0s, outsiders_check(*connection, helper_of, job.number));
  return manager().barrier();
}

// The ranks of several helpers determine the nodes. A rank that is not the first of its helper is not the first of a
// node either (unless machines are divided): it can wait until rank 0 has published the number of nodes. If that is
// one, a single question suffices, in place of one for each helper, each of which is answered among all ranks of a
// helper.
struct Finding {
  std::vector<wire::Machine> machines;  // by node
  std::vector<int> helper_of;
  bool waits = false;
};

Result<Finding> begin_finding(HostNode& node, const Job& job, const Division& division) {
  Finding finding;
  auto found = helpers(job);
  if (!found) return tl::unexpected(found.error());
  finding.helper_of = std::move(*found);
  const int helper = finding.helper_of[static_cast<std::size_t>(job.number)];
  const auto first = std::find(finding.helper_of.begin(), finding.helper_of.end(), helper);
  const bool is_first = first - finding.helper_of.begin() == job.number;
  finding.waits = !is_first && division.nodes_per_machine == 1;
  if (is_first)
    if (const auto put = put_machine(helper, machine()); !put) return tl::unexpected(put.error());
  if (const auto all = wait_for_all(job, finding.helper_of); !all) return tl::unexpected(all.error());
  if (finding.waits) return finding;
  auto places = find_places(job, division, finding.helper_of);
  if (!places) return tl::unexpected(places.error());
  node.node_map = std::move(places->node_map);
  finding.machines = std::move(places->machines);
  return finding;
}

Result<void> end_finding(HostNode& node, const Job& job, const Environment& environment,
                         const Finding& finding) {
  const auto entry = get_node(0);
  if (!entry) return tl::unexpected(entry.error());
  if (entry->nodes == 1) {
    node.node_map = wire::NodeMap(job.size);
    return {};
  }
  auto places = find_places(job, environment.division, finding.helper_of);
  if (!places) return tl::unexpected(places.error());
  node.node_map = std::move(places->node_map);
  return {};
}

// The regions of all nodes are published: this process maps that of its own node, and the node's agent connects to the
// others.
Result<void> join(HostNode& node, std::optional<wire::AgentBootstrap>& bootstrap,
                  const std::vector<wire::Machine>& machines) {
  if (!node.first) {
    const auto entry = get_node(node.node_map.node());
    if (!entry) return tl::unexpected(entry.error());
    return follow(node, *entry);
  }
  if (!bootstrap) return {};
  std::vector<wire::Contact> contacts;
  std::optional<wire::Secret> secret;
  for (int n = 0; n < node.node_map.nodes(); ++n) {
    auto entry = get_node(n);
    if (!entry) return tl::unexpected(entry.error());
    if (n == 0) secret = wire::Secret::from(entry->secret);
    contacts.push_back({machines[static_cast<std::size_t>(n)], std::move(entry->endpoints)});
  }
  if (!secret) return fail("the process manager's entry lacks the secret of this job");
  auto peers = bootstrap->connect(node.node_map, contacts, *secret);
  if (!peers) return tl::unexpected(peers.error());
  node.peers = std::move(*peers);
  return {};
}

// The ranks of a host without an entry have all ended without MPI_Init.
Result<void> check_all_hosts(const wire::NodeMap& map) {
  std::vector<bool> present;
  for (int host = 0; host < map.nodes(); ++host) {
    const auto known = has_machine(host);
    if (!known) return tl::unexpected(known.error());
    present.push_back(*known);
  }
  std::vector<int> all(static_cast<std::size_t>(map.ranks())), absent;
  std::iota(all.begin(), all.end(), 0);
  std::copy_if(all.begin(), all.end(), std::back_inserter(absent),
               [&](int rank) { return !present[static_cast<std::size_t>(map.node_of(rank))]; });
  if (!absent.empty()) stop_for(absent, all, map.leader());
  return {};
}

// Meeting of the first ranks of all hosts, the only ranks that the process manager knows.
Result<void> meet(HostNode& node) {
  const int own = node.node_map.node();
  if (const auto put = put_machine(own, machine()); !put) return put;
  if (const auto all = manager().barrier(); !all) return all;
  if (const auto checked = check_all_hosts(node.node_map); !checked) return checked;
  std::vector<wire::Machine> machines;
  for (int host = 0; host < node.node_map.nodes(); ++host) {
    auto known = get_machine(host);
    if (!known) return tl::unexpected(known.error());
    machines.push_back(std::move(*known));
  }
  std::optional<wire::AgentBootstrap> bootstrap;
  NodeEntry entry;
  entry.nodes = node.node_map.nodes();
  if (const auto listens = listen(node, bootstrap, machines, entry); !listens) return listens;
  if (const auto put = put_node(own, entry); !put) return put;
  if (const auto all = manager().barrier(); !all) return all;
  return join(node, bootstrap, machines);
}

// Data prepared by the process that forked this rank.
Result<HostNode> forked_node(ForkedRank& forked) {
  HostNode node;
  node.node_map = std::move(forked.node_map);
  node.region.emplace(std::move(*forked.region));
  node.first = forked.number == node.node_map.leader();
  node.agent_wakes_in = forked.agent_wakes_in;
  node.agent_wakes_out = forked.agent_wakes_out;
  if (node.first && node.node_map.several())
    if (const auto met = meet(node); !met) return tl::unexpected(met.error());
  return node;
}

}  // namespace

Result<HostNode> find_node(const Job& job, const Environment& environment) {
  if (ForkedRank* const forked = forked_rank()) return forked_node(*forked);
  HostNode node;
  Finding finding;
  // Hydra tells the number of ranks on this machine.
  const bool one =
      job.size == 1 || (environment.local_ranks == job.size && environment.division.nodes_per_machine == 1);
  if (one) {
    node.node_map = wire::NodeMap(job.size);
    finding.helper_of.assign(static_cast<std::size_t>(job.size), 0);
  } else {
    auto begun = begin_finding(node, job, environment.division);
    if (!begun) return tl::unexpected(begun.error());
    finding = std::move(*begun);
  }
  std::optional<wire::AgentBootstrap> bootstrap;
  if (!finding.waits && job.number == node.node_map.leader()) {
    const auto entry = lead(node, bootstrap, finding.machines);
    if (!entry) return tl::unexpected(entry.error());
    if (job.size == 1) return node;
    if (const auto put = put_node(node.node_map.node(), *entry); !put) return tl::unexpected(put.error());
  }
  if (const auto all = wait_for_all(job, finding.helper_of); !all) return tl::unexpected(all.error());
  if (finding.waits)
    if (const auto found = end_finding(node, job, environment, finding); !found)
      return tl::unexpected(found.error());
  if (const auto joined = join(node, bootstrap, finding.machines); !joined)
    return tl::unexpected(joined.error());
  return node;
}

namespace {

// The connection to the first node's agent, from that of another node.
const wire::Peer& first_node(const HostNode& node) {
  return *std::find_if(node.peers.begin(), node.peers.end(), [](const wire::Peer& p) { return p.node == 0; });
}

}  // namespace

Result<std::uint32_t> collect(HostNode& node, int number, std::uint32_t bits) {
  const int local = node.node_map.local_slots();
  wire::give_bits(node.region->base(), bits, local);
  if (!node.first) return bits;
  bits = wire::read_bits(node.region->base(), local);
  if (number != 0) {
    if (const auto sent = wire::send_text(first_node(node), std::to_string(bits)); !sent)
      return tl::unexpected(sent.error());
    return bits;
  }
  for (const wire::Peer& peer : node.peers) {
    const auto heard = wire::receive_text(peer);
    if (!heard) return tl::unexpected(heard.error());
    bits |= static_cast<std::uint32_t>(std::strtoul(heard->c_str(), nullptr, 10));
  }
  return bits;
}

Result<std::string> tell_all(HostNode& node, int number, const std::string& text) {
  if (!node.first) return wire::read_notice(node.region->base(), &wire::TableHeader::notice);
  std::string known = text;
  if (number == 0) {
    for (wire::Peer& peer : node.peers)
      if (const auto sent = wire::send_text(peer, text); !sent) return tl::unexpected(sent.error());
  } else {
    auto heard = wire::receive_text(first_node(node));
    if (!heard) return heard;
    known = std::move(*heard);
  }
  wire::give_notice(node.region->base(), &wire::TableHeader::notice, known);
  return known;
}

}  // namespace emu::mpi
