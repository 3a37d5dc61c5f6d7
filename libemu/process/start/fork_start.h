// Start of all ranks of this host by fork.
//
// The command starts the program once and asks for P ranks (EMU_RANKS). Before the program's own constructors run, that
// first process initialises MPICH alone, makes the memory that the ranks share, and forks P children. Each child goes on
// into the program as one rank; it shares the pages of MPICH and of the program with the others. The first process never
// enters the program: it supervises the ranks and ends with their exit code.
#pragma once

#include <optional>

#include "model/network.h"
#include "target/target.h"
#include "wire/region.h"

namespace emu::mpi {

// What the first process prepared for all ranks before it forked them. Each rank takes its own copy out of it: pages that it
// does not write stay shared.
struct ForkedRank {
  int number = 0, size = 1;
  std::optional<wire::Region> region;  // shared by the ranks; holds a Table that was created
  target::Target target;
  bool one_sided = false;  // by what the program could do then
  std::optional<model::Network> network;
};

// Null: this process was not forked as a rank.
ForkedRank* forked_rank();

// The rank takes part in the job: the others wait for it.
void join_supervisor();
// The rank has done its part: its end ends the job no more, whatever its exit code is.
void leave_supervisor();
// The supervisor is to end all ranks, and then itself with this exit code. Safe in signal handlers.
void abort_by_supervisor(int exit_code);

}  // namespace emu::mpi
