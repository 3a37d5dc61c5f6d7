// How communicators are made: what the members agree on travels as messages of the target, as MPICH 4.0.2 sends them.
#pragma once

#include <mpi.h>

#include <optional>
#include <vector>

#include "mpi/communicator.h"
#include "rank/rank.h"

namespace emu::mpi::making {

// A name for the traffic of what the members make, the same on all: the first of them gives it, and an allreduce
// brings it. (MPICH agrees on a number by a bit mask.) `tag`: of those messages. Throws Error if the failure of a
// member broke it.
match::Context agree_on_context(rank::Rank& rank, const rank::Communicator& members);

// What one member of `comm` wants: to be with those of the same colour, in the order of their keys.
struct Wish {
  int color = MPI_UNDEFINED;
  int key = 0;
};
// All members' wishes, by an allgather.
std::vector<Wish> all_wishes(rank::Rank& rank, const rank::Communicator& comm, const Wish& own);
// Those who want `color`, in order: of `group`, whose wishes these are.
rank::Members those_of(const std::vector<Wish>& wishes, int color, const rank::Members& group);
// As MPI_Comm_split. Nothing: this rank is in none.
std::optional<Communicator> split(rank::Rank& rank, const Communicator& comm, Wish wish);

// A handle of MPICH's for a communicator that inherits `parent`'s error handler, and nothing else; null: not even that,
// as MPICH has it where a group is given. Throws Error if there are too many.
MPI_Comm stand_in(MPI_Comm parent);
// One that also inherits attributes, whose callbacks run, and info; `info` in place of that, unless it is null.
// `call`: at hand.
MPI_Comm copied_stand_in(const char* call, MPI_Comm parent, const MPI_Info* info);
// Takes it back.
void drop(const char* call, MPI_Comm& stand_in);

// `made` is a communicator of the program's from now on, whose handle it returns; MPI_COMM_NULL: none was made.
MPI_Comm keep(MPI_Comm parent, std::optional<Communicator> made);

// The first `size` members of `comm`, this rank being one of them; else nothing.
std::optional<Communicator> first_of(const Communicator& comm, int size, match::Context context);

}  // namespace emu::mpi::making
