// Entry points that say what a communicator is. All are local, and take no virtual time.

#include <mpi.h>

#include <algorithm>

#include "mpi/entry.h"
#include "mpi/groups.h"

using emu::mpi::answer;
using emu::mpi::Communicator;
using emu::mpi::compare;
using emu::mpi::emulated;
using emu::mpi::Error;
using emu::mpi::present;
using emu::mpi::process;

namespace {

const Communicator& found(MPI_Comm comm) { return process->communicators.find(comm); }

const Communicator& inter(MPI_Comm comm) {
  const Communicator& c = found(comm);
  if (!c.inter()) throw Error{MPI_ERR_COMM, "the communicator is no intercommunicator"};
  return c;
}

int compared(MPI_Comm a, MPI_Comm b) {
  const Communicator &first = found(a), &second = found(b);
  if (a == b) return MPI_IDENT;
  if (first.inter() != second.inter()) return MPI_UNEQUAL;
  int groups = compare(first.group, second.group);
  if (first.inter()) groups = std::max(groups, compare(first.world, second.world));  // the less alike
  return groups == MPI_IDENT ? MPI_CONGRUENT : groups;
}

}  // namespace

extern "C" int MPI_Comm_rank(MPI_Comm comm, int* rank) {
  if (!emulated()) return PMPI_Comm_rank(comm, rank);
  return answer(__func__, comm, [&] { present(rank) = found(comm).rank; });
}

extern "C" int MPI_Comm_size(MPI_Comm comm, int* size) {
  if (!emulated()) return PMPI_Comm_size(comm, size);
  return answer(__func__, comm, [&] { present(size) = found(comm).group.size(); });
}

extern "C" int MPI_Comm_group(MPI_Comm comm, MPI_Group* group) {
  if (!emulated()) return PMPI_Comm_group(comm, group);
  return answer(__func__, comm, [&] { present(group) = process->groups.add(found(comm).group); });
}

extern "C" int MPI_Comm_compare(MPI_Comm a, MPI_Comm b, int* result) {
  if (!emulated()) return PMPI_Comm_compare(a, b, result);
  return answer(__func__, a, [&] { present(result) = compared(a, b); });
}

extern "C" int MPI_Comm_test_inter(MPI_Comm comm, int* flag) {
  if (!emulated()) return PMPI_Comm_test_inter(comm, flag);
  return answer(__func__, comm, [&] { present(flag) = found(comm).inter(); });
}

extern "C" int MPI_Comm_remote_size(MPI_Comm comm, int* size) {
  if (!emulated()) return PMPI_Comm_remote_size(comm, size);
  // The own one, if there is no other.
  return answer(__func__, comm, [&] { present(size) = found(comm).world.size(); });
}

extern "C" int MPI_Comm_remote_group(MPI_Comm comm, MPI_Group* group) {
  if (!emulated()) return PMPI_Comm_remote_group(comm, group);
  return answer(__func__, comm, [&] { present(group) = process->groups.add(inter(comm).world); });
}
