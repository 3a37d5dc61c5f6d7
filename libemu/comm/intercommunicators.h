// Communicators of intercommunicators: how the two groups make them together.
#pragma once

#include <mpi.h>

#include <optional>

#include "comm/creation.h"

namespace emu::mpi::creation {

// Throws Error if it is none, or an intercommunicator.
const Communicator& intra(MPI_Comm comm);

// As `c`, of whichever kind, with messages of its own.
Communicator duplicated(const Communicator& c, match::Context context);

// Whom the leader of one group talks to: the leader of the other, in the context and with the tag (`round`) of `peers`.
struct LeaderLink {
  rank::Communicator peers;
  int peer = 0;
};

// As MPI_Intercomm_create: `c` has the own group. `way`: its leader's. `room`, here and below: as that of agree_on_context().
Communicator create_inter(rank::Rank& rank, const rank::Communicator& c, int leader, const LeaderLink& way,
                          bool room);

// `c`, an intercommunicator: as MPI_Comm_dup, MPI_Comm_split and MPI_Comm_create. Nothing: this rank is in none, or nobody
// of the other group is.
Communicator duplicate_inter(rank::Rank& rank, const Communicator& c, bool room);
std::optional<Communicator> split_inter(rank::Rank& rank, const Communicator& c, SplitArguments own_arguments,
                                        bool room);
std::optional<Communicator> create_inter(rank::Rank& rank, const Communicator& c, const rank::Members& group,
                                         bool room);

}  // namespace emu::mpi::creation
