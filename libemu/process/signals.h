// Dispatch of the program's signal handlers: signals.cc.
#pragma once

namespace emu::mpi {

// Blocks signals in the calling thread, which is not the program's, except its own faults and those of profilers.
void leave_signals_to_program();

}  // namespace emu::mpi
