// The cost model: LogGPS (Ino, Fujimoto, Hagihara, PPoPP 2001) with the overhead extended by a term that
// grows with the number of processes P (Mizutani, Ino, Hagihara, 2004, Table 1 and Fig. 3).
//
// All functions are pure. The Network object gives a cost for two ranks and, if it can change, for
// an instant. No cost is above Interval::longest(), at which a clock stops the job.
// L, G, o_s and o_r may depend on the size of the message (segmented LogGP: Hoefler, Lichei, Rehm, IPDPS 2007).
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

// Connection between the nodes. A new one needs a name here, its part of Network::route(), its keys and its name
// in target/target.cc and config/README.md, and, for the random programs, tests/reference/cluster/media.cc.
enum class Medium {
  network,  // a switch: any number of messages at once
  bus,      // one message at a time, (k-1)G each, in the order in which their heads arrive at the bus
  grid,     // a mesh, nodes row by row: a message pays L for each hop; its bytes are pipelined
};

// Transfer of the data of a message longer than S. Words of a target file are in this order.
enum class Rendezvous {
  put,  // the sender sends them after it has received the receiver's answer
  get,  // the receiver reads them, without the sender's CPU, and then notifies the sender
};

// The instant at which a send of data returns. The words of a target file have this order.
enum class SendReturns {
  copied,  // after o_s(k); the bytes leave from then on
  sent,    // after o_s(k), and when the last byte has left; the first byte leaves after o_s(1)
};

// The values of messages of a range of sizes: above the limit of the preceding piece, up to the own limit.
struct Piece {
  Bytes up_to = 0;    // bytes on the wire
  Interval latency;   // L
  Rate gap_per_byte;  // G
  Overhead send;      // o_s
  Overhead receive;   // o_r

  friend bool operator==(const Piece&, const Piece&) = default;
};

// Network parameters of a target file.
struct Parameters {
  Interval latency;           // L
  Interval gap;               // g: two sends of one rank start at least this far apart
  Rate gap_per_byte;          // G
  Bytes eager_limit = 0;      // S: longer messages use a handshake (rendezvous)
  bool always_eager = false;  // S is infinite
  // Number of latencies before the data of a rendezvous can leave: 2 for request and answer. Further trips take no
  // CPU time. A protocol that asks twice has 4.
  int handshake_trips = 2;
  Rendezvous rendezvous = Rendezvous::put;
  Bytes put_limit = 0;  // with `get`: handshakes of messages up to this size are by `put`
  SendReturns send_returns = SendReturns::copied;
  Card card = Card::free;
  Medium medium = Medium::network;
  int columns = 1;   // of the grid
  Overhead send;     // o_s
  Overhead receive;  // o_r
  Interval poll;     // cost of one Iprobe or Test that answers false
  // Share of the time for which a rank has polled, in billionths: a false answer costs at least this share of it.
  std::int64_t poll_growth = 0;
  // Costs of collectives at a rank besides messages: a predefined reduction, a copy from buffer to buffer, and
  // temporary memory that is used, if the library allocates a part of at least `temporary_from` bytes.
  Rate reduce_per_byte;
  Rate copy_per_byte;
  Rate temporary_per_byte;
  Bytes temporary_from = Bytes{32} << 20;
  NodeParameters nodes;       // resources that ranks of a node share
  std::vector<Piece> pieces;  // by ascending limits; longer messages have L, G, o_s and o_r as above
};

// Different values of a link for a time: factors in billionths.
struct LinkChange {
  Instant from, until;  // range of departures to which it applies: [from, until)
  std::int64_t latency;
  std::int64_t bandwidth;  // more than 0

  friend bool operator==(const LinkChange&, const LinkChange&) = default;
};

// Costs of messages from nodes of one group to nodes of another, or inside a node.
struct Link {
  Interval latency;                  // L
  Rate gap_per_byte;                 // G
  Overhead send;                     // o_s, at the sender
  Overhead receive;                  // o_r, at the receiver
  bool card = true;                  // its messages pass the network cards and the bus; false inside a node
  std::vector<LinkChange> changes;   // without overlap, except with equal factors
  std::vector<Piece> pieces;         // by ascending limits; longer messages have the values above
  std::optional<Bytes> eager_limit;  // S; none: that of the network
  std::optional<Rendezvous> rendezvous = {};     // none: that of the network
  std::optional<Bytes> put_limit = {};           // none: that of the network
  std::optional<SendReturns> send_returns = {};  // none: that of the network

