// Functions for programs that continue after failures of processes: MPICH's part of the User Level Failure
// Mitigation proposal. rank/semantics.md defines the effect of a failure on other operations.

#include <mpi.h>

#include <utility>
#include <vector>

#include "comm/creation_messages.h"
#include "comm/groups.h"
#include "mpi/calls.h"
#include "mpi/convert.h"
#include "mpi/entry.h"
#include "mpi/objects.h"

namespace emu::mpi::calls {

namespace {

Communicator& intracommunicator(MPI_Comm comm) {
  Communicator& c = objects->communicators.find(comm);
  if (c.inter()) throw Error{MPI_ERR_COMM, "failures are not acknowledged in intercommunicators"};
  return c;
}

// The members of `c` for which `chosen(rank in comm)` is true.
template <class Chosen>
Members members_of(const Communicator& c, Chosen chosen) {
  std::vector<int> ranks;
  for (int i = 0; i < c.size(); ++i)
    if (chosen(i)) ranks.push_back(c.world[i]);
  return Members(std::move(ranks));
}

// The remaining members as a communicator, for the messages of an agreement.
Communicator left(const Communicator& c, const Rank::Agreement& agreed) {
  const Members alive = members_of(c, [&](int i) { return agreed.alive[static_cast<std::size_t>(i)] != 0; });
  Communicator members(c.context, alive, alive.find(c.world[c.rank]));
  members.round = c.agreements;
  return members;
}

}  // namespace

void comm_failure_ack(Rank& rank, MPI_Comm comm) { intracommunicator(comm).acknowledged = rank.now(); }

MPI_Group comm_failure_get_acked(Rank& rank, MPI_Comm comm) {
  const Communicator& c = intracommunicator(comm);
  return objects->groups.add(members_of(c, [&](int i) {
    const auto known = rank.failures().known(c.world[i]);
    return c.acknowledged && known <= *c.acknowledged;
  }));
}

void comm_agree(Rank& rank, MPI_Comm comm, int* flag) {
  Communicator& c = intracommunicator(comm);
  const Rank::Agreement agreed = rank.agree(c, present(flag), 0);
  rank.pay_agreement(left(c, agreed), 8);
  *flag = agreed.flag;
  if (agreed.acknowledged) return;
  for (int i = 0; i < c.size(); ++i)
    if (!agreed.alive[static_cast<std::size_t>(i)]) check_failed(c.world[i]);
}

void comm_shrink(Rank& rank, MPI_Comm comm, MPI_Comm* out) {
  Communicator& c = intracommunicator(comm);
  present(out);
  creation::StandIn stand_in;
  const Rank::Agreement agreed = rank.agree(c, stand_in.room(), objects->communicators.new_context());
  const Communicator members = left(c, agreed);
  if (agreed.flag)
    *out = creation::keep(stand_in, comm, Communicator(agreed.name, members.group, members.rank));
  rank.pay_agreement(members, 64);
  if (!agreed.flag) throw creation::too_many_communicators();
}

}  // namespace emu::mpi::calls
