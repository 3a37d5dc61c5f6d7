// MPI_Abort.

#include <mpi.h>

#include <cstdio>
#include <string>

#include "mpi/entry.h"
#include "mpi/objects.h"

using namespace emu::mpi;

namespace {

// MPICH's text for MPI_Abort.
std::string called_abort(MPI_Comm comm, int code) {
  char name[MPI_MAX_OBJECT_NAME] = "";
  int length = 0;
  PMPI_Comm_get_name(comm, name, &length);
  char handle[32];
  std::snprintf(handle, sizeof handle, "comm=0x%x", static_cast<unsigned>(comm));
  const std::string known = length > 0 ? name : handle;
  const std::string rank = std::to_string(objects->communicators.find(comm).rank);
  return "Abort(" + std::to_string(code) + ") on node " + std::to_string(process->self.number) + " (rank " +
         rank + " in " + known + "): application called MPI_Abort(" + known + ", " + std::to_string(code) +
         ") - process " + rank;
}

}  // namespace

extern "C" int MPI_Abort(MPI_Comm comm, int code) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Abort(comm, code);
  return entry.run(comm, [&](emu::rank::Rank&) {
    std::fflush(stdout);
    std::fprintf(stderr, "%s\n", called_abort(comm, code).c_str());
    deliver_output();
    end_job(code);
  });
}
