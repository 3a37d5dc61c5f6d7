// Entry points of MPI: their scope (process/call_scope.h), and their errors (mpi/errors.h).
#pragma once

#include <mpi.h>

#include "mpi/errors.h"
#include "process/call_scope.h"

namespace emu::mpi {

// An entry point is a function of three statements:
//
//   const Entry entry(__func__);
//   if (entry.native()) return PMPI_X(...);
//   return entry.run(comm, [&](Rank& rank) { ... });
class Entry : public CallScope {
 public:
  using CallScope::CallScope;

  // Runs `body(rank)`; an Error thrown there goes to the error handler of `comm`. Returns the result of the entry
  // point.
  template <class Body>
  int run(MPI_Comm comm, Body body) const {
    try {
      body(rank());
      return MPI_SUCCESS;
    } catch (const Error& error) {
      return handle_error(call(), comm, error);
    }
  }
};

// For entry points that need only data of this process, at no cost in virtual time, for calls of the program and
// of its callbacks. Runs `body()`; an Error thrown there goes to the error handler of `comm`.
//
//   if (unanswered(__func__)) return PMPI_X(...);
//   return answer(__func__, comm, [&] { ... });
template <class Body>
int answer(const char* call, MPI_Comm comm, Body body) {
  try {
    const RankLock lock;
    body();
    return MPI_SUCCESS;
  } catch (const Error& error) {
    return answer_error(call, comm, error);
  }
}
template <class Body>
int answer(const char* call, Body body) {
  return answer(call, MPI_COMM_WORLD, body);
}

}  // namespace emu::mpi
