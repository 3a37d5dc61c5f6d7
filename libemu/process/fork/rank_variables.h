// Variables of the environment in which Hydra, mpirun's process manager, passes the numbers of a rank to a program.
#pragma once

namespace emu::mpi {

// Sets those of all ranks. Called by the first process, before it forks them.
void set_size_variables(int size, int local_size);
// Sets those of a forked rank.
void set_rank_variables(int rank, int local_rank);

}  // namespace emu::mpi
