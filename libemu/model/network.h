// The cost model: LogGPS (Ino, Fujimoto, Hagihara, PPoPP 2001) with the overhead extended by a term that
// grows with the number of processes P (Mizutani, Ino, Hagihara, 2004, Table 1 and Fig. 3).
//
// All functions are pure. A cost is asked of the Network object for the two ranks and, where it can change,
// the instant.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/rate.h"
#include "base/time.h"

namespace emu::model {

using Bytes = std::int64_t;

// o(k) = fixed + per_process * P + per_byte * k
struct Overhead {
  Interval fixed;        // o'_a
  Interval per_process;  // o'_b, per process of MPI_COMM_WORLD
  Rate per_byte;         // O

  constexpr Interval of(Bytes k, int processes) const {
    return fixed + per_process * processes + per_byte.times(k);
  }
  friend bool operator==(const Overhead&, const Overhead&) = default;
};

enum class Card {
  free,    // the paper's model: a card carries any number of messages at once
  serial,  // one resource per direction: messages pass one after another, (k-1)G each
};

// What is between the nodes.
enum class Medium {
  network,  // a switch: any number of messages at once
  bus,      // one message at a time, (k-1)G each, in the order in which their heads are there
  grid,     // a mesh, nodes row by row: a message pays L for each hop, and its bytes follow without a break
};

// What a target file says of its network as a whole.
struct Parameters {
  Interval latency;           // L
  Interval gap;               // g: two sends of one rank start at least this far apart
  Rate gap_per_byte;          // G
  Bytes eager_limit = 0;      // S: longer messages use a handshake (rendezvous)
  bool always_eager = false;  // S is infinite
  Card card = Card::free;
  Medium medium = Medium::network;
  int columns = 1;   // of the grid
  Overhead send;     // o_s
  Overhead receive;  // o_r
  Interval poll;     // one Iprobe or Test that answers false
};

// For a time a link is another one: factors in billionths.
struct LinkChange {
  Instant from, until;  // of the instant at which a message leaves; [from, until)
  std::int64_t latency;
  std::int64_t bandwidth;  // more than 0

  friend bool operator==(const LinkChange&, const LinkChange&) = default;
};

// What messages pay from the nodes of one group to those of another, or inside a node.
struct Link {
  Interval latency;   // L
  Rate gap_per_byte;  // G
  Overhead send;      // o_s, at the sender
  Overhead receive;   // o_r, at the receiver
  bool card = true;   // its messages pass the network cards and the bus; false for a node's own memory
  std::vector<LinkChange> changes;  // do not overlap, unless they are the same factors

  friend bool operator==(const Link&, const Link&) = default;
};

// Where the ranks are, and what links them.
struct Topology {
  struct Place {
    int node = 0;
    int group = 0;
  };
  std::vector<Place> ranks;
  int groups = 1;
  std::vector<Link> between;  // [from group * groups + to group], for ranks on different nodes
  std::vector<Link> inside;   // [group], for ranks on one node

  // `ranks` on a node each, all links alike.
  static Topology uniform(const Parameters& p, int ranks);
};

// How soon a rank can notice what another one does.
struct Lookahead {
  Interval message;  // by a message of that rank, which pays o_s(1) + L at the least
  Interval chain;    // by messages that go through others

  friend bool operator==(const Lookahead&, const Lookahead&) = default;
};

class Network {
 public:
  Network(const Parameters& parameters, int processes)
      : Network(parameters, Topology::uniform(parameters, processes)) {}
  Network(const Parameters& parameters, const Topology& topology);

  // An empty message still is one byte on the wire.
  static constexpr Bytes on_wire(Bytes k) { return std::max<Bytes>(k, 1); }

  bool eager(Bytes k) const { return p_.always_eager || on_wire(k) <= p_.eager_limit; }

  // What a message of k bytes costs its sender and its receiver.
  Interval send_overhead(int from, int to, Bytes k) const {
    return link(from, to).send.of(on_wire(k), processes_);
  }
  Interval receive_overhead(int from, int to, Bytes k) const {
    return link(from, to).receive.of(on_wire(k), processes_);
  }
  // c_s, c_r: a control message of one byte.
  Interval control_send(int from, int to) const { return send_overhead(from, to, 1); }
  Interval control_receive(int from, int to) const { return receive_overhead(from, to, 1); }

