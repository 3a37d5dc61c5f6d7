// The cost model: LogGPS (Ino, Fujimoto, Hagihara, PPoPP 2001) with the overhead extended by a term that
// grows with the number of processes P (Mizutani, Ino, Hagihara, 2004, Table 1 and Fig. 3).
//
// All functions are pure. A cost is asked of the Network object for the two ranks and, where it can change,
// the instant. None is above Interval::longest(), by which a clock stops the job.
// L, G, o_s and o_r may be others for messages of certain sizes (segmented LogGP: Hoefler, Lichei, Rehm, IPDPS 2007).
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/rate.h"
#include "base/time.h"
#include "model/interconnect.h"
#include "model/places.h"
#include "model/resources.h"

namespace emu::model {

using Bytes = std::int64_t;

// o(k) = fixed + per_process * P + per_byte * k, at most Interval::longest()
struct Overhead {
  Interval fixed;        // o'_a
  Interval per_process;  // o'_b, per process of MPI_COMM_WORLD
  Rate per_byte;         // O

  [[gnu::hot]] constexpr Interval of(Bytes k, int processes) const {
    return fixed.plus(per_process.times(processes)).plus(per_byte.times(k));
  }
  friend bool operator==(const Overhead&, const Overhead&) = default;
};

enum class Card {
  free,    // the paper's model: a card carries any number of messages at once
  serial,  // one resource per direction: messages pass one after another, (k-1)G each
};

// What is between the nodes. Another one needs a name here, its part of Network::route(), its keys and its words
// in target/target.cc and config/README.md, and, for the random programs, tests/reference/cluster/media.cc.
enum class Medium {
  network,  // a switch: any number of messages at once
  bus,      // one message at a time, (k-1)G each, in the order in which their heads are there
  grid,     // a mesh, nodes row by row: a message pays L for each hop, and its bytes follow without a break
};

// The values of messages of a range of sizes: those above the piece before, up to this one's limit.
struct Piece {
  Bytes up_to = 0;    // bytes on the wire
  Interval latency;   // L
  Rate gap_per_byte;  // G
  Overhead send;      // o_s
  Overhead receive;   // o_r

  friend bool operator==(const Piece&, const Piece&) = default;
};

// What a target file says of its network as a whole.
struct Parameters {
  Interval latency;           // L
  Interval gap;               // g: two sends of one rank start at least this far apart
  Rate gap_per_byte;          // G
  Bytes eager_limit = 0;      // S: longer messages use a handshake (rendezvous)
  bool always_eager = false;  // S is infinite
  // How many times L passes before the data of a rendezvous can leave: request and answer are 2. What is beyond
  // those costs nobody's CPU time. A protocol that asks twice has 4.
  int handshake_trips = 2;
  Card card = Card::free;
  Medium medium = Medium::network;
  int columns = 1;   // of the grid
  Overhead send;     // o_s
  Overhead receive;  // o_r
  Interval poll;     // one Iprobe or Test that answers false
  // What collectives do at a rank beside messages: a predefined reduction, a copy from buffer to buffer.
  Rate reduce_per_byte;
  Rate copy_per_byte;
  NodeParameters nodes;       // what ranks of a node share
  std::vector<Piece> pieces;  // by growing limits; longer messages have L, G, o_s and o_r as above
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
  std::vector<LinkChange> changes;   // do not overlap, unless they are the same factors
  std::vector<Piece> pieces;         // by growing limits; longer messages have the values above
  std::optional<Bytes> eager_limit;  // S; none: that of the network

  friend bool operator==(const Link&, const Link&) = default;
};

// Where the ranks are, and what links them.
struct Topology {
  using Place = Places::Place;
  Places ranks;
  int groups = 1;
  std::vector<Link> between;  // [from group * groups + to group], for ranks on different nodes
  std::vector<Link> inside;   // [group], for ranks on one node
  // The links between the nodes; null: none that messages share.
  std::shared_ptr<const Interconnect> interconnect;

