// Entry points of MPI: their scope (process/call_scope.h), and errors of the caller.
#pragma once

#include <mpi.h>

#include <string>

#include "process/call_scope.h"

namespace emu::mpi {

// An error of the caller, in MPI's terms: thrown below an entry point, which passes it to the communicator's error
// handler.
struct Error {
  int code;                       // MPI_ERR_...
  std::string message;            // for a job that ends because of it
  MPI_Comm comm = MPI_COMM_NULL;  // communicator of the error handler; null: that of the call
  bool handler_called = false;
};

// The object of a pointer from the program. Throws Error for a null pointer.
template <class T>
T& present(T* pointer) {
  if (!pointer) throw Error{MPI_ERR_ARG, "null pointer"};
  return *pointer;
}

// Calls the error handler of the error's communicator, else of `comm`. Returns the result of the entry
// point.
int handle_error(const char* call, MPI_Comm comm, const Error& error);
// As handle_error(), for a call without an Entry.
int answer_error(const char* call, MPI_Comm comm, const Error& error);

// As handle_error() above, for an error in the use of a file: calls that file's error handler, or the one for no file.
int handle_error(const char* call, MPI_File file, const Error& error);

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