  friend bool operator==(const Link&, const Link&) = default;
};

// Nodes of the ranks, and links between them.
struct Topology {
  using Place = Places::Place;
  Places ranks;
  int groups = 1;
  std::vector<Link> between;  // [from group * groups + to group], for ranks on different nodes
  std::vector<Link> inside;   // [group], for ranks on one node
  // The links between the nodes; null: messages share no links.
  std::shared_ptr<const Interconnect> interconnect;

  // One rank on each node, all links equal.
  static Topology uniform(const Parameters& p, int ranks);
};

// A resource that messages pass one after another, each for its occupancy, in the order in which their heads
// arrive.
enum class Resource : std::uint8_t {
  sending_card,    // the sender's: a message that has to wait leaves later
  receiving_card,  // the receiver's
  bus,             // shared by all ranks: Resources::bus
};

// Costs and resources of a message from one rank to another.
struct Route {
  Interval latency;        // of the first byte, from departure to arrival
  Interval occupancy;      // (k-1)G: time between first and last byte
  double latencies = 1;    // weight of L on a path
  double trailing = 0;     // weight of G on a path
  Rate gap_per_byte;       // G of this message
  int hops = 1;            // number of steps between nodes, each of which costs L
  bool changes = false;    // L varies, so that the next message may arrive before this one
  bool contended = false;  // its bytes share resources other than the bus: contention/contention.h
  std::span<const Resource>
      resources;  // in the order of use; empty: its messages share no resources with others

  bool passes(Resource resource) const {
    return std::find(resources.begin(), resources.end(), resource) != resources.end();
  }
};

// The least times until a rank can notice acts of another rank.
struct Lookahead {
  Interval message;  // by a message of that rank: Network::lookahead() of the two
  Interval chain;    // by messages through other ranks

  friend bool operator==(const Lookahead&, const Lookahead&) = default;
};

class Network {
 public:
  Network(const Parameters& parameters, int processes)
      : Network(parameters, Topology::uniform(parameters, processes)) {}
  // `one_sided`: ranks may also answer each other without an overhead, at the instant of the request.
  Network(const Parameters& parameters, const Topology& topology, bool one_sided = false);

  // An empty message is one byte on the wire.
  static constexpr Bytes on_wire(Bytes k) { return std::max<Bytes>(k, 1); }

  bool eager(int from, int to, Bytes k) const { return on_wire(k) <= *link(from, to).eager_limit; }
  // True if `to` reads the k bytes of a handshake.
  bool gets(int from, int to, Bytes k) const {
    const Link& l = link(from, to);
    return l.rendezvous == Rendezvous::get && on_wire(k) > *l.put_limit;
  }
  bool any_gets() const;
  // True if a send of data lasts until the last byte has left. Such messages pass no resources.
  bool sends_whole(int from, int to) const { return link(from, to).send_returns == SendReturns::sent; }
  bool any_sends_whole() const;

  // Costs of a message of k bytes at its sender and its receiver.
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
  // The part of send_overhead() after which the first byte leaves, if a send lasts until the last one has left.
  Interval first_byte(int from, int to, Bytes k) const {
    const Link& l = link(from, to);
    const Piece* const piece = piece_of(l, on_wire(k));
    return (piece ? piece->send : l.send).of(1, processes_);
  }
  // Costs of a predefined reduction, and of a copy, of k bytes in a collective.
  Interval reduction(Bytes k) const { return p_.reduce_per_byte.times(k); }
  Interval copying(Bytes k) const { return p_.copy_per_byte.times(k); }
  // Cost of k bytes of temporary memory, of which the largest part has `largest`.
  Interval temporary(Bytes k, Bytes largest) const {
    return largest < p_.temporary_from ? Interval() : p_.temporary_per_byte.times(k);
  }
  // c_s, c_r: a control message of one byte.
  Interval control_send(int from, int to) const { return send_overhead(from, to, 1); }
  Interval control_receive(int from, int to) const { return receive_overhead(from, to, 1); }

  // Route of a message of k bytes that leaves at `at`. Its latency plus the send overhead is
  // at least 1 ps, so that causes precede effects strictly, and ranks always make progress.
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
  // Resources that messages share.
  const Resources& resources() const { return resources_; }
  // True if a message pays L for each step between nodes; otherwise it pays L once.
  bool pays_hops() const { return p_.medium == Medium::grid; }
  // Route of one byte, with the greatest latency that the link ever has for any length of message.
  Route slowest(int from, int to) const;

