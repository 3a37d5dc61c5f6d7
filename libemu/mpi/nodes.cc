#include "mpi/nodes.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <numeric>
#include <random>
#include <sstream>
#include <utility>

#include "wire/meeting.h"
#include "wire/notice.h"
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

// What the first rank of each node tells the others, by the process manager: the node's own ranks where its region
// is, and the other nodes' how its agent can be reached.
struct Card {
  int nodes = 0;  // of the job
  int pid = 0, region = 0, pipe = 0;
  std::uint64_t region_bytes = 0;
  std::uint64_t job = 0;  // a number that only this job knows: the first node's
  wire::Contact contact{};
};

std::string key_of(int node) { return "libemu-node-" + std::to_string(node); }

// Without blanks, which PMI does not take.
std::string written(const Card& card) {
  std::ostringstream text;
  text << card.nodes << ',' << card.pid << ',' << card.region << ',' << card.pipe << ',' << card.region_bytes
       << ',' << card.job << ',' << card.contact.machine << ',' << card.contact.port << ",@"
       << card.contact.host.data();
  std::istringstream addresses(card.contact.addresses.data());
  for (std::string address; addresses >> address;) text << ',' << address;
  return text.str();
}

template <std::size_t size>
void store(std::array<char, size>& field, const std::string& text) {
  text.copy(field.data(), size - 1);
}

Result<Card> read_card(std::string text) {
  const std::string all = text;
  std::replace(text.begin(), text.end(), ',', ' ');
  std::istringstream in(text);
  Card card;
  std::string host, addresses;
  if (!(in >> card.nodes >> card.pid >> card.region >> card.pipe >> card.region_bytes >> card.job >>
        card.contact.machine >> card.contact.port >> host) ||
      host.front() != '@')
    return fail("what the process manager passes on is not what a rank of this job has said: \"" + all +
                "\"");
  for (std::string address; in >> address;) addresses += (addresses.empty() ? "" : " ") + address;
  store(card.contact.host, host.substr(1));
  store(card.contact.addresses, addresses);
  return card;
}

Result<std::string> get(const std::string& key) {
  auto value = manager().get(key);
  if (!value) return tl::unexpected(value.error());
  if (!*value)
    return fail("the process manager does not know " + key + ", which a rank of this job has put there");
  return **value;
}

Result<Card> card_of(int node) {
  const auto text = get(key_of(node));
  if (!text) return tl::unexpected(text.error());
  return read_card(*text);
}

Result<Card> lead(HostNode& node, std::optional<wire::Listener>& listener, std::uint64_t machine) {
  Card card;
  const std::size_t bytes = wire::SharedWire::region_bytes(node.node_map);
  auto made = wire::Region::create(bytes);
  if (!made) return tl::unexpected(made.error());
  node.region.emplace(std::move(*made));
  node.first = true;
  wire::Table::create(node.region->base(), node.node_map);
  card.nodes = node.node_map.nodes();
  card.pid = getpid();
  card.region = node.region->fd();
  card.region_bytes = bytes;
  if (!node.node_map.several()) return card;
  std::random_device random;
  card.job = std::uint64_t{random()} << 32 | random();
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
    return fail(std::string("cannot make a pipe: ") + std::strerror(errno));
  node.agent_wakes_in = ends[0];
  node.agent_wakes_out = card.pipe = ends[1];
  auto opened = wire::Listener::open(machine);
  if (!opened) return tl::unexpected(opened.error());
  listener.emplace(std::move(*opened));
  card.contact = listener->contact();
  return card;
}

