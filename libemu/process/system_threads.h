// Threads that the C library makes by itself, for timers and asynchronous operations.
#pragma once

namespace emu::mpi {

// Some timer that makes a thread when it expires is set.
bool timers_run();

}  // namespace emu::mpi
