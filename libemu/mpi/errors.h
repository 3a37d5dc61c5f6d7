// Errors of the caller, and what follows them: the end of the job, the error's code, or the program's error handler.
#pragma once

#include <mpi.h>

#include <functional>
#include <string>

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
// Applies `handler`, the error handler of `object`, and frees it. `ask()` makes MPICH call a handler that libemu does
// not know. Returns the error code for the program.
int apply_handler(const char* call, const Error& error, MPI_Errhandler handler, void* object,
                  const std::function<void()>& ask);
// As handle_error(), for a call without an Entry.
int answer_error(const char* call, MPI_Comm comm, const Error& error);

// As handle_error() above, for an error in the use of a file: calls that file's error handler, or the one for no file.
int handle_error(const char* call, MPI_File file, const Error& error);

}  // namespace emu::mpi
