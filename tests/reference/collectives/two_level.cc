// Collectives of members on several nodes by the leaders of the nodes, as described in libemu/model/two_level.h.
#include <algorithm>
#include <map>

#include "reference/collectives/rounds.h"
#include "reference/program/across.h"

namespace emu::reference {
namespace {

// The members of each node. Nodes are in the order of their first members, their leaders.
class Nodes {
 public:
  explicit Nodes(const std::vector<int>& nodes) : plan_(static_cast<int>(nodes.size())) {
    std::map<int, std::size_t> known;
    for (std::size_t member = 0; member < nodes.size(); ++member) {
      const auto [at, fresh] = known.try_emplace(nodes[member], members_.size());
      if (fresh) members_.emplace_back();
      members_[at->second].push_back(static_cast<int>(member));
    }
    for (const std::vector<int>& on_node : members_) leaders_.push_back(on_node.front());
  }

  Plan take() { return std::move(plan_); }
  int size() const { return plan_.size(); }
  bool several() const { return static_cast<int>(members_.size()) < size(); }
  std::size_t count() const { return members_.size(); }
  std::size_t node_of(int member) const {
    std::size_t node = 0;
    while (place(node, member) < 0) ++node;
    return node;
  }
  int place(std::size_t node, int member) const {
    const auto at = std::find(members_[node].begin(), members_[node].end(), member);
    return at == members_[node].end() ? -1 : static_cast<int>(at - members_[node].begin());
  }
  int leader(std::size_t node) const { return leaders_[node]; }

  bool alone(std::size_t node) const { return members_[node].size() == 1; }
  void take(int member, Bytes bytes) { plan_.take(member, bytes); }
  void each_takes(Bytes bytes) {
    for (int member = 0; member < size(); ++member) take(member, bytes);
  }
  void message(int from, int to, Bytes bytes) { plan_.message(from, to, bytes); }
  void of_leaders(const Plan& plan) { plan_.append(among(leaders_, size(), plan)); }
  // `plan`: for as many ranks as are on a node.
  template <class Of>
  void on(std::size_t node, const Of& plan) {
    plan_.append(among(members_[node], size(), plan(static_cast<int>(members_[node].size()))));
  }
  template <class Of>
  void on_each(const Of& plan) {
    for (std::size_t node = 0; node < members_.size(); ++node) on(node, plan);
  }

 private:
  Plan plan_;
  std::vector<std::vector<int>> members_;
  std::vector<int> leaders_;
};

auto telling(int root, Bytes bytes) {
  return [=](int size) { return broadcast(size, root, bytes); };
}

}  // namespace

Plan barrier_by_nodes(const std::vector<int>& nodes) {
  Nodes n(nodes);
  if (!n.several()) return barrier(n.size());
  n.each_takes(1);
  n.on_each([](int size) { return barrier(size); });
  n.of_leaders(barrier(static_cast<int>(n.count())));
  n.on_each(telling(0, 1));
  return n.take();
}

Plan broadcast_by_nodes(const std::vector<int>& nodes, int root, Bytes bytes) {
  Nodes n(nodes);
  const bool small = n.size() < 8 || bytes < 12288;
  const bool medium = power_of_two(n.size()) && bytes < 524288;
  if (bytes == 0 || !n.several() || !(small || medium)) return broadcast(n.size(), root, bytes);
  const std::size_t home = n.node_of(root);
  const bool leads = n.leader(home) == root;
  if (!leads && small) n.message(root, n.leader(home), bytes);
  if (!leads && !small) n.on(home, telling(n.place(home, root), bytes));
  n.of_leaders(broadcast(static_cast<int>(n.count()), static_cast<int>(home), bytes));
  for (std::size_t node = 0; node < n.count(); ++node)
    if (node != home || leads || small) n.on(node, telling(0, bytes));
  return n.take();
}

Plan reduce_by_nodes(const std::vector<int>& nodes, int root, const Operands& what) {
  Nodes n(nodes);
  if (what.bytes() == 0 || !n.several() || !what.commutative) return reduce(n.size(), root, what);
  const std::size_t home = n.node_of(root);
  const bool ends_at_home = what.bytes() <= 2048;
  const auto reduce_on = [&](std::size_t node, int place, bool in_place) {
    if (!n.alone(node)) n.on(node, [&](int size) { return reduce(size, place, what, in_place); });
  };
  const auto takes_unless_root = [&](int member) {
    if (member != root) n.take(member, what.bytes());
  };
  for (std::size_t node = 0; node < n.count(); ++node) {
    if (node == home && ends_at_home) continue;
    if (!n.alone(node)) takes_unless_root(n.leader(node));
    reduce_on(node, 0, false);
  }
  const std::size_t top = ends_at_home ? home : 0;
  // The leader of that node may have its node's result in the place of the total result already.
  const bool there = !ends_at_home && !n.alone(top);
  if (!there) takes_unless_root(n.leader(top));
  n.of_leaders(reduce(static_cast<int>(n.count()), static_cast<int>(top), what, there));
  if (ends_at_home)
    reduce_on(home, n.place(home, root), n.leader(home) == root);
  else if (root != 0)
    n.message(0, root, what.bytes());
  return n.take();
}

Plan all_reduce_by_nodes(const std::vector<int>& nodes, const Operands& what) {
  Nodes n(nodes);
  if (what.bytes() == 0 || !n.several() || n.count() == 1 || !what.commutative)
    return all_reduce(n.size(), what);
  n.on_each([&](int size) { return reduce(size, 0, what); });  // a leader alone copies its vector
  n.of_leaders(all_reduce(static_cast<int>(n.count()), what, true));
  n.on_each(telling(0, what.bytes()));
  return n.take();
}

}  // namespace emu::reference
