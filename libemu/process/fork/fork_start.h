// Start of all ranks of this host by fork.
//
// The command starts the program once, with the number of ranks in EMU_RANKS. Before the program's own constructors
// run, this first process initialises MPICH, creates the memory that the ranks share, and forks P children. Each
// child continues into the program as one rank; it shares the pages of MPICH and of the program with the others.
// The first process never enters the program: it supervises the ranks and ends with their exit code.
//
// On H hosts a process manager starts one such process on each. Process h forks the ranks from P h / H up to
// P (h + 1) / H. Only these H processes and their first ranks, the leaders of the hosts, communicate with the manager.
// Each process started by the manager counts as a host, also if several of them are on one machine.
#pragma once

#include <optional>

#include "model/network.h"
#include "target/target.h"
#include "wire/agent/pmi.h"
#include "wire/node_map.h"
#include "wire/region.h"

namespace emu::mpi {

// Data that the first process prepared for all ranks before it forked them. Each
// rank takes its own copy from it: pages that it does not write remain shared.
struct ForkedRank {
  int number = 0, size = 1;
  wire::NodeMap node_map{1};
  std::optional<wire::Region> region;  // shared by the ranks of the host; contains a Table
  std::optional<wire::Pmi> manager;    // on several hosts: for the host's leader
  int agent_wakes_in = -1,
      agent_wakes_out = -1;  // on several hosts: ends of the pipe that wakes the host's agent
  target::Target target;
  bool keeps_awake = false;  // the first process keeps the cores awake while ranks wait
  std::optional<int> cores;  // EMU_CORES
  bool one_sided = false;    // according to the symbols of the program at that time
  std::optional<model::Network> network;
  int largest_tag = 0;  // MPI_TAG_UB
};

// Null: this process was not forked as a rank.
ForkedRank* forked_rank();

// The rank joins the job: the others wait for it.
void join_supervisor();
// The rank leaves the job: its end does not end the job any more, whatever its exit code is.
void leave_supervisor();
// Asks the supervisor to end all ranks, and then itself with this exit code. Safe in signal handlers.
void abort_by_supervisor(int exit_code);

}  // namespace emu::mpi
