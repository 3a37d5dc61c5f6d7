#include "mpi/refuse.h"

#include "mpi/entry.h"

namespace emu::mpi {

// Not `inside()`: a call by a second thread of the program has to be refused as well.
bool refusing() { return active() && caller.depth == 0; }

void refuse(const char* function, const char* reason) {
  stop_job_once("rank " + std::to_string(process->self.number) + " called " + function +
                ", which is not emulated: " + reason);
}

}  // namespace emu::mpi
