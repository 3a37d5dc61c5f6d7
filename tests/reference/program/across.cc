#include "reference/program/across.h"

#include <algorithm>
#include <utility>

namespace emu::reference {
namespace {

constexpr Bytes short_blocks = 2048;  // limit of gather and scatter by way of the first member of a group

// Two groups, and the sequence of their members' messages.
class Groups {
 public:
  Groups(int ranks, std::vector<int> one, std::vector<int> other)
      : plan_(ranks), members_{std::move(one), std::move(other)} {
    if (leader(0) > leader(1)) std::swap(members_[0], members_[1]);
  }

  // The messages since the last call.
  Plan take() { return std::exchange(plan_, Plan(plan_.size())); }
  int size(int group) const { return static_cast<int>(of(group).size()); }
  int leader(int group) const { return of(group).front(); }
  const std::vector<int>& of(int group) const { return members_[static_cast<std::size_t>(group)]; }
  // The group of a rank.
  int group_of(int rank) const { return std::count(of(0).begin(), of(0).end(), rank) > 0 ? 0 : 1; }

  void within(int group, const Plan& plan) { plan_.append(among(of(group), plan_.size(), plan)); }
  void within_both(const std::function<Plan(int size)>& plan) {
    for (const int group : {0, 1}) within(group, plan(size(group)));
  }
  void message(int from, int to, Bytes bytes) { plan_.message(from, to, bytes); }
  void takes(int rank, Bytes bytes) { plan_.take(rank, bytes); }
  // Temporary memory of a leader, for the data of its group or for the group.
  void leader_takes(int group, Bytes bytes) { plan_.take(leader(group), bytes); }
  void swap(int a, int b, Bytes from_a, Bytes from_b) { plan_.swap(a, b, from_a, from_b); }
  // The leader of a group sends to all its members.
  void tell(int group, Bytes bytes) { within(group, broadcast(size(group), 0, bytes)); }
  // `from` sends to all members of the other group.
  void tell_across(int from, Bytes bytes) {
    const int to = 1 - group_of(from);
    message(from, leader(to), bytes);
    tell(to, bytes);
  }
  // The leaders exchange data of these sizes, and send the results to their groups.
  void trade(Bytes from_first, Bytes from_second) {
    plan_.swap(leader(0), leader(1), from_first, from_second);
    tell(0, from_second);
    tell(1, from_first);
  }
  // MPI_Intercomm_create, or from groups: a context of each group, and a list of the context and the members, preceded
  // by its length.
  std::vector<Part> connect(int channel, int channel_of_leaders) {
    const std::vector<std::vector<int>> groups = {of(0), of(1)};
    const std::vector<int> leaders = {leader(0), leader(1)};
    within_both([](int size) { return all_reduce(size, mask); });
    std::vector<Part> result = {{take(), channel, groups, false, leaders}};
    for (const Bytes fixed : {4, 8}) {
      const Bytes bytes[] = {fixed + (fixed == 8 ? 4 * size(0) : 0), fixed + (fixed == 8 ? 4 * size(1) : 0)};
      swap(leader(0), leader(1), bytes[0], bytes[1]);
      result.push_back({take(), channel_of_leaders, {}, true, leaders});
      tell(0, bytes[1]);
      tell(1, bytes[0]);
      result.push_back({take(), channel, groups, false, leaders, true});
    }
    return result;
  }
  // All to all: as many rounds as the larger group has members; in each, a rank sends to the rank `distance` places
  // further.
  void exchange(Bytes block) {
    const int rounds = std::max(size(0), size(1));
    for (int distance = 0; distance < rounds; ++distance)
      for (const int group : {0, 1})
        for (int place = 0; place < size(group); ++place) exchange(group, place, distance, rounds, block);
  }

 private:
  void exchange(int group, int place, int distance, int rounds, Bytes block) {
    const std::vector<int>& others = of(1 - group);
    const auto from = static_cast<std::size_t>((place + rounds - distance) % rounds);
    const auto to = static_cast<std::size_t>((place + distance) % rounds);
    const int rank = of(group)[static_cast<std::size_t>(place)];
    if (from < others.size()) plan_.receive(rank, others[from], block);
    if (to < others.size()) plan_.send(rank, others[to], block);
    plan_.wait(rank);
  }

