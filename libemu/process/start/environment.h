// Environment variables of libemu: read once in each process, here and nowhere else.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/failure.h"

namespace emu::mpi {

// A machine is a node: ranks that see the same processes and the same network. EMU_NODES=K makes K nodes of
// each machine, and EMU_NODES=ranks makes each rank a node of its own, to test or to measure. If it is not
// set, MPICH's own settings for that count: MPIR_CVAR_NUM_CLIQUES=K and MPIR_CVAR_NOLOCAL=1.
struct Division {
  int nodes_per_machine = 1;  // 0: as many as ranks
};

// A variable that is set but empty counts as not set.
struct Environment {
  std::string target;  // EMU_TARGET: the path of the target file; empty: nothing is emulated
  std::string record;  // EMU_RECORD: where the summary of the run goes; empty: nowhere
  std::string trace;   // EMU_TRACE: the folder of the trace; empty: none is recorded
  std::string status;  // EMU_STATUS: the file that says where the job's progress stands; empty: none
  std::optional<int>
      jitter;                // EMU_JITTER: messages and wakes are late by up to so many microseconds, to test
  std::optional<int> cores;  // EMU_CORES: all ranks share so many of the host's cores, at least 1
  std::optional<bool>
      cancel_sends;  // EMU_CANCEL_SENDS: sends can be taken back; nothing: as the program's symbols say
  bool one_sided =
      false;  // EMU_ONE_SIDED, unless it is 0: the program may make windows, though it does not show
  bool host_clocks = false;  // EMU_HOST_CLOCKS, unless it is 0: the host's clocks stay the host's
  Division division;         // EMU_NODES
  int local_ranks = 0;       // MPI_LOCALNRANKS: Hydra has started so many on this machine; 0: not known

  // Failure: a variable that is no such value, and what would be right.
  static Result<Environment> read();
};

// What a process manager tells a process that it starts: PMI-1's variables.
struct Started {
  std::optional<int> connection;  // PMI_FD: the file to talk to it by; nothing: no manager has started it
  bool by_port = false;           // PMI_PORT instead: it listens at a port
  int rank = -1, size = 0;        // PMI_RANK, PMI_SIZE; as they are here: not known
};
Started read_started();

// While this lives, the environment is that of a process that is no part of any job, so that MPICH, which reads it
// in MPI_Init, starts for this process alone: without a process manager, and with no transport but that from a
// process to itself. Started as one job, each process learns the address of every other, which takes time and
// memory in proportion to the square of their number.
class AloneEnvironment {
 public:
  AloneEnvironment();
  ~AloneEnvironment();
  AloneEnvironment(const AloneEnvironment&) = delete;
  AloneEnvironment& operator=(const AloneEnvironment&) = delete;

 private:
  void set(const char* name, const char* value);  // null: not set
  std::vector<std::pair<const char*, std::optional<std::string>>> before_;
};

// EMU_TARGET alone, for code that runs before MPI_Init. Null if it is not set.
const char* target_in_environment();
// Likewise: PMI_FD or PMI_PORT, a process manager has started this process.
bool managed_in_environment();

}  // namespace emu::mpi