Result<void> follow(HostNode& node, const Card& card) {
  auto opened = wire::Region::open(card.pid, card.region, card.region_bytes);
  if (!opened) return tl::unexpected(opened.error());
  node.region.emplace(std::move(*opened));
  if (!node.node_map.several()) return {};
  const std::string path = "/proc/" + std::to_string(card.pid) + "/fd/" + std::to_string(card.pipe);
  node.agent_wakes_out = open(path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
  if (node.agent_wakes_out < 0)
    return fail("cannot open the pipe of process " + std::to_string(card.pid) + ": " + std::strerror(errno));
  return {};
}

// Which helper of the process manager has started each rank. Its ranks are on one machine, but several helpers may have
// been started on one. Where the manager does not say: each rank its own.
Result<std::vector<int>> helpers(const Job& job) {
  auto told = manager().machines(job.size);
  if (!told) return tl::unexpected(told.error());
  if (*told) return std::move(**told);
  std::vector<int> each(static_cast<std::size_t>(job.size));
  std::iota(each.begin(), each.end(), 0);
  return each;
}

std::string machine_key(int helper) { return "libemu-machine-" + std::to_string(helper); }

// Who is where, from what the first ranks of helpers have told the manager of their machines.
Result<wire::NodeMap> node_map(const Job& job, const Division& division, const std::vector<int>& helper_of) {
  std::map<int, std::uint64_t> known;
  std::vector<std::uint64_t> machines;
  for (const int helper : helper_of) {
    const auto [entry, first] = known.try_emplace(helper, 0);
    if (first) {
      const auto text = get(machine_key(helper));
      if (!text) return tl::unexpected(text.error());
      entry->second = std::strtoull(text->c_str(), nullptr, 10);
    }
    machines.push_back(entry->second);
  }
  std::vector<int> node_of = divide(machines, division);
  const int node = node_of[static_cast<std::size_t>(job.number)];
  if (*std::max_element(node_of.begin(), node_of.end()) == 0) return wire::NodeMap(job.size);
  return wire::NodeMap(std::move(node_of), node);
}

// The ranks of several helpers find out who is where. Who is the first rank of no helper's is the first of no node either
// (unless machines are divided): it can wait until rank 0 has said how many nodes there are. If that is one, a single
// question has told it, in place of one for each helper, each of which has to be answered among all of a helper's ranks.
struct Finding {
  std::uint64_t own = 0;  // this machine
  std::vector<int> helper_of;
  bool waits = false;
};

Result<Finding> begin_finding(HostNode& node, const Job& job, const Division& division) {
  Finding finding;
  auto told = helpers(job);
  if (!told) return tl::unexpected(told.error());
  finding.helper_of = std::move(*told);
  const int helper = finding.helper_of[static_cast<std::size_t>(job.number)];
  const auto first = std::find(finding.helper_of.begin(), finding.helper_of.end(), helper);
  const bool is_first = first - finding.helper_of.begin() == job.number;
  finding.waits = !is_first && division.nodes_per_machine == 1;
  if (is_first) {
    finding.own = machine();
    if (const auto put = manager().put(machine_key(helper), std::to_string(finding.own)); !put)
      return tl::unexpected(put.error());
  }
  if (const auto all = manager().barrier(); !all) return tl::unexpected(all.error());
  if (finding.waits) return finding;
  if (!is_first) finding.own = machine();
  auto map = node_map(job, division, finding.helper_of);
  if (!map) return tl::unexpected(map.error());
  node.node_map = std::move(*map);
  return finding;
}

Result<void> end_finding(HostNode& node, const Job& job, const Environment& environment,
                         const Finding& finding) {
  const auto card = card_of(0);
  if (!card) return tl::unexpected(card.error());
  if (card->nodes == 1) {
    node.node_map = wire::NodeMap(job.size);
    return {};
  }
  auto map = node_map(job, environment.division, finding.helper_of);
  if (!map) return tl::unexpected(map.error());
  node.node_map = std::move(*map);
  return {};
}

// Where the regions of the nodes are is known to the process manager now: this process gets its own node's, and the
// node's agent gets to know the others.
Result<void> meet(HostNode& node, const std::optional<wire::Listener>& listener) {
  if (!node.first) {
    const auto card = card_of(node.node_map.node());
    if (!card) return tl::unexpected(card.error());
    return follow(node, *card);
  }
  if (!listener) return {};
  std::vector<wire::Contact> contacts;
  std::uint64_t number = 0;
  for (int n = 0; n < node.node_map.nodes(); ++n) {
    const auto card = card_of(n);
    if (!card) return tl::unexpected(card.error());
    if (n == 0) number = card->job;
    contacts.push_back(card->contact);
  }
  auto peers = wire::meet(*listener, node.node_map, contacts, number);
  if (!peers) return tl::unexpected(peers.error());
  node.peers = std::move(*peers);
  return {};
}

}  // namespace

Result<HostNode> find_node(const Job& job, const Environment& environment) {
  HostNode node;
  Finding finding;
  // Hydra says how many ranks are on this machine.
  const bool one =
      job.size == 1 || (environment.local_ranks == job.size && environment.division.nodes_per_machine == 1);
  if (one) {
    node.node_map = wire::NodeMap(job.size);
  } else {
    auto begun = begin_finding(node, job, environment.division);
    if (!begun) return tl::unexpected(begun.error());
    finding = std::move(*begun);
  }
  std::optional<wire::Listener> listener;
  if (!finding.waits && job.number == node.node_map.leader()) {
    const auto card = lead(node, listener, finding.own);
    if (!card) return tl::unexpected(card.error());
    if (job.size == 1) return node;
    if (const auto put = manager().put(key_of(node.node_map.node()), written(*card)); !put)
      return tl::unexpected(put.error());
  }
  if (const auto all = manager().barrier(); !all) return tl::unexpected(all.error());
  if (finding.waits)
    if (const auto found = end_finding(node, job, environment, finding); !found)
      return tl::unexpected(found.error());
  if (const auto met = meet(node, listener); !met) return tl::unexpected(met.error());
  return node;
}

Result<std::string> tell_all(HostNode& node, int number, const std::string& text) {
  if (!node.first) return wire::read_notice(node.region->base(), &wire::TableHeader::notice);
  std::string known = text;
  if (number == 0) {
    for (wire::Peer& peer : node.peers)
      if (const auto told = wire::tell(peer, text); !told) return tl::unexpected(told.error());
  } else {
    const auto zero =
        std::find_if(node.peers.begin(), node.peers.end(), [](const wire::Peer& p) { return p.node == 0; });
    auto heard = wire::hear(*zero);
    if (!heard) return heard;
    known = std::move(*heard);
  }
  wire::give_notice(node.region->base(), &wire::TableHeader::notice, known);
  return known;
}

}  // namespace emu::mpi