  // `ranks` on a node each, all links alike.
  static Topology uniform(const Parameters& p, int ranks);
};

// What messages pass one after another, each of them for its occupancy, in the order in which their heads come
// there.
enum class Resource : std::uint8_t {
  sending_card,    // the sender's own: what it holds up leaves later
  receiving_card,  // the receiver's
  bus,             // all ranks share it
};

// What a message meets on its way from one rank to another.
struct Route {
  Interval latency;        // of its first byte, from leaving to arriving
  Interval occupancy;      // (k-1)G: the time by which the last byte trails the first
  double latencies = 1;    // how many times L that is, as it weighs on a path
  double trailing = 0;     // how many times G
  Rate gap_per_byte;       // of this message: G
  int hops = 1;            // the steps from node to node that it pays L for
  bool changes = false;    // L is not that of all messages, so the next one may come sooner than this one
  bool contended = false;  // its bytes share resources with those of other messages: contention/contention.h
  std::span<const Resource>
      resources;  // in the order in which it comes to them; empty: nothing is in its way

  bool passes(Resource resource) const {
    return std::find(resources.begin(), resources.end(), resource) != resources.end();
  }
};

// How soon a rank can notice what another one does.
struct Lookahead {
  Interval message;  // by a message of that rank: Network::lookahead() of the two
  Interval chain;    // by messages that go through others

  friend bool operator==(const Lookahead&, const Lookahead&) = default;
};

class Network {
 public:
  Network(const Parameters& parameters, int processes)
      : Network(parameters, Topology::uniform(parameters, processes)) {}
  // `one_sided`: ranks may also answer each other without an overhead, as soon as they are asked.
  Network(const Parameters& parameters, const Topology& topology, bool one_sided = false);

  // An empty message still is one byte on the wire.
  static constexpr Bytes on_wire(Bytes k) { return std::max<Bytes>(k, 1); }

  bool eager(int from, int to, Bytes k) const { return on_wire(k) <= *link(from, to).eager_limit; }

  // What a message of k bytes costs its sender and its receiver.
  Interval send_overhead(int from, int to, Bytes k) const {
    const Link& l = link(from, to);
    const Piece* const piece = piece_of(l, on_wire(k));
    return (piece ? piece->send : l.send).of(on_wire(k), processes_);
  }
  Interval receive_overhead(int from, int to, Bytes k) const {
    const Link& l = link(from, to);
    const Piece* const piece = piece_of(l, on_wire(k));
    return (piece ? piece->receive : l.receive).of(on_wire(k), processes_);
  }
  // What a rank pays in a collective for a predefined reduction, and for a copy, of k bytes.
  Interval reduction(Bytes k) const { return p_.reduce_per_byte.times(k); }
  Interval copying(Bytes k) const { return p_.copy_per_byte.times(k); }
  // c_s, c_r: a control message of one byte.
  Interval control_send(int from, int to) const { return send_overhead(from, to, 1); }
  Interval control_receive(int from, int to) const { return receive_overhead(from, to, 1); }

  // A message of k bytes that leaves at `at`. Its latency is never less than 1 ps in sum with the send overhead,
  // so that causes stand strictly before effects and the rule of order always makes progress.
  [[gnu::hot]] Route route(int from, int to, Bytes k, Instant at) const {
    const Link& l = link(from, to);
    const Bytes trailing = on_wire(k) - 1;
    Route r = usual_route(l, trailing);
    if (!l.pieces.empty()) [[unlikely]]
      take_piece(r, l, trailing);
    if (!l.changes.empty()) change_at(r, l, trailing, at);
    if (pays_hops()) repeat(r, from, to);
    if (resources_.any()) [[unlikely]]
      share(r, from, to);
    return r;
  }
  // What messages share.
  const Resources& resources() const { return resources_; }
  // A message pays L for each step from node to node; otherwise once.
  bool pays_hops() const { return p_.medium == Medium::grid; }
  // The same with the greatest latency that it ever has, whatever the message's length, of one byte.
  Route slowest(int from, int to) const;

