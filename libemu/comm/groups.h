// Groups and their handles.
#pragma once

#include <mpi.h>

#include <vector>

#include "rank/members.h"

namespace emu::mpi {

using rank::Members;

// MPI_Group handles: numbers that MPICH itself never uses.
class Groups {
 public:
  // The empty group is MPI_GROUP_EMPTY.
  MPI_Group add(Members members);
  // Throws Error for an unknown handle. MPI_GROUP_EMPTY has no members.
  const Members& find(MPI_Group handle) const;
  // Removes the group; the handle becomes MPI_GROUP_NULL.
  void remove(MPI_Group& handle);

 private:
  struct Entry {
    bool used = false;
    Members members;
  };
  std::vector<Entry> entries_;
  std::vector<int> spare_;
};

// The members of the first group, then those of the second that are not in the first.
Members united(const Members& a, const Members& b);
// The members of `a` that are in `b`, or (`in` is false) that are not.
Members filtered(const Members& a, const Members& b, bool in);
// MPI_IDENT, MPI_SIMILAR or MPI_UNEQUAL.
int compare(const Members& a, const Members& b);

}  // namespace emu::mpi
