#include "model/resources.h"

#include <algorithm>
#include <map>
#include <utility>

namespace emu::model {

Resources::Resources(const NodeParameters& nodes, const Places& ranks,
                     std::shared_ptr<const Interconnect> interconnect, bool bus)
    : nodes_(nodes), ranks_(ranks), interconnect_(std::move(interconnect)), bus_(bus) {
  for (const Places::Place place : ranks_) node_count_ = std::max(node_count_, place.node + 1);
  if (nodes_.cards && nodes_.rails > 1) {
    std::map<int, int> on_node;
    for (const Places::Place place : ranks_) rails_.push_back(on_node[place.node]++ % nodes_.rails);
  }
  count_ = links();
  if (nodes_.cards) count_ += node_count_ * nodes_.rails * ways();
  if (nodes_.memory) count_ += node_count_;
}

int Resources::ways() const {
  switch (nodes_.duplex) {
    case NodeParameters::Duplex::half:
      return 1;
    case NodeParameters::Duplex::full:
      return 2;
    case NodeParameters::Duplex::joint:
      return 3;
  }
  return 0;
}

Rate Resources::gap_per_byte(int resource) const {
  if (resource < links()) return bus_ ? Rate() : interconnect_->gap_per_byte(resource);
  resource -= links();
  const int cards = nodes_.cards ? node_count_ * nodes_.rails * ways() : 0;
  if (resource >= cards) return nodes_.memory_per_byte;
  return resource % ways() == 2 ? nodes_.both_directions : nodes_.card;
}

std::string Resources::name(int resource) const {
  if (resource < links()) return bus_ ? "bus" : interconnect_->name(resource);
  resource -= links();
  const int cards = nodes_.cards ? node_count_ * nodes_.rails * ways() : 0;
  if (resource >= cards) return "node " + std::to_string(resource - cards) + " memory";
  const int card = resource / ways();
  std::string name = "node " + std::to_string(card / nodes_.rails) + " card";
  if (nodes_.rails > 1) name += " " + std::to_string(card % nodes_.rails);
  if (ways() == 1) return name;
  constexpr const char* way[] = {" out", " in", " both ways"};
  return name + way[resource % ways()];
}

void Resources::pass_card(int rank, bool out, std::vector<std::int32_t>& resources) const {
  const int card =
      links() + (ranks_[static_cast<std::size_t>(rank)].node * nodes_.rails + rail(rank)) * ways();
  const auto joint = static_cast<std::int32_t>(card + 2);
  resources.push_back(static_cast<std::int32_t>(ways() == 1 ? card : card + (out ? 0 : 1)));
  if (ways() == 3) resources.push_back(joint);
}

void Resources::route(int from, int to, std::vector<std::int32_t>& resources) const {
  const int a = ranks_[static_cast<std::size_t>(from)].node, b = ranks_[static_cast<std::size_t>(to)].node;
  if (a == b) {
    if (nodes_.memory) resources.push_back(static_cast<std::int32_t>(count_ - node_count_ + a));
    return;
  }
  if (nodes_.cards) pass_card(from, true, resources);
  if (interconnect_) interconnect_->route(a, b, resources);
  if (nodes_.cards) pass_card(to, false, resources);
}

bool Resources::meet(int from, int to) const {
  const int a = ranks_[static_cast<std::size_t>(from)].node, b = ranks_[static_cast<std::size_t>(to)].node;
  if (a == b) return nodes_.memory;
  return nodes_.cards || (interconnect_ && interconnect_->linked(a, b));
}

Interval Resources::latency(int from, int to) const {
  if (!interconnect_) return {};
  const int a = ranks_[static_cast<std::size_t>(from)].node, b = ranks_[static_cast<std::size_t>(to)].node;
  return a == b ? Interval() : interconnect_->latency(a, b);
}

}  // namespace emu::model
