// End of a rank whose process manager dies.
#pragma once

namespace emu::mpi {

// From here on this process ends, with a message, when the process manager that started it has
// ended. Without effect in a process without a manager: it may outlive the shell that started it.
void end_with_manager();

}  // namespace emu::mpi
