// Creation of communicators by the two groups of an intercommunicator.
#pragma once

#include <mpi.h>

#include <optional>

#include "comm/creation_messages.h"

namespace emu::mpi::creation {

// Throws Error for an invalid communicator, or an intercommunicator.
const Communicator& intra(MPI_Comm comm);

// A communicator with the members of `c`, of either kind, and its own context.
Communicator duplicated(const Communicator& c, match::Context context);

// Connection of the leaders of two groups: the peer leader, in the context and with the tag (`round`) of `peers`.
struct LeaderLink {
  rank::Communicator peers;
  int peer = 0;
};

// As MPI_Intercomm_create: `c` has the own group; its leader uses `way`. `room`: as in agree_on_context().
Communicator create_inter(rank::Rank& rank, const rank::Communicator& c, int leader, const LeaderLink& way,
                          bool room);

// For an intercommunicator `c`: as MPI_Comm_dup, MPI_Comm_split and MPI_Comm_create.
// Nothing: this rank is in no new communicator, or no rank of the other group is.
Communicator duplicate_inter(rank::Rank& rank, const Communicator& c, bool room);
std::optional<Communicator> split_inter(rank::Rank& rank, const Communicator& c, SplitArguments own_arguments,
                                        bool room);
std::optional<Communicator> create_inter(rank::Rank& rank, const Communicator& c, const rank::Members& group,
                                         bool room);

}  // namespace emu::mpi::creation
