// Functions on groups. All are local, and take no virtual time.

#include <mpi.h>

#include <string>
#include <unordered_map>
#include <vector>

#include "comm/groups.h"
#include "mpi/calls.h"
#include "mpi/entry.h"
#include "mpi/objects.h"

namespace emu::mpi::calls {

namespace {

const Members& members_of(MPI_Group group) { return objects->groups.find(group); }

// Marks the listed ranks of `group`, which must differ. `twice`: the error class of a repetition.
std::vector<char> marked(const Members& group, const std::vector<int>& ranks, int twice) {
  std::vector<char> named(static_cast<std::size_t>(group.size()));
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (ranks[i] < 0 || ranks[i] >= group.size())
      throw Error{MPI_ERR_RANK, "invalid rank " + std::to_string(ranks[i]) + " at index " +
                                    std::to_string(i) + ", in a group of size " +
                                    std::to_string(group.size())};
    if (named[static_cast<std::size_t>(ranks[i])]++)
      throw Error{twice, "rank " + std::to_string(ranks[i]) + " is named twice"};
  }
  return named;
}

std::vector<int> listed(int n, const int ranks[]) {
  if (n < 0) throw Error{MPI_ERR_ARG, "negative number of ranks, " + std::to_string(n)};
  if (n > 0) present(ranks);
  return {ranks, ranks + n};
}

std::vector<int> listed(const Members& group, int n, int ranges[][3]) {
  if (n < 0) throw Error{MPI_ERR_ARG, "negative number of ranges, " + std::to_string(n)};
  if (n > 0) present(ranges);
  std::vector<int> ranks;
  for (int i = 0; i < n; ++i) {
    const auto [first, last, stride] = ranges[i];
    const std::string where = "range " + std::to_string(i);
    if (stride == 0) throw Error{MPI_ERR_ARG, where + " has stride 0"};
    for (const int end : {first, last})
      if (end < 0 || end >= group.size())
        throw Error{MPI_ERR_ARG, where + " names rank " + std::to_string(end) + " in a group of size " +
                                     std::to_string(group.size())};
    if ((stride > 0 && first > last) || (stride < 0 && first < last))
      throw Error{MPI_ERR_ARG, where + ": its stride leads away from its end"};
    for (int rank = first; stride > 0 ? rank <= last : rank >= last; rank += stride) ranks.push_back(rank);
  }
  return ranks;
}

Members included(const Members& group, const std::vector<int>& ranks, int twice) {
  marked(group, ranks, twice);
  std::vector<int> members;
  for (const int rank : ranks) members.push_back(group[rank]);
  return Members(std::move(members));
}

Members excluded(const Members& group, const std::vector<int>& ranks, int twice) {
  const std::vector<char> out = marked(group, ranks, twice);
  std::vector<int> members;
  for (int i = 0; i < group.size(); ++i)
    if (!out[static_cast<std::size_t>(i)]) members.push_back(group[i]);
  return Members(std::move(members));
}

void translate(const Members& from, int n, const int ranks[], const Members& to, int out[]) {
  if (n < 0) throw Error{MPI_ERR_ARG, "negative number of ranks, " + std::to_string(n)};
  if (n > 0) {
    present(ranks);
    present(out);
  }
  std::unordered_map<int, int> ranks_there;
  if (n > 1)
    for (int i = 0; i < to.size(); ++i) ranks_there[to[i]] = i;
  for (int i = 0; i < n; ++i) {
    if (ranks[i] == MPI_PROC_NULL) {
      out[i] = MPI_PROC_NULL;
      continue;
    }
    if (ranks[i] < 0 || ranks[i] >= from.size())
      throw Error{MPI_ERR_RANK, "invalid rank " + std::to_string(ranks[i]) + " in a group of size " +
                                    std::to_string(from.size())};
    int there = -1;
    if (n == 1) {
      there = to.find(from[ranks[i]]);
    } else if (const auto it = ranks_there.find(from[ranks[i]]); it != ranks_there.end()) {
      there = it->second;
    }
    out[i] = there < 0 ? MPI_UNDEFINED : there;
  }
}

}  // namespace

int group_size(MPI_Group group) { return members_of(group).size(); }

int group_rank(MPI_Group group) {
  const int own = members_of(group).find(process->self.number);
  return own < 0 ? MPI_UNDEFINED : own;
}

void group_translate_ranks(MPI_Group group, int n, const int ranks[], MPI_Group other, int out[]) {
  translate(members_of(group), n, ranks, members_of(other), out);
}

int group_compare(MPI_Group a, MPI_Group b) { return compare(members_of(a), members_of(b)); }

MPI_Group group_union(MPI_Group a, MPI_Group b) {
  return objects->groups.add(united(members_of(a), members_of(b)));
}

MPI_Group group_intersection(MPI_Group a, MPI_Group b) {
  return objects->groups.add(filtered(members_of(a), members_of(b), true));
}

MPI_Group group_difference(MPI_Group a, MPI_Group b) {
  return objects->groups.add(filtered(members_of(a), members_of(b), false));
}

MPI_Group group_incl(MPI_Group group, int n, const int ranks[]) {
  return objects->groups.add(included(members_of(group), listed(n, ranks), MPI_ERR_RANK));
}

MPI_Group group_excl(MPI_Group group, int n, const int ranks[]) {
  return objects->groups.add(excluded(members_of(group), listed(n, ranks), MPI_ERR_RANK));
}

MPI_Group group_range_incl(MPI_Group group, int n, int ranges[][3]) {
  const Members& members = members_of(group);
  return objects->groups.add(included(members, listed(members, n, ranges), MPI_ERR_ARG));
}

MPI_Group group_range_excl(MPI_Group group, int n, int ranges[][3]) {
  const Members& members = members_of(group);
  return objects->groups.add(excluded(members, listed(members, n, ranges), MPI_ERR_ARG));
}

void group_free(MPI_Group* group) { objects->groups.remove(present(group)); }

}  // namespace emu::mpi::calls
