// Entry points of windows: as in mpi/entry.h, with the error handler of the window.
#pragma once

#include "mpi/entry.h"
#include "mpi/objects.h"
#include "rma/windows.h"

namespace emu::mpi {

// Calls the window's error handler. Returns the result of the entry point.
int handle_window_error(const char* call, MPI_Win win, const Error& error);

// Runs `body(rank, window)`. Returns the result of the entry point.
//
//   const Entry entry(__func__);
//   if (entry.native()) return PMPI_X(...);
//   return run_on(entry, __func__, win, [&](Rank& rank, Window& window) { ... });
template <class Body>
int run_on(const Entry& entry, const char* call, MPI_Win win, Body body) {
  try {
    body(entry.rank(), objects->windows.find(win));
    return MPI_SUCCESS;
  } catch (const Error& error) {
    return handle_window_error(call, win, error);
  }
}

[[noreturn]] inline void wrong_synchronization(const std::string& what) {
  throw Error{MPI_ERR_RMA_SYNC, what};
}

// Throws Error for a rank that is not a member; MPI_PROC_NULL is permitted.
inline void check_target(const Window& window, int rank) {
  if (rank == MPI_PROC_NULL || (rank >= 0 && rank < window.comm.size())) return;
  throw Error{MPI_ERR_RANK, "invalid rank " + std::to_string(rank) + " in a window of " +
                                std::to_string(window.comm.size()) + " ranks"};
}

// Sends messages behind the operations on `target`, or on all targets (-1), and
// waits until the operations have taken effect and all results have arrived.
// Returns a rank that failed before that; -1: none did.
[[nodiscard]] int flush(rank::Rank& rank, Window& window, int target);

// As MPI_Win_free, for the call `call`. Throws Error.
void free_window(rank::Rank& rank, const char* call, MPI_Win* win);

}  // namespace emu::mpi
