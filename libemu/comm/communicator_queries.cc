// Queries of communicators. All are local, and take no virtual time.

#include <mpi.h>

#include <algorithm>

#include "comm/groups.h"
#include "mpi/calls.h"
#include "mpi/entry.h"
#include "mpi/objects.h"

namespace emu::mpi::calls {

namespace {

const Communicator& inter(MPI_Comm comm) {
  const Communicator& c = communicator_of(comm);
  if (!c.inter()) throw Error{MPI_ERR_COMM, "the communicator is not an intercommunicator"};
  return c;
}

}  // namespace

int comm_rank(MPI_Comm comm) { return communicator_of(comm).rank; }

int comm_size(MPI_Comm comm) { return communicator_of(comm).group.size(); }

MPI_Group comm_group(MPI_Comm comm) { return objects->groups.add(communicator_of(comm).group); }

int comm_compare(MPI_Comm a, MPI_Comm b) {
  const Communicator &first = communicator_of(a), &second = communicator_of(b);
  if (a == b) return MPI_IDENT;
  if (first.inter() != second.inter()) return MPI_UNEQUAL;
  int groups = compare(first.group, second.group);
  if (first.inter()) groups = std::max(groups, compare(first.world, second.world));  // the lesser similarity
  return groups == MPI_IDENT ? MPI_CONGRUENT : groups;
}

int comm_test_inter(MPI_Comm comm) { return communicator_of(comm).inter(); }

// For an intracommunicator, the size of the own group.
int comm_remote_size(MPI_Comm comm) { return communicator_of(comm).world.size(); }

MPI_Group comm_remote_group(MPI_Comm comm) { return objects->groups.add(inter(comm).world); }

}  // namespace emu::mpi::calls