  Interval gap() const { return p_.gap; }
  // At least 1 ps: a clock that does not advance in an unsuccessful poll would never reach the message that the program
  // polls for.
  Interval poll() const { return std::max(p_.poll, Interval::picoseconds(1)); }
  // The cost of a false answer to a rank that has polled for `polling`.
  Interval poll(Interval polling) const {
    if (p_.poll_growth == 0) [[likely]]
      return poll();
    const auto share = static_cast<__int128>(polling.picoseconds()) * p_.poll_growth / 1'000'000'000;
    return std::max(poll(), Interval::picoseconds(static_cast<std::int64_t>(share)));
  }
  // True if heads from one source reach a card, or the bus, in send order, whatever their receivers. (Heads for one
  // receiver always do: rank/semantics.md, "Messages".)
  bool orderly_heads() const { return orderly_; }

  // The time of a handshake's trips beyond two: from the arrival of an answer, which came by `back`, until its
  // receiver can act upon it; and the number of latencies in it.
  Interval further_trips(const Route& back) const { return back.latency.times(p_.handshake_trips - 2); }
  double further_latencies(const Route& back) const { return back.latencies * (p_.handshake_trips - 2); }
  // Route of k bytes that `to` begins to read at `at` from the memory of `from`. Its latency includes the request to
  // read, and further trips. `arrives`: the instant at which the request reaches `from`.
  Route reading(int from, int to, Bytes k, Instant at, Instant& arrives) const;

  // The time that a send of data takes its sender, and the time from its end to the arrival, without other activity.
  struct Passage {
    Interval send, flight;
  };
  Passage passage(int from, int to, Bytes k, Instant at = Instant()) const;
  // From the call of a send to the end of a receive that waits for it, without other activity.
  Interval one_way(int from, int to, Bytes k, Instant at = Instant()) const;

  // Least cost of any message at its receiver.
  Interval least_receive_overhead() const { return least_receive_; }

  // The least virtual time between a rank's act and its arrival at another rank: no other rank can notice
  // an act at t before t + lookahead. It is o_s(1) + L, or with `one_sided` L alone and at least 1 ps;
  // the least value over all links between ranks of the job, and also of a rank to itself if such a message passes a
  // serial card or the bus.
  Interval lookahead() const { return lookahead_; }
  // From the ranks of each group of nodes to `to`; the value from `to` to itself has no
  // meaning. If messages share resources, any message may delay any other, so the least of all values applies.
  std::vector<Lookahead> lookaheads(int to) const;
  // The target's node of `rank`.
  Places::Place place(int rank) const { return places_[static_cast<std::size_t>(rank)]; }

 private:
  [[gnu::hot]] const Link& link(int from, int to) const {
    if (all_equal_) [[likely]]
      return links_.front();
    return link_of_places(from, to);
  }
  [[gnu::noinline]] const Link& link_of_places(int from, int to) const;

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
  // The piece for messages of k bytes on the wire; null: they have the link's own values.
  static const Piece* piece_of(const Link& l, Bytes k) {
    if (l.pieces.empty()) [[likely]]
      return nullptr;
    return find_piece(l, k);
  }
  [[gnu::noinline]] static const Piece* find_piece(const Link& l, Bytes k);
  // Sets L and G of the message's piece.
  [[gnu::noinline]] void take_piece(Route& route, const Link& link, Bytes trailing) const;
  // Sets L and G during the change.
  void change(Route& route, const Link& link, const Piece* piece, Bytes trailing,
              const LinkChange& change) const;
  [[gnu::noinline]] void change_at(Route& route, const Link& link, Bytes trailing, Instant at) const;
  // L for each step between nodes.
  [[gnu::noinline]] void repeat(Route& route, int from, int to) const;
  int grid_hops(int from, int to) const;
  // Adds the latency of the interconnect, and sets whether the message shares resources.
  [[gnu::noinline]] void share(Route& route, int from, int to) const;

  Parameters p_;
  int processes_;
  int groups_;
  bool one_sided_;
  Places places_;
  Resources resources_;
  std::vector<Link> links_;           // Topology's between and inside, with the latencies of route()
  bool all_equal_ = false;            // the links
  std::span<const Resource> shared_;  // resources on links with a card
  bool orderly_ = true;
  Interval least_receive_;
  Interval lookahead_;
  std::vector<Interval> least_;  // [from group * groups + to group]: as lookahead_
};

}  // namespace emu::model
