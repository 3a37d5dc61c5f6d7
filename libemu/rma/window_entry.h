// Entry points of windows: as mpi/entry.h has them, but for the error handler, which is the window's.
#pragma once

#include "mpi/entry.h"
#include "rma/windows.h"

namespace emu::mpi {

// Asks the window's error handler. The value to return from the entry point.
int handle_window_error(const char* call, MPI_Win win, const Error& error);

// Runs `body(rank, window)`. What the entry point returns.
//
//   const Entry entry(__func__);
//   if (entry.native()) return PMPI_X(...);
//   return run_on(entry, __func__, win, [&](Rank& rank, Window& window) { ... });
template <class Body>
int run_on(const Entry& entry, const char* call, MPI_Win win, Body body) {
  try {
    body(entry.rank(), process->objects.windows.find(win));
    return MPI_SUCCESS;
  } catch (const Error& error) {
    return handle_window_error(call, win, error);
  }
}

[[noreturn]] inline void wrong_synchronization(const std::string& what) {
  throw Error{MPI_ERR_RMA_SYNC, what};
}

// Throws Error for a rank that is no member; MPI_PROC_NULL is none either, and does no harm.
inline void check_target(const Window& window, int rank) {
  if (rank == MPI_PROC_NULL || (rank >= 0 && rank < window.comm.size())) return;
  throw Error{MPI_ERR_RANK, "invalid rank " + std::to_string(rank) + " in a window of " +
                                std::to_string(window.comm.size()) + " ranks"};
}

// By messages behind the operations on `target`, or on all that have any (-1): waits until they have taken effect, and all
// answers are here.
// A rank that failed before that; -1: none did.
[[nodiscard]] int flush(rank::Rank& rank, Window& window, int target);

// As MPI_Win_free, which is `call`. Throws Error.
void free_window(rank::Rank& rank, const char* call, MPI_Win* win);

// Windows that the program has not freed: others may still need this rank's memory, until they come here too.
void leave_windows(rank::Rank& rank);

}  // namespace emu::mpi
