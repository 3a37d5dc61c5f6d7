// End of a rank whose process manager dies.
#pragma once

namespace emu::mpi {

// From here on this process ends, with a message, when the one that started it has ended. Does nothing in a process that
// no process manager has started: it may outlive the shell that has.
void end_with_manager();

}  // namespace emu::mpi
