// Consistent cut through the job, composed of the last report of each node.
//
// A report of node X contains the least bound of its ranks, the number of messages that it has taken in from
// each node, and the number that it had sent to each by then. Reports of two nodes are from different
// moments. A message that one node had sent and the other had not yet taken in is in transit across the cut:
// the receiver's report does not include it, and the sender's bound does not account for it any more. So it
// counts by itself: it makes its receiver act at its arrival or later. Therefore a report contains, with
// each count of sent messages, the arrivals of those messages that the sender does not know to be taken in.
//
// Let bound(Y) be the bound in Y's report, or the least arrival in transit to Y if that is less.
// Y's ranks do not act before bound(Y), as long as they receive no other message. Proof, by
// induction over the acts of all ranks after the cut, in the order in which they happen: a rank
// of Y acts before the bound in Y's report only because of a message that came later. Either the
// message was in transit, and bound(Y) accounts for it. Or it was sent after the cut: its sending
// is an act that precedes in the induction, and it arrives a lookahead later than that act.
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

  // The first `count` messages are known to be taken in: their individual arrivals are no longer
  // needed.
  void taken_in(std::uint64_t count);
  // No message before number `count` can be in transit any more.
  void settled(std::uint64_t count) {
    if (count >= first_) before_ = never;
  }

  // The least arrival in transit, given that the receiver has taken in `received` messages.
  std::int64_t in_transit(std::uint64_t received) const;

  // --- content of reports to third nodes
  std::uint64_t first() const { return first_; }
  const std::deque<std::int64_t>& arrivals() const { return arrivals_; }
  // Content of a report: the arrivals of messages from number `first` on.
  // Of earlier messages, only the fact that they were taken in is known.
  void learn(std::uint64_t first, std::deque<std::int64_t> arrivals);

 private:
  static constexpr std::int64_t never = INT64_MAX / 2;  // Instant::never()

  std::uint64_t first_ = 0;            // number of messages before arrivals_
  std::deque<std::int64_t> arrivals_;  // picoseconds
  std::int64_t before_ = never;        // the least arrival of those earlier messages
};

class Cut {
 public:
  Cut(int nodes, int self);

  // This node's messages to `node`.
  Flow& own(int node) { return flows_[at(node)][self_]; }

  // --- content of a report of `node`
  void bound(int node, std::int64_t bound) { nodes_[at(node)].bound = bound; }
  void received(int node, int from, std::uint64_t count);
  Flow& sent(int node, int to) { return flows_[at(to)][node]; }

  // bound(Y): from the report of `node` and the messages in transit to it.
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
