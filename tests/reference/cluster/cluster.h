// The target of a batch as plain data, and its costs by simple searches through that data. This code shares with
// libemu/model only the arithmetic of intervals, rates and overheads, and nothing with libemu/target.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/network.h"
#include "reference/cluster/wiring.h"
#include "reference/collectives/plan.h"
#include "reference/simulator/flows.h"

namespace emu::reference {

struct Cluster {
  struct Group {
    int nodes = 1;
    int slots = 1;
    std::int64_t speed = 1000;            // in thousandths, as all speeds here
    std::vector<std::int64_t> with = {};  // factors, by the ranks on a node; empty: 1
  };
  // Values of a link that differ from `network`: between two groups (in both
  // directions, unless the other one is stated), or inside the nodes of a group.
  struct Link {
    int from = 0, to = 0;
    bool inside = false;  // only `from` is used
    Interval latency;
    Rate gap_per_byte;
    model::Overhead send, receive;
    std::vector<model::Piece> pieces;
    std::optional<model::Rendezvous> rendezvous = {};
    std::optional<model::Bytes> put_limit = {};
    std::optional<model::SendReturns> send_returns = {};
  };
  // A change of the speed of a node.
  struct Event {
    int node = 0;
    Interval at, until;  // time since the start
    std::int64_t speed = 1000;
  };
  struct Profile {
    int node = 0;
    std::vector<std::pair<Interval, std::int64_t>> steps;  // since the start; speed
    Interval loop_after;                                   // none: the last step remains
  };
  struct Load {
    int first = 0, last = 0;  // nodes
    std::int64_t mean = 0;    // thousandths
    Interval period;
    std::uint64_t seed = 0;
  };
  struct Outage {  // of a node; for good without `until`
    int node = 0;
    Interval at, until;
  };
  struct LinkEvent {  // between the nodes of two groups, in both directions; factors in thousandths
    int a = 0, b = 0;
    Interval at, until;
    std::int64_t latency = 1000, bandwidth = 1000;
  };
  enum class Policy { block, cyclic, list };

  Cluster() = default;
  // Each rank has a node of its own, and all nodes are alike.
  Cluster(const model::Parameters& network, int ranks) : network(network), groups{{ranks, 1}} {}

  model::Parameters network;
  std::vector<Group> groups{Group{}};
  Policy policy = Policy::block;
  std::vector<int> list;  // for Policy::list: node of each rank
  std::vector<Link> links;
  std::vector<Profile> profiles;
  std::vector<Event> events;
  std::vector<Load> loads;
  std::vector<Outage> outages;  // one after another on each node

  std::vector<LinkEvent> link_events;
  Wiring wiring;            // between the nodes
  std::int64_t faster = 0;  // millionths by which all CPUs are faster; not in the target file
  bool measured = false;    // the library measures the work
  bool notices = false;     // failures for good show in the results of other ranks' operations

  bool steady() const {
    return profiles.empty() && events.empty() && loads.empty() && outages.empty() && link_events.empty();
  }
};

// The cluster as a target file. The files that it names are in the same folder, and their names begin with `name`.
std::string target_file(const Cluster& cluster, const std::string& name);
// The contents of a file.
struct File {
  std::string name, text;
};
std::vector<File> profile_files(const Cluster& cluster, const std::string& name);
std::string describe(const Cluster& cluster);

class Costs {
 public:
  Costs(const Cluster& cluster, int ranks);

  bool eager(model::Bytes k) const;
  Interval send_overhead(int from, int to, model::Bytes k) const;
  Interval receive_overhead(int from, int to, model::Bytes k) const;
  // For a message of k bytes that leaves at `at`.
  Interval latency(int from, int to, model::Bytes k, Instant at) const;
  Interval occupancy(int from, int to, model::Bytes on_wire, Instant at) const;
  Rate gap_per_byte(int from, int to, model::Bytes on_wire, Instant at) const;
  // The shared resources between two ranks.
  std::vector<Passed> passes(int from, int to) const;
  bool fair() const { return cluster_.network.nodes.share == model::Share::fair; }
  bool bus(int from, int to) const;
  bool serial_card(int from, int to) const;
  bool gets(int from, int to, model::Bytes k) const;
  bool sends_whole(int from, int to) const;
  Interval first_byte(int from, int to, model::Bytes k) const;  // part of o_s(k) before it leaves
  int handshake_trips() const { return cluster_.network.handshake_trips; }
  Interval gap() const { return cluster_.network.gap; }
  // Work of collectives.
  Interval reduction(model::Bytes k) const { return cluster_.network.reduce_per_byte.times(k); }
  Interval copy(model::Bytes k) const { return cluster_.network.copy_per_byte.times(k); }
  Interval temporary(const Room& room) const;
  Interval poll(Interval polling = Interval()) const;  // of a rank that has polled for this time
  // The instant when `rank` finishes work that takes the reference CPU `work`.
  Instant done(int rank, Interval work, Instant start) const;
  // The instant when `rank` has been up for `time` since `start`. Never, if it fails before.
  Instant after(int rank, Interval time, Instant start) const;
  // True if the node of `rank` is down; then `until` is the end of the outage.
  bool down(int rank, Instant at, Instant& until) const;
  Interval down_within(int rank, Instant from, Instant until) const;
  bool ever_down(int rank) const;
  Instant fails(int rank) const;  // when its node fails for good
  // The instant from which `by` knows that `rank` has failed.
  Instant known(int rank, int by) const { return cluster_.notices ? silent(rank, by) : Instant::never(); }
  // As known(), if failures were noticed.
  Instant silent(int rank, int by) const { return known_[static_cast<std::size_t>(rank * ranks_ + by)]; }
  bool notices() const { return cluster_.notices; }
  // True if the speed may change meanwhile.
  bool crosses(int rank, Interval work, Instant start) const;
  int node_of(int rank) const { return nodes_[static_cast<std::size_t>(rank)]; }

 private:
  int group_of(int rank) const;
  int place_on_node(int rank) const;
  Instant find_known(int rank, int by) const;
  // In billionths, constant from `at` until at least `until`.
  std::int64_t speed(int rank, Instant at, Instant& until) const;
  // The values that the cluster states for the pair; null if there are none.
  const Cluster::Link* stated(int from, int to) const;
  // The costs of messages of k bytes: the pair's values, or those of a piece.
  model::Piece values(int from, int to, model::Bytes k) const;
  const Cluster::LinkEvent* event(int from, int to, Instant at) const;

  Cluster cluster_;
  int ranks_;
  std::vector<int> nodes_;      // of each rank
  std::vector<Instant> known_;  // queried very often
};

}  // namespace emu::reference
