// Consistent cut through the job, put together from the last report of each node.
//
// A report of node X tells the least bound of its ranks, how many messages it has taken in from each node,
// and how many it had sent to each by then. Reports of two nodes are from different moments. A message that
// the one had sent and the other had not yet taken in is in transit across the cut: its receiver's report
// knows nothing of it, and its sender's bound does not account for it any more. So it counts by itself: it
// makes its receiver act at its arrival or later, and with the count of messages goes the arrival of each
// that the sender does not know to be taken in.
//
// bound(Y), the bound of Y's report or the least arrival in transit to Y if that is less, is what Y's ranks
// will not act before, for as long as nobody sends them anything else. Proof, by induction over the acts of
// all ranks after the cut, in the order in which they happen: a rank of Y acts before its bound in Y's report
// only because of a message that came later. That one was in transit, and bound(Y) accounts for it; or it was
// sent after the cut, which is an act that comes before in the induction, and arrives a lookahead later than
// that.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <vector>

namespace emu::wire {

// Messages from one node to another, in the order in which they were sent.
class Flow {
 public:
  void send(std::int64_t arrival) { arrivals_.push_back(arrival); }
  std::uint64_t sent() const { return first_ + arrivals_.size(); }

  // The first `count` messages are known to be taken in: their arrivals need not be known one by one any
  // more.
  void taken_in(std::uint64_t count);
  // Nothing that was sent before message `count` can be in transit any more.
  void settled(std::uint64_t count) {
    if (count >= first_) before_ = never;
  }

  // The least arrival of what is in transit if the receiver has taken in `received` messages.
  std::int64_t in_transit(std::uint64_t received) const;

  // --- as told to third nodes
  std::uint64_t first() const { return first_; }
  const std::deque<std::int64_t>& arrivals() const { return arrivals_; }
  // What is told: messages from `first` on; of those before nothing is known but that they were taken in at
  // last.
  void learn(std::uint64_t first, std::deque<std::int64_t> arrivals);

 private:
  static constexpr std::int64_t never = INT64_MAX / 2;  // Instant::never()

  std::uint64_t first_ = 0;            // how many came before arrivals_
  std::deque<std::int64_t> arrivals_;  // picoseconds
  std::int64_t before_ = never;        // the least arrival of those
};

class Cut {
 public:
  Cut(int nodes, int self);

  // This node's messages to `node`.
  Flow& own(int node) { return flows_[at(node)][self_]; }

  // --- a report of `node`
  void bound(int node, std::int64_t bound) { nodes_[at(node)].bound = bound; }
  void received(int node, int from, std::uint64_t count);
  Flow& sent(int node, int to) { return flows_[at(to)][node]; }

  // Of what `node` said and what is in transit to it.
  std::int64_t bound(int node) const;

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  struct Node {
    std::int64_t bound = 0;
    std::map<int, std::uint64_t> received;
  };
  const int self_;
  std::vector<Node> nodes_;
  std::vector<std::map<int, Flow>> flows_;  // by receiver and sender
};

}  // namespace emu::wire
