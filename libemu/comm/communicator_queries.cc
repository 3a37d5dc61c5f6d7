// Queries of communicators. All are local, and take no virtual time.

#include <mpi.h>

#include <algorithm>

#include "comm/groups.h"
#include "mpi/calls.h"
#include "mpi/entry.h"

namespace emu::mpi::calls {

namespace {

const Communicator& found(MPI_Comm comm) { return process->objects.communicators.find(comm); }

const Communicator& inter(MPI_Comm comm) {
  const Communicator& c = found(comm);
  if (!c.inter()) throw Error{MPI_ERR_COMM, "the communicator is not an intercommunicator"};
  return c;
}

}  // namespace

int comm_rank(MPI_Comm comm) { return found(comm).rank; }

int comm_size(MPI_Comm comm) { return found(comm).group.size(); }

MPI_Group comm_group(MPI_Comm comm) { return process->objects.groups.add(found(comm).group); }

int comm_compare(MPI_Comm a, MPI_Comm b) {
  const Communicator &first = found(a), &second = found(b);
  if (a == b) return MPI_IDENT;
  if (first.inter() != second.inter()) return MPI_UNEQUAL;
  int groups = compare(first.group, second.group);
  if (first.inter()) groups = std::max(groups, compare(first.world, second.world));  // the lesser similarity
  return groups == MPI_IDENT ? MPI_CONGRUENT : groups;
}

int comm_test_inter(MPI_Comm comm) { return found(comm).inter(); }

// For an intracommunicator, the size of the own group.
int comm_remote_size(MPI_Comm comm) { return found(comm).world.size(); }

MPI_Group comm_remote_group(MPI_Comm comm) { return process->objects.groups.add(inter(comm).world); }

}  // namespace emu::mpi::calls
