// Entry points for programs that go on when others have failed: MPICH's part of the User Level Failure
// Mitigation proposal. What a failure does to other operations is in rank/semantics.md.

#include <mpi.h>

#include <vector>

#include "mpi/convert.h"
#include "mpi/entry.h"

using emu::mpi::Entry;
using emu::mpi::Error;
using emu::mpi::process;
using emu::rank::Communicator;
using emu::rank::Rank;

namespace {

Communicator& found(MPI_Comm comm) { return process->communicators.find(comm); }

// The group of those members of `comm` for which `chosen(rank in comm)`.
template <class Chosen>
MPI_Group group_of(MPI_Comm comm, const Communicator& c, Chosen chosen) {
  std::vector<int> ranks;
  for (int i = 0; i < c.size(); ++i)
    if (chosen(i)) ranks.push_back(i);
  MPI_Group all, some;
  PMPI_Comm_group(comm, &all);
  PMPI_Group_incl(all, static_cast<int>(ranks.size()), ranks.data(), &some);
  PMPI_Group_free(&all);
  return some;
}

void get_acknowledged(Rank& rank, MPI_Comm comm, MPI_Group* group) {
  const Communicator& c = found(comm);
  *group = group_of(comm, c, [&](int i) {
    const auto known = rank.failures().known(c.world[static_cast<std::size_t>(i)]);
    return c.acknowledged && known <= *c.acknowledged;
  });
}

// The members that are left, as those of a communicator, for the messages that an agreement takes.
Communicator left(const Communicator& c, const Rank::Agreement& agreed) {
  Communicator members;
  members.context = c.context;
  members.round = c.agreements;
  for (int i = 0; i < c.size(); ++i) {
    if (i == c.rank) members.rank = members.size();
    if (agreed.alive[static_cast<std::size_t>(i)])
      members.world.push_back(c.world[static_cast<std::size_t>(i)]);
  }
  return members;
}

void agree(Rank& rank, MPI_Comm comm, int* flag) {
  Communicator& c = found(comm);
  const Rank::Agreement agreed = rank.agree(c, *flag);
  rank.pay_agreement(left(c, agreed), 8);
  *flag = agreed.flag;
  if (agreed.acknowledged) return;
  for (int i = 0; i < c.size(); ++i)
    if (!agreed.alive[static_cast<std::size_t>(i)])
      emu::mpi::check_failed(c.world[static_cast<std::size_t>(i)]);
}

void shrink(Rank& rank, MPI_Comm comm, MPI_Comm* out) {
  Communicator& c = found(comm);
  const Rank::Agreement agreed = rank.agree(c, 1);
  // All of them are here now; some may be gone when the messages are paid for.
  MPI_Group group = group_of(comm, c, [&](int i) { return agreed.alive[static_cast<std::size_t>(i)]; });
  const int code = PMPI_Comm_create_group(comm, group, c.agreements, out);
  PMPI_Group_free(&group);
  if (code != MPI_SUCCESS) throw Error{code, "the library refused to make the communicator"};
  // As by MPI_Comm_split, but not by the call above.
  MPI_Errhandler handler;
  PMPI_Comm_get_errhandler(comm, &handler);
  PMPI_Comm_set_errhandler(*out, handler);
  PMPI_Errhandler_free(&handler);
  process->communicators.add(*out);
  rank.pay_agreement(left(c, agreed), 64);
}

}  // namespace

extern "C" int MPIX_Comm_failure_ack(MPI_Comm comm) {
  const Entry entry(__func__);
  if (entry.native()) return PMPIX_Comm_failure_ack(comm);
  return entry.run(comm, [&](Rank& rank) { found(comm).acknowledged = rank.now(); });
}

extern "C" int MPIX_Comm_failure_get_acked(MPI_Comm comm, MPI_Group* group) {
  const Entry entry(__func__);
  if (entry.native()) return PMPIX_Comm_failure_get_acked(comm, group);
  return entry.run(comm, [&](Rank& rank) { get_acknowledged(rank, comm, group); });
}

extern "C" int MPIX_Comm_agree(MPI_Comm comm, int* flag) {
  const Entry entry(__func__);
  if (entry.native()) return PMPIX_Comm_agree(comm, flag);
  return entry.run(comm, [&](Rank& rank) { agree(rank, comm, flag); });
}

extern "C" int MPIX_Comm_shrink(MPI_Comm comm, MPI_Comm* out) {
  const Entry entry(__func__);
  if (entry.native()) return PMPIX_Comm_shrink(comm, out);
  return entry.run(comm, [&](Rank& rank) { shrink(rank, comm, out); });
}
