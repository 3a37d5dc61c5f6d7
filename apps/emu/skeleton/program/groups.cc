#include "skeleton/program/groups.h"

#include <algorithm>
#include <tuple>

namespace emu::skeleton {
namespace {

std::shared_ptr<const Group> group_of(std::vector<int> members) {
  auto group = std::make_shared<Group>();
  group->members = std::move(members);
  for (std::size_t i = 0; i < group->members.size(); ++i)
    group->place[group->members[i]] = static_cast<int>(i);
  return group;
}

}  // namespace

Groups::Groups(int ranks) : of_rank_(static_cast<std::size_t>(ranks)) {
  std::vector<int> all;
  for (int rank = 0; rank < ranks; ++rank) all.push_back(rank);
  const auto everybody = group_of(std::move(all));
  for (int rank = 0; rank < ranks; ++rank) {
    of_rank_[static_cast<std::size_t>(rank)][world] = everybody;
    of_rank_[static_cast<std::size_t>(rank)][self] = group_of({rank});
  }
}

void Groups::follow(const Step& step) {
  if (step.function() != Function::communicator) return;
  // By the parent and the colour; in each by key and position.
  std::map<std::pair<const Group*, std::int32_t>, std::vector<std::tuple<std::int32_t, int, int>>> parts;
  for (std::size_t rank = 0; rank < step.calls.size(); ++rank) {
    const Call& call = step.calls[rank];
    if (call.function != Function::communicator || call.peer == none) continue;
    const Group* whole = of(rank, call.comm);
    const int number = static_cast<int>(rank);
    if (whole) parts[{whole, call.peer}].emplace_back(call.tag, whole->place.at(number), number);
  }
  for (auto& [which, places] : parts) {
    std::sort(places.begin(), places.end());
    std::vector<int> members;
    for (const auto& [key, place, rank] : places) members.push_back(rank);
    const auto group = group_of(std::move(members));
    for (const int rank : group->members)
      of_rank_[static_cast<std::size_t>(rank)][step.calls[static_cast<std::size_t>(rank)].slot] = group;
  }
}

const Group* Groups::of(std::size_t rank, std::int32_t comm) const {
  const auto found = of_rank_[rank].find(comm);
  return found == of_rank_[rank].end() ? nullptr : found->second.get();
}

}  // namespace emu::skeleton
