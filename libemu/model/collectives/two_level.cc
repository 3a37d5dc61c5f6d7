#include "model/two_level.h"

#include "model/collectives/builder.h"

namespace emu::model {
namespace {

constexpr int kNodesGroup = 8;            // ranks; below, a broadcast is always by nodes
constexpr Bytes kShortBcast = 12288;      // bytes; from here a broadcast begins on the root's node
constexpr Bytes kLongBcast = 524288;      // bytes; from here on it is flat
constexpr Bytes kReduceByLeaders = 2048;  // bytes; up to here a reduction ends on the root's node

// One rank's part, composed of operations among the members of its node and among the leaders.
class Levels : public Builder {
 public:
  explicit Levels(const NodeGroups& groups) : groups_(groups) {}

  // True if the own node has other members.
  bool together() const { return groups_.mates().size() > 1; }
  int mates() const { return static_cast<int>(groups_.mates().size()); }
  int own() const { return groups_.among_mates(groups_.rank()); }

  void on_node(const Schedule& part, const Slice& input, const Slice& output) {
    nest(
        part, [&](int i) { return groups_.mates()[static_cast<std::size_t>(i)]; }, input, output);
  }
  void of_leaders(const Schedule& part, const Slice& input, const Slice& output) {
    nest(
        part, [&](int i) { return groups_.leader(i); }, input, output);
  }

  void bcast_on_node(int root, const Slice& data) {
    if (together()) on_node(bcast(own(), mates(), root, data.bytes), {}, data);
  }
  void bcast_of_leaders(int root, const Slice& data) {
    if (groups_.leads())
      of_leaders(bcast(groups_.own_number(), groups_.leaders(), root, data.bytes), {}, data);
  }
  // `own_data`: the contribution; at the root it may be in the place of `sum`.
  void reduce_on_node(int root, const Reduction& what, const Slice& own_data, const Slice& sum) {
    const bool in_place = own() == root && same(own_data, sum);
    on_node(reduce(own(), mates(), root, what, in_place), own_data, sum);
  }
  void reduce_of_leaders(int root, const Reduction& what, const Slice& own_data, const Slice& sum) {
    const bool in_place = groups_.own_number() == root && same(own_data, sum);
    of_leaders(reduce(groups_.own_number(), groups_.leaders(), root, what, in_place), own_data, sum);
  }

 private:
  static bool same(const Slice& a, const Slice& b) { return a.space == b.space && a.offset == b.offset; }

  const NodeGroups& groups_;
};

// Reduction of up to 2048 bytes.
Schedule short_reduce(const NodeGroups& groups, int root, const Reduction& what, bool in_place) {
  Levels b(groups);
  const Bytes bytes = what.bytes();
  const bool at_root = groups.rank() == root;
  const bool home = groups.among_mates(root) >= 0;
  Slice own = contribution(in_place && at_root, 0, bytes);
  if (!home && b.together()) {
    const Slice sum = groups.leads() ? b.scratch(bytes) : Slice{};
    b.reduce_on_node(0, what, own, sum);
    own = sum;
  }
  if (groups.leads()) {
    const Slice sum = at_root ? out(0, bytes) : home ? b.scratch(bytes) : Slice{};
    b.reduce_of_leaders(groups.number_of(root), what, own, sum);
    if (home) own = sum;
  }
  if (home && b.together())
    b.reduce_on_node(groups.among_mates(root), what, own, at_root ? out(0, bytes) : Slice{});
  return b.take();
}

// Reduction of more bytes.
Schedule long_reduce(const NodeGroups& groups, int root, const Reduction& what, bool in_place) {
  Levels b(groups);
  const Bytes bytes = what.bytes();
  const bool at_root = groups.rank() == root;
  Slice own = contribution(in_place && at_root, 0, bytes);
  if (b.together()) {
    const Slice sum = !groups.leads() ? Slice{} : at_root ? out(0, bytes) : b.scratch(bytes);
    b.reduce_on_node(0, what, own, sum);
    own = sum;
  }
  if (groups.leads()) {
    const bool top = groups.rank() == 0;
    const Slice sum = !top ? Slice{} : at_root ? out(0, bytes) : b.together() ? own : b.scratch(bytes);
    b.reduce_of_leaders(0, what, own, sum);
    if (top && root != 0) b.send(root, sum);
  }
  if (at_root && root != 0) b.receive(0, out(0, bytes));
  return b.take();
}

}  // namespace

bool takes_nodes(const NodeGroups& groups, const AlgorithmQuery& asked) {
  if (!groups.shared()) return false;
  switch (asked.operation) {
    case Collective::barrier:
      return true;
    case Collective::bcast:
      return asked.ranks < kNodesGroup || asked.bytes < kShortBcast ||
             (is_power(asked.ranks) && asked.bytes < kLongBcast);
    case Collective::reduce:
      return asked.commutative;
    case Collective::allreduce:
      return asked.commutative && groups.leaders() > 1;
    default:
      return false;
  }
}

Schedule barrier_by_nodes(const NodeGroups& groups) {
  Levels b(groups);
  if (b.together()) b.on_node(barrier(b.own(), b.mates()), in(0, 0), out(0, 0));
  if (groups.leads()) b.of_leaders(barrier(groups.own_number(), groups.leaders()), in(0, 0), out(0, 0));
  b.bcast_on_node(0, b.scratch(1));
  return b.take();
}

Schedule bcast_by_nodes(const NodeGroups& groups, int root, Bytes bytes) {
  if (bytes == 0) return {};
  Levels b(groups);
  const Slice data = out(0, bytes);
  const int at_home = groups.among_mates(root);  // the root's index among the members of its node
  if (groups.size() < kNodesGroup || bytes < kShortBcast) {
    if (groups.rank() == root && !groups.leads()) b.send(groups.mates().front(), data);
    if (groups.rank() != root && groups.leads() && at_home >= 0) b.receive(root, data);
    b.bcast_of_leaders(groups.leads() ? groups.number_of(root) : 0, data);
    b.bcast_on_node(0, data);
    return b.take();
  }
  if (at_home > 0) b.bcast_on_node(at_home, data);
  b.bcast_of_leaders(groups.leads() ? groups.number_of(root) : 0, data);
  if (at_home <= 0) b.bcast_on_node(0, data);
  return b.take();
}

Schedule reduce_by_nodes(const NodeGroups& groups, int root, const Reduction& what, bool in_place) {
  if (what.bytes() == 0) return {};
  return what.bytes() <= kReduceByLeaders ? short_reduce(groups, root, what, in_place)
                                          : long_reduce(groups, root, what, in_place);
}

Schedule allreduce_by_nodes(const NodeGroups& groups, const Reduction& what, bool in_place) {
  if (what.bytes() == 0) return {};
  Levels b(groups);
  const Slice sum = out(0, what.bytes());
  const Slice own = contribution(in_place, 0, what.bytes());
  if (b.together())
    b.reduce_on_node(0, what, own, sum);
  else
    b.copy(own, sum);
  if (groups.leads()) b.of_leaders(allreduce(groups.own_number(), groups.leaders(), what, true), {}, sum);
  b.bcast_on_node(0, sum);
  return b.take();
}

}  // namespace emu::model
