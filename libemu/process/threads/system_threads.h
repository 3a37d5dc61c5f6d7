// Threads that the C library creates for timers and asynchronous operations.
#pragma once

namespace emu::mpi {

// True if a timer is set that creates a thread when it expires.
bool timers_run();

}  // namespace emu::mpi
