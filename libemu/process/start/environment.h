// Environment variables of libemu: read once in each process, only here.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/failure.h"

namespace emu::mpi {

// Division of machines into nodes. A machine is a node: ranks that see equal processes and one network. For tests and
// measurements, EMU_NODES=K makes K nodes of each machine, and EMU_NODES=ranks makes each rank a node. If it is not
// set, MPICH's settings apply: MPIR_CVAR_NUM_CLIQUES=K and MPIR_CVAR_NOLOCAL=1.
struct Division {
  int nodes_per_machine = 1;  // 0: as many as ranks
};

// An empty variable counts as not set.
struct Environment {
  std::string target;         // EMU_TARGET: path of the target file; empty: no emulation
  std::string record;         // EMU_RECORD: file of the run's summary; empty: none
  std::string trace;          // EMU_TRACE: folder of the trace; empty: none
  std::string status;         // EMU_STATUS: file that names the location of the job's progress; empty: none
  std::optional<int> jitter;  // EMU_JITTER: for tests, greatest delay of messages and wakes, in microseconds
  std::optional<int> cores;   // EMU_CORES: number of the host's cores that all ranks share, at least 1
  bool awake_cores =
      true;  // EMU_AWAKE_CORES, unless 0: with measured compute, idle cores run while ranks wait
  std::optional<bool>
      cancel_sends;  // EMU_CANCEL_SENDS: sends can be cancelled; nothing: as the program's symbols show
  bool one_sided =
      false;  // EMU_ONE_SIDED, other than 0: the program may create windows, although its symbols do not show it
  bool host_clocks = false;  // EMU_HOST_CLOCKS, other than 0: the host's clocks show the host's time
  Division division;         // EMU_NODES
  int local_ranks = 0;  // MPI_LOCALNRANKS: number of ranks that Hydra has started on this machine; 0: unknown

  // Fails for an invalid variable, with a correct example.
  static Result<Environment> read();
  // read() and target_in_environment() return this from now on. Forked ranks stay in the job, whatever variables the
  // program removes.
  void keep() const;
};

// Data from the process manager that started the process: PMI-1's variables.
struct Started {
  std::optional<int> connection;  // PMI_FD: file of the connection; nothing: no manager
  bool by_port = false;           // PMI_PORT in its place: the manager listens at a port
  int rank = -1, size = 0;        // PMI_RANK, PMI_SIZE; default: unknown
};
Started read_started();

// Scope in which the environment is that of a process without a job. MPICH, which reads it in MPI_Init, then
// starts for this process alone: without a process manager, and with no transport except that from a
// process to itself. In a common job, each process would learn the address of every other, which takes time and
// memory in proportion to the square of their number.
class AloneEnvironment {
 public:
  AloneEnvironment();
  ~AloneEnvironment();
  AloneEnvironment(const AloneEnvironment&) = delete;
  AloneEnvironment& operator=(const AloneEnvironment&) = delete;

 private:
  void set(const char* name, const char* value);  // null: unsets it
  std::vector<std::pair<const char*, std::optional<std::string>>> before_;
};

// EMU_TARGET, for code that runs before MPI_Init. Null if it is not set.
const char* target_in_environment();
// As above, for PMI_FD or PMI_PORT: true if a process manager has started this process.
bool managed_in_environment();

}  // namespace emu::mpi
