#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>
#include <utility>

#include "match/checked_wire.h"
#include "reference/player/thread_player.h"
#include "target/target.h"
#include "wire/agent/agent.h"
#include "wire/jitter.h"
#include "wire/shared_wire.h"

namespace emu::reference {
namespace {

[[noreturn]] void give_up(const std::string& message) {
  std::fprintf(stderr, "%s\n", message.c_str());
  std::_Exit(1);
}

// Ranks that share memory, and the agent that communicates with the other nodes.
class HostNode {
 public:
  static Result<std::unique_ptr<HostNode>> create(wire::NodeMap node_map) {
    constexpr std::size_t room_for_messages = std::size_t{256} << 20;
    auto region = wire::Region::create(wire::Table::bytes(node_map) + room_for_messages);
    if (!region) return tl::unexpected(region.error());
    wire::Table::create(region->base(), node_map);
    std::unique_ptr<HostNode> node(new HostNode(std::move(*region), std::move(node_map)));
    if (node->node_map_.several() && pipe2(node->wakes_, O_CLOEXEC | O_NONBLOCK) != 0)
      return fail(std::string("cannot make a pipe: ") + std::strerror(errno));
    return node;
  }
  ~HostNode() {
    for (const int end : wakes_)
      if (end >= 0) close(end);
  }

  const wire::Region& region() const { return region_; }
  const wire::NodeMap& node_map() const { return node_map_; }
  int wakes() const { return wakes_[1]; }
  void meet(int node, int fd) {
    peers_.push_back({node, "node " + std::to_string(node), wire::Descriptor(fd)});
  }
  void start(const model::Network& network) {
    if (!node_map_.several()) return;
    agent_.emplace(region_, node_map_, network, std::move(peers_), wakes_[0], give_up);
    thread_ = std::thread([this] { agent_->run(); });
  }
  void join() {
    if (thread_.joinable()) thread_.join();
  }

 private:
  HostNode(wire::Region region, wire::NodeMap node_map)
      : region_(std::move(region)), node_map_(std::move(node_map)) {}

  wire::Region region_;
  wire::NodeMap node_map_;
  int wakes_[2] = {-1, -1};
  std::vector<wire::Peer> peers_;
  std::optional<wire::Agent> agent_;
  std::thread thread_;
};

using HostNodes = std::vector<std::unique_ptr<HostNode>>;

// Rank r is on node r modulo `count`.
Result<HostNodes> make_nodes(int ranks, int count) {
  std::vector<int> node_of;
  for (int r = 0; r < ranks; ++r) node_of.push_back(r % count);
  HostNodes nodes;
  for (int n = 0; n < count; ++n) {
    auto node = HostNode::create(count == 1 ? wire::NodeMap(ranks) : wire::NodeMap(node_of, n));
    if (!node) return tl::unexpected(node.error());
    nodes.push_back(std::move(*node));
  }
  for (int a = 0; a < count; ++a)
    for (int b = a + 1; b < count; ++b) {
      int ends[2];
      if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return fail(std::string("cannot make a pair of sockets: ") + std::strerror(errno));
      nodes[static_cast<std::size_t>(a)]->meet(b, ends[0]);
      nodes[static_cast<std::size_t>(b)]->meet(a, ends[1]);
    }
  return nodes;
}

// The thread of rank `number`; `host` outlives it.
void be_rank(int number, const Chain& chain, const target::Target& target, const model::Network& network,
             const HostNode& host, int delays, Log& log, std::vector<std::string>& wrong) {
  const int ranks = chain.batch.ranks;
  wire::SharedWire wire(host.region().borrowed(), host.node_map(), number, network, give_up);
  if (host.node_map().several()) wire.wakes_agent_by(host.wakes());
  std::unique_ptr<wire::Jitter> jitter;
  match::CheckedWire<wire::SharedWire> checked(
      wire, match::Invariants(number, ranks, network.lookahead()),
      [number](const match::Violation& broken) { give_up(match::describe(broken, number, "a call", "")); });
  if (delays > 0) jitter = std::make_unique<wire::Jitter>(checked, delays, number);
  rank::Rank rank(number, ranks, network, jitter ? static_cast<match::Wire&>(*jitter) : checked,
                  node_of(target, ranks, number));
  wire.start_together([](wire::ClockReadings&) {});
  wire.finish(play_part(rank, target, chain, log, wrong));
}

}  // namespace

Result<Played> play_in_threads(const Chain& chain, int delays, int nodes) {
  const int ranks = chain.batch.ranks;
  const auto target = target_of(chain);
  if (!target) return tl::unexpected(target.error());
  const int count = std::min(nodes, ranks);
  const auto hosts = make_nodes(ranks, count);
  if (!hosts) return tl::unexpected(hosts.error());
  const model::Network network(target->network, target->topology(ranks));

  Played played;
  played.logs.resize(static_cast<std::size_t>(ranks));
  std::vector<std::vector<std::string>> wrong(static_cast<std::size_t>(ranks));
  for (const auto& host : *hosts) host->start(network);
  std::vector<std::thread> threads;
  for (int i = 0; i < ranks; ++i) {
    const auto place = static_cast<std::size_t>(i);
    threads.emplace_back([&, i, place] {
      const HostNode& host = *(*hosts)[static_cast<std::size_t>(i % count)];
      be_rank(i, chain, *target, network, host, delays, played.logs[place], wrong[place]);
    });
  }
  for (std::thread& t : threads) t.join();
  for (const auto& host : *hosts) host->join();
  const HostNode& first = *hosts->front();
  wire::SharedWire reader(first.region().borrowed(), first.node_map(), 0, network, give_up);
  for (int i = 0; i < ranks; ++i) played.record.ranks.push_back(reader.summary(i));
  for (const auto& w : wrong) played.wrong.insert(played.wrong.end(), w.begin(), w.end());
  return played;
}

}  // namespace emu::reference
