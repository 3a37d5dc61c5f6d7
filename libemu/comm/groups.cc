#include "comm/groups.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "mpi/entry.h"

namespace emu::mpi {

namespace {

constexpr MPI_Group first_group = MPI_GROUP_NULL + 1;

std::unordered_set<int> set_of(const Members& members) { return {members.begin(), members.end()}; }

}  // namespace

MPI_Group Groups::add(Members members) {
  if (members.size() == 0) return MPI_GROUP_EMPTY;
  auto index = static_cast<int>(entries_.size());
  if (spare_.empty()) {
    entries_.emplace_back();
  } else {
    index = spare_.back();
    spare_.pop_back();
  }
  entries_[static_cast<std::size_t>(index)] = {true, std::move(members)};
  return first_group + index;
}

const Members& Groups::find(MPI_Group handle) const {
  static const Members& none = *new Members;
  if (handle == MPI_GROUP_EMPTY) return none;
  const auto index = static_cast<std::size_t>(handle - first_group);
  if (handle < first_group || index >= entries_.size() || !entries_[index].used)
    throw Error{MPI_ERR_GROUP, handle == MPI_GROUP_NULL ? "null group" : "invalid group"};
  return entries_[index].members;
}

void Groups::remove(MPI_Group& handle) {
  find(handle);
  if (handle != MPI_GROUP_EMPTY) {
    const int index = handle - first_group;
    entries_[static_cast<std::size_t>(index)] = {};
    spare_.push_back(index);
  }
  handle = MPI_GROUP_NULL;
}

Members united(const Members& a, const Members& b) {
  std::vector<int> all(a.begin(), a.end());
  const auto first = set_of(a);
  for (const int member : b)
    if (!first.contains(member)) all.push_back(member);
  return Members(std::move(all));
}

Members filtered(const Members& a, const Members& b, bool in) {
  std::vector<int> some;
  const auto other = set_of(b);
  for (const int member : a)
    if (other.contains(member) == in) some.push_back(member);
  return Members(std::move(some));
}

int compare(const Members& a, const Members& b) {
  if (a == b) return MPI_IDENT;
  if (a.size() != b.size()) return MPI_UNEQUAL;
  const auto first = set_of(a);
  return std::all_of(b.begin(), b.end(), [&](int member) { return first.contains(member); }) ? MPI_SIMILAR
                                                                                             : MPI_UNEQUAL;
}

}  // namespace emu::mpi