  Interval gap() const { return p_.gap; }
  // Never nothing: a clock that stands still in an unsuccessful poll would never see the message it polls
  // for.
  Interval poll() const { return std::max(p_.poll, Interval::picoseconds(1)); }
  // Heads of one source come to a card, or to the bus, in the order in which they were sent, whoever they are
  // for. (Those for one receiver always do: rank/semantics.md, "Messages".)
  bool orderly_heads() const { return orderly_; }

  // What is beyond the two trips of a handshake: from the arrival of an answer, which came by `back`, until its
  // receiver can act upon it; and how many times L that is.
  Interval further_trips(const Route& back) const { return back.latency.times(p_.handshake_trips - 2); }
  double further_latencies(const Route& back) const { return back.latencies * (p_.handshake_trips - 2); }

  // From the call of a send to the end of a receive that waits for it, with nothing else going on.
  Interval one_way(int from, int to, Bytes k, Instant at = Instant()) const;

  // What any message costs its receiver at the least.
  Interval least_receive_overhead() const { return least_receive_; }

  // The least virtual time between a rank's action and its arrival elsewhere: whatever a rank does at t, no
  // other rank can notice before t + lookahead. It is o_s(1) + L, or L alone, at least 1 ps, of a one-sided network, the least over all links that a pair of the job's ranks
  // has, and on a bus a rank with itself.
  Interval lookahead() const { return lookahead_; }
  // From the ranks of each group of nodes to `to`; that from `to` to itself means nothing. On a bus all ranks notice
  // all messages, so it is the least of all.
  std::vector<Lookahead> lookaheads(int to) const;
  // On which of the target's nodes `rank` is.
  Places::Place place(int rank) const { return places_[static_cast<std::size_t>(rank)]; }

 private:
  const Link& link(int from, int to) const {
    const Places::Place a = places_[static_cast<std::size_t>(from)];
    const Places::Place b = places_[static_cast<std::size_t>(to)];
    return links_[static_cast<std::size_t>(a.node == b.node ? groups_ * groups_ + a.group
                                                            : a.group * groups_ + b.group)];
  }

  void find_least(const Topology& topology);
  void find_order();
  Route usual_route(const Link& l, Bytes trailing) const {
    Route r;
    r.latency = l.latency;
    r.gap_per_byte = l.gap_per_byte;
    r.occupancy = l.gap_per_byte.times(trailing);
    r.trailing = static_cast<double>(trailing);
    if (l.card) r.resources = shared_;
    return r;
  }
  // The piece of messages with so many bytes on the wire; null: they have the link's own values.
  static const Piece* piece_of(const Link& l, Bytes k) {
    if (l.pieces.empty()) [[likely]]
      return nullptr;
    return find_piece(l, k);
  }
  [[gnu::noinline]] static const Piece* find_piece(const Link& l, Bytes k);
  // L and G of the message's piece.
  [[gnu::noinline]] void take_piece(Route& route, const Link& link, Bytes trailing) const;
  // L and G as they are then.
  void change(Route& route, const Link& link, const Piece* piece, Bytes trailing,
              const LinkChange& change) const;
  [[gnu::noinline]] void change_at(Route& route, const Link& link, Bytes trailing, Instant at) const;
  // L for each step.
  [[gnu::noinline]] void repeat(Route& route, int from, int to) const;
  int grid_hops(int from, int to) const;
  // The latency of the interconnect, and whether the message meets others there.
  [[gnu::noinline]] void share(Route& route, int from, int to) const;

  Parameters p_;
  int processes_;
  int groups_;
  bool one_sided_;
  Places places_;
  Resources resources_;
  std::vector<Link> links_;           // Topology's between and inside, with the latency as route() has it
  std::span<const Resource> shared_;  // what messages pass on links with a card
  bool orderly_ = true;
  Interval least_receive_;
  Interval lookahead_;
  std::vector<Interval> least_;  // [from group * groups + to group]: as lookahead_
};

}  // namespace emu::model
