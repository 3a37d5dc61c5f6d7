// MPI's clock.

#include <mpi.h>

#include "process/call_scope.h"
#include "process/clocks.h"

using namespace emu::mpi;

extern "C" double MPI_Wtime() {
  if (active() && !inside()) return read_clock(Time::rank, "MPI_Wtime").seconds();
  const Time time = time_of_caller();
  const bool natively = time == Time::host || time == Time::after;  // calls after MPI_Finalize are errors
  return natively ? PMPI_Wtime() : read_clock(time, "MPI_Wtime").seconds();
}

extern "C" double MPI_Wtick() {
  if (!active() || inside()) return PMPI_Wtick();
  return 1e-12;
}
