// The way out of MPICH over UCX.
//
// MPICH before 4.2 hangs now and then in MPI_Finalize where UCX talks TCP: each rank closes its connections,
// with a flush that its peers have to answer, and then waits in a barrier of the process manager's, in which
// it answers nobody (pmodels/mpich, pull request 6596). Emulated ranks have nothing left to flush: all have
// finished, and all messages have been taken in (SharedWire::finish). So they keep their connections until
// MPICH, behind the barrier, destroys what holds them.

#include <dlfcn.h>

#include "mpi/process.h"

// UCX's, as MPICH calls it: null means that it is done.
extern "C" void* ucp_disconnect_nb(void* endpoint) {
  using emu::mpi::process;
  if (process && process->finished && process->wire->node_map().several()) return nullptr;
  static const auto real = reinterpret_cast<void* (*)(void*)>(dlsym(RTLD_NEXT, "ucp_disconnect_nb"));
  return real(endpoint);
}
