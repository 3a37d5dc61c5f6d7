// Entry points for programs that go on when others have failed: MPICH's part of the User Level Failure
// Mitigation proposal. What a failure does to other operations is in rank/semantics.md.

#include <mpi.h>

#include <utility>
#include <vector>

#include "mpi/convert.h"
#include "mpi/entry.h"
#include "mpi/groups.h"
#include "mpi/making.h"

using emu::mpi::Communicator;
using emu::mpi::Entry;
using emu::mpi::Error;
using emu::mpi::Members;
using emu::mpi::present;
using emu::mpi::process;
using emu::rank::Rank;

namespace {

Communicator& found(MPI_Comm comm) {
  Communicator& c = process->communicators.find(comm);
  if (c.inter()) throw Error{MPI_ERR_COMM, "failures are not acknowledged in intercommunicators"};
  return c;
}

// Those members of `c` for which `chosen(rank in comm)`.
template <class Chosen>
Members members_of(const Communicator& c, Chosen chosen) {
  std::vector<int> ranks;
  for (int i = 0; i < c.size(); ++i)
    if (chosen(i)) ranks.push_back(c.world[i]);
  return Members(std::move(ranks));
}

void get_acknowledged(Rank& rank, MPI_Comm comm, MPI_Group* group) {
  const Communicator& c = found(comm);
  present(group) = process->groups.add(members_of(c, [&](int i) {
    const auto known = rank.failures().known(c.world[i]);
    return c.acknowledged && known <= *c.acknowledged;
  }));
}

// The members that are left, as those of a communicator, for the messages that an agreement takes.
Communicator left(const Communicator& c, const Rank::Agreement& agreed) {
  const Members alive = members_of(c, [&](int i) { return agreed.alive[static_cast<std::size_t>(i)] != 0; });
  Communicator members(c.context, alive, alive.find(c.world[c.rank]));
  members.round = c.agreements;
  return members;
}

void agree(Rank& rank, MPI_Comm comm, int* flag) {
  Communicator& c = found(comm);
  const Rank::Agreement agreed = rank.agree(c, present(flag), 0);
  rank.pay_agreement(left(c, agreed), 8);
  *flag = agreed.flag;
  if (agreed.acknowledged) return;
  for (int i = 0; i < c.size(); ++i)
    if (!agreed.alive[static_cast<std::size_t>(i)]) emu::mpi::check_failed(c.world[i]);
}

void shrink(Rank& rank, MPI_Comm comm, MPI_Comm* out) {
  Communicator& c = found(comm);
  present(out);
  const Rank::Agreement agreed = rank.agree(c, 1, process->communicators.new_context());
  const Communicator members = left(c, agreed);
  *out = emu::mpi::making::keep(comm, Communicator(agreed.name, members.group, members.rank));
  rank.pay_agreement(members, 64);
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
