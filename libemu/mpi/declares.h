#pragma once

namespace emu::mpi {

// True if the program, or a library it loaded, can call emu_compute(): it refers to the symbol behind it.
bool program_declares_compute();

}  // namespace emu::mpi