  // From the first byte's leaving to its arrival: L, never less than 1 ps in sum with the send overhead,
  // so that causes stand strictly before effects and the rule of order always makes progress. For messages
  // that leave at `at`.
  Interval latency(int from, int to, Instant at) const {
    const Link& l = link(from, to);
    const Interval hop = l.changes.empty() ? l.latency : changed_latency(l, at);
    return p_.medium == Medium::grid ? hop * grid_hops(from, to) : hop;
  }
  // The steps in the grid from one node to the other, at least 1.
  int hops(int from, int to) const { return p_.medium == Medium::grid ? grid_hops(from, to) : 1; }
  // How many times L that is.
  double latencies(int from, int to, Instant at) const {
    const Link& l = link(from, to);
    return hops(from, to) * (l.changes.empty() ? 1 : changed_by(l, at).latency);
  }
  // The greatest that it ever is.
  Interval greatest_latency(int from, int to) const;
  double greatest_latencies(int from, int to) const;
  // (k-1)G: the time by which the last byte trails the first.
  Interval occupancy(int from, int to, Bytes k, Instant at) const {
    const Link& l = link(from, to);
    return (l.changes.empty() ? l.gap_per_byte : changed_gap(l, at)).times(on_wire(k) - 1);
  }
  // How many times G that is.
  double trailing(int from, int to, Bytes k, Instant at) const {
    const Link& l = link(from, to);
    return static_cast<double>(on_wire(k) - 1) / (l.changes.empty() ? 1 : changed_by(l, at).bandwidth);
  }
  Interval gap() const { return p_.gap; }
  // Never nothing: a clock that stands still in an unsuccessful poll would never see the message it polls
  // for.
  Interval poll() const { return std::max(p_.poll, Interval::picoseconds(1)); }
  // The cards of `from` and `to` carry one message at a time, and messages between the two pass them.
  bool serial_card(int from, int to) const { return p_.card == Card::serial && link(from, to).card; }
  // Messages between the two pass the bus that all share.
  bool shared_bus(int from, int to) const { return p_.medium == Medium::bus && link(from, to).card; }
  // The link between the two is another one for a time.
  bool changes(int from, int to) const { return !link(from, to).changes.empty(); }
  // Heads of one source come to a card, or to the bus, in the order in which they were sent, whoever they are
  // for. (Those for one receiver always do: rank/semantics.md, "Messages".)
  bool orderly_heads() const { return orderly_; }

  // From the call of a send to the end of a receive that waits for it, with nothing else going on.
  Interval one_way(int from, int to, Bytes k, Instant at = Instant()) const;

  // What any message costs its receiver at the least.
  Interval least_receive_overhead() const { return least_receive_; }

  // The least virtual time between a rank's action and its arrival elsewhere: whatever a rank does at t, no
  // other rank can notice before t + lookahead. It is the least over all links that a pair of the job's ranks
  // has, and on a bus a rank with itself.
  Interval lookahead() const { return lookahead_; }
  // From each rank to `to`, as far as their groups of nodes tell; that from `to` to itself means nothing. On
  // a bus all ranks notice all messages, so it is the least of all.
  std::vector<Lookahead> lookaheads(int to) const;

 private:
  struct Place {
    int node;
    int group;
    int row;     // of its group in links_
    int column;  // of its group
    int inside;  // in links_
  };

  const Link& link(int from, int to) const {
    const Place& a = places_[static_cast<std::size_t>(from)];
    const Place& b = places_[static_cast<std::size_t>(to)];
    return links_[static_cast<std::size_t>(a.node == b.node ? a.inside : a.row + b.column)];
  }

  void find_least(const Topology& topology);
  void find_order();
  struct ChangedBy {
    double latency, bandwidth;
  };
  static ChangedBy changed_by(const Link& link, Instant at);
  Interval changed_latency(const Link& link, Instant at) const;
  int grid_hops(int from, int to) const;
  static Rate changed_gap(const Link& link, Instant at);

  Parameters p_;
  int processes_;
  int groups_;
  std::vector<Place> places_;
  std::vector<Link> links_;  // with the latency as latency() has it
  bool orderly_ = true;
  Interval least_receive_;
  Interval lookahead_;
  std::vector<Interval> least_;  // [from group * groups + to group]: o_s(1) + L
};

}  // namespace emu::model
