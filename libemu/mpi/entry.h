// What every entry point does first and last: one scope that stops the compute meter, guards against calls
// from below, and tells the other ranks how far this one is when the program goes on.
#pragma once

#include <mpi.h>

#include "mpi/process.h"

namespace emu::mpi {

// True between MPI_Init and MPI_Finalize of a process that is emulated; false for ever without a target.
inline bool active() {
  const Process* p = published();
  return p && !p->finished.load(std::memory_order_relaxed);
}

// True while libemu itself, or the library behind it at libemu's request, is on the stack below: what is
// called then is not the program's call and goes straight to the library.
inline bool inside() {
  const Process* p = published();
  return p && (p->thread != this_thread() || p->depth > 0);
}

// An error of the caller's, in MPI's terms; thrown below an entry point, turned into the communicator's error
// handler there.
struct Error {
  int code;                       // MPI_ERR_...
  std::string message;            // for a job that ends because of it
  MPI_Comm comm = MPI_COMM_NULL;  // whose error handler is asked; null: that of the call's communicator
};

// Asks the error handler of the error's communicator, else of `comm`. The value to return from the entry
// point.
int handle_error(const char* call, MPI_Comm comm, const Error& error);

// An entry point is a function of three statements:
//
//   const Entry entry(__func__);
//   if (entry.native()) return PMPI_X(...);
//   return entry.run(comm, [&](Rank& rank) { ... });
class Entry {
 public:
  // `call` is a literal. `meter`: false where the call itself says what the work before it costs.
  explicit Entry(const char* call, bool meter = true);
  ~Entry();
  Entry(const Entry&) = delete;

  // The call is not for the emulation: hand it to the library behind.
  bool native() const { return native_; }
  rank::Rank& rank() const { return *process->rank; }
  // Runs `body(rank)`; an Error thrown there goes to the error handler of `comm`. What the entry point returns.
  template <class Body>
  int run(MPI_Comm comm, Body body) const {
    try {
      body(rank());
      return MPI_SUCCESS;
    } catch (const Error& error) {
      return handle_error(call_, comm, error);
    }
  }

 private:
  const char* call_;
  bool native_;
};

// An operation that the program made runs while this lives: what it computes is the rank's work.
class OwnOperation {
 public:
  OwnOperation() {
    process->operating = true;
    process->start_meter();
  }
  ~OwnOperation() {
    process->stop_meter();
    process->operating = false;
  }
  OwnOperation(const OwnOperation&) = delete;
};

}  // namespace emu::mpi
