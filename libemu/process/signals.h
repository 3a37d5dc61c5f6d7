// Dispatch of the program's signal handlers: signals.cc.
#pragma once

namespace emu::mpi {

// The calling thread, which is not the program's, runs none but for what it does itself, and for profilers.
void leave_signals_to_program();

}  // namespace emu::mpi
