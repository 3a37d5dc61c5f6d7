// Communicators of intercommunicators: how the two groups make them together.
#pragma once

#include <mpi.h>

#include <optional>

#include "mpi/making.h"

namespace emu::mpi::making {

// Throws Error if it is none, or an intercommunicator.
const Communicator& intra(MPI_Comm comm);

// As `c`, of whichever kind, with messages of its own.
Communicator duplicated(const Communicator& c, match::Context context);

// As MPI_Intercomm_create: `c` has the own group. Its leader talks to rank `peer` of `peers`, in the context and with the tag
// (`round`) of that.
Communicator create_inter(rank::Rank& rank, const rank::Communicator& c, int leader,
                          const rank::Communicator& peers, int peer);

// `c`, an intercommunicator: as MPI_Comm_dup, MPI_Comm_split and MPI_Comm_create. Nothing: this rank is in none, or nobody
// of the other group is.
Communicator duplicate_inter(rank::Rank& rank, const Communicator& c);
std::optional<Communicator> split_inter(rank::Rank& rank, const Communicator& c, Wish wish);
std::optional<Communicator> create_inter(rank::Rank& rank, const Communicator& c, const rank::Members& group);

}  // namespace emu::mpi::making
