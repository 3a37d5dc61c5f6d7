#include "wire/agent/cut.h"

#include <algorithm>
#include <utility>

namespace emu::wire {

void Flow::taken_in(std::uint64_t count) {
  for (; first_ < count && !arrivals_.empty(); ++first_) {
    before_ = std::min(before_, arrivals_.front());
    arrivals_.pop_front();
  }
}

std::int64_t Flow::in_transit(std::uint64_t received) const {
  std::int64_t least = received < first_ ? before_ : never;
  const std::uint64_t skip = received < first_ ? 0 : received - first_;
  for (std::uint64_t i = skip; i < arrivals_.size(); ++i) least = std::min(least, arrivals_[i]);
  return least;
}

void Flow::learn(std::uint64_t first, std::deque<std::int64_t> arrivals) {
  first_ = first;
  arrivals_ = std::move(arrivals);
  before_ = 0;
}

Cut::Cut(int nodes, int self) : self_(self), nodes_(at(nodes)), flows_(at(nodes)) {}

void Cut::received(int node, int from, std::uint64_t count) {
  nodes_[at(node)].received[from] = count;
  Flow& flow = flows_[at(node)][from];
  if (from != self_) return;
  flow.taken_in(count);
  flow.settled(count);
}

std::int64_t Cut::bound(int node) const {
  const Node& n = nodes_[at(node)];
  std::int64_t least = n.bound;
  for (const auto& [from, flow] : flows_[at(node)]) {
    const auto received = n.received.find(from);
    least = std::min(least, flow.in_transit(received == n.received.end() ? 0 : received->second));
  }
  return least;
}

}  // namespace emu::wire