  Plan plan_;
  std::vector<int> members_[2];
};

Groups halves_of(int ranks) { return {ranks, members(parts, 0, ranks), members(parts, 1, ranks)}; }

// Sends from members of the other group to the root, or from it to them.
void collect(Groups& groups, int root, Bytes block, bool gathers) {
  const int group = 1 - groups.group_of(root), size = groups.size(group), leader = groups.leader(group);
  if (block == 0) return;
  if (block * size >= short_blocks) {
    for (const int member : groups.of(group))
      gathers ? groups.message(member, root, block) : groups.message(root, member, block);
  } else if (gathers) {
    groups.leader_takes(group, block * size);
    groups.within(group, gather(size, 0, block));
    groups.message(leader, root, block * size);
  } else {
    groups.leader_takes(group, block * size);
    groups.message(root, leader, block * size);
    groups.within(group, scatter(size, 0, block));
  }
}

}  // namespace

std::vector<int> every(int first, int step, int ranks) {
  std::vector<int> result;
  for (int rank = first; rank < ranks; rank += step) result.push_back(rank);
  return result;
}

Plan among(const std::vector<int>& members, int ranks, const Plan& plan) {
  Plan result(ranks);
  for (int i = 0; i < plan.size(); ++i) {
    const auto member = [&](int peer) { return members[static_cast<std::size_t>(peer)]; };
    result.append(member(i), plan, i, member);
  }
  return result;
}

Plan neighbours(int ranks, Bytes bytes, const std::function<std::vector<int>(int)>& to,
                const std::function<std::vector<int>(int)>& from) {
  Plan result(ranks);
  for (int rank = 0; rank < ranks; ++rank) {
    for (const int peer : to(rank)) result.send(rank, peer, bytes);
    for (const int peer : from(rank)) result.receive(rank, peer, bytes);
    result.wait(rank);
  }
  return result;
}

std::vector<int> ring_destinations(int rank, int ranks) {
  return {(rank + ranks - 1) % ranks, (rank + 2 * ranks - 2) % ranks};
}

std::vector<int> ring_sources(int rank, int ranks) { return {(rank + 1) % ranks, (rank + 2) % ranks}; }

std::vector<Edge> known_edges(int rank, int ranks) {
  std::vector<Edge> result;
  for (const int k : {0, 1}) {
    const int source = (rank + 3 * ranks - 1 - 2 * k) % ranks;
    result.push_back({source, ring_destinations(source, ranks)[static_cast<std::size_t>(k)]});
  }
  return result;
}

std::map<int, Bytes> told_edges(int rank, int ranks, bool into) {
  std::map<int, Bytes> result;
  for (const Edge& edge : known_edges(rank, ranks)) result[into ? edge.destination : edge.source] += 8;
  return result;
}

int edges_heard(int rank, int ranks, bool into) {
  int count = 0;
  for (int other = 0; other < ranks; ++other)
    count += static_cast<int>(told_edges(other, ranks, into).count(rank));
  return count;
}

Plan near(int ranks, Bytes bytes) {
  return neighbours(
      ranks, bytes, [=](int rank) { return ring_destinations(rank, ranks); },
      [=](int rank) { return ring_sources(rank, ranks); });
}

std::vector<Part> bridge(int ranks, Bytes bytes, bool split) {
  std::vector<Part> result;
  if (split) result = {{all_gather(ranks, wish)}, {all_reduce(ranks, mask)}};
  if (ranks < 2) return result;
  Groups groups(ranks, every(0, 2, ranks), every(1, 2, ranks));
  for (Part& part :
       split ? groups.connect(1, Part::of_leaders) : groups.connect(Part::from_groups, Part::from_groups))
    result.push_back(std::move(part));
  int channel = 2;
  for (int rank = 0; rank + 1 < ranks; rank += 2) groups.swap(rank, rank + 1, bytes, bytes);
  result.push_back({.plan = groups.take(), .channel = channel, .by_pairs = true});
  groups.tell_across(0, bytes);
  result.push_back({groups.take(), ++channel});
  // MPI_Intercomm_merge: agreement on the first group, and a context of all.
  ++channel;
  for (int list = 0; list < 2; ++list) {
    groups.trade(4, 4);
    result.push_back({groups.take(), channel});
  }
  std::vector<int> merged = groups.of(0);
  merged.insert(merged.end(), groups.of(1).begin(), groups.of(1).end());
  result.push_back({among(merged, ranks, all_reduce(ranks, mask)), ++channel});
  return result;
}

std::vector<int> parted(int size, int colour, bool split) {
  std::vector<int> result = every(colour, split ? parted_colours + 1 : 2, size);
  std::reverse(result.begin(), result.end());
  return result;
}

std::vector<Part> parted_bridge(int ranks, Bytes bytes, bool split) {
  std::vector<Part> result = {{all_gather(ranks, wish)}, {all_reduce(ranks, mask)}};
  if (ranks < 2) return result;
  Groups groups(ranks, every(0, 2, ranks), every(1, 2, ranks));
  for (Part& part : groups.connect(1, Part::of_leaders)) result.push_back(std::move(part));
  if (split) {
    groups.within_both([](int size) { return all_gather(size, wish); });
    result.push_back({groups.take(), 2});
  }
  groups.within_both([](int size) { return all_reduce(size, mask); });
  result.push_back({groups.take(), 2});
  groups.trade(4, 4);
  result.push_back({groups.take(), 3});
  const auto list = [&](int group) {
    const int size = groups.size(group);
    return 8 + (split ? 8 * size : 4 * static_cast<int>(parted(size, 0, split).size()));
  };
  groups.trade(list(0), list(1));
  result.push_back({groups.take(), 3});
  Part pairs{.plan = Plan(ranks), .channel = 4, .by_pairs = true}, shared{.plan = Plan(ranks), .channel = 5};
  for (int colour = 0; colour < (split ? parted_colours : 1); ++colour) {
    std::vector<int> new_groups[2];
    for (const int group : {0, 1})
      for (const int place : parted(groups.size(group), colour, split))
        new_groups[group].push_back(groups.of(group)[static_cast<std::size_t>(place)]);
    if (new_groups[0].empty() || new_groups[1].empty()) continue;
    shared.groups.push_back(new_groups[0]);
    shared.groups.back().insert(shared.groups.back().end(), new_groups[1].begin(), new_groups[1].end());
    Groups made(ranks, new_groups[0], new_groups[1]);
    for (std::size_t i = 0; i < std::min(new_groups[0].size(), new_groups[1].size()); ++i)
      made.swap(new_groups[0][i], new_groups[1][i], bytes, bytes);
    pairs.plan.append(made.take());
    made.tell_across(new_groups[0].front(), bytes);
    shared.plan.append(made.take());
  }
  result.push_back(std::move(pairs));
  result.push_back(std::move(shared));
  return result;
}

Plan make_intercommunicator(int ranks) {
  Plan whole(ranks);
  for (const Part& part : halves_of(ranks).connect(0, 0)) whole.append(part.plan);
  return whole;
}

Plan inter_plan(const Operation& o, int ranks) {
  Groups groups = halves_of(ranks);
  const Operands what{.count = o.bytes / 4, .element = 4};
  const int other = 1 - groups.group_of(o.root);
  const auto reduced = [&](int size) { return reduce(size, 0, what); };
  switch (o.action) {
    case Action::barrier:
      groups.within_both(barrier);
      for (int rank = 0; rank < ranks; ++rank) groups.takes(rank, 1);
      for (const int group : {0, 1}) groups.tell_across(groups.leader(group), 1);
      break;
    case Action::broadcast:
      if (o.bytes > 0) groups.tell_across(o.root, o.bytes);
      break;
    case Action::gather:
    case Action::scatter:
      collect(groups, o.root, o.bytes, o.action == Action::gather);
      break;
    case Action::reduce:
      if (o.bytes == 0) break;
      groups.leader_takes(other, o.bytes);
      groups.within(other, reduced(groups.size(other)));
      groups.message(groups.leader(other), o.root, o.bytes);
      break;
    case Action::all_reduce:
      if (o.bytes == 0) break;
      for (const int group : {0, 1}) groups.leader_takes(group, o.bytes);
      groups.within_both(reduced);
      groups.trade(o.bytes, o.bytes);
      break;
    case Action::all_gather:
      if (o.bytes == 0) break;
      for (const int group : {0, 1}) groups.leader_takes(group, o.bytes * groups.size(group));
      groups.within_both([&](int size) { return gather(size, 0, o.bytes); });
      for (const int group : {0, 1}) groups.tell_across(groups.leader(group), o.bytes * groups.size(group));
      break;
    default:
      groups.exchange(o.bytes);
      break;
  }
  return groups.take();
}

}  // namespace emu::reference
