// Scope of every entry point: it stops the compute meter, detects nested calls, and publishes this rank's clock
// when the program continues.
#pragma once

#include <mpi.h>

#include "mpi/process.h"

namespace emu::mpi {

// True between MPI_Init and MPI_Finalize of an emulated process; always false without a target.
[[gnu::hot]] inline bool active() {
  const Process* p = published();
  return p && !p->life.finished.load(std::memory_order_relaxed);
}

// True from MPI_Init to the end: libemu answers all calls that concern several ranks. Exception:
// calls of MPICH's implementation of files on communicators that only it knows (InRomio).
inline bool emulated() {
  const Process* p = published();
  return p && !caller.in_romio;
}

// For a call of the program before MPI_Init or after MPI_Finalize: ends the job if this rank was forked. The MPICH of a
// forked rank is always initialised, so it does not report such calls; the MPICH of other ranks does.
[[gnu::cold]] void check_outside(const char* call);

// True if libemu does not answer this call from data of this process: the caller passes it to the library behind.
inline bool unanswered(const char* call) {
  if (emulated()) [[likely]]
    return false;
  if (!published()) check_outside(call);
  return true;
}

// True while libemu, or the library behind it on libemu's request, is on the stack: then a call is
// not the program's, and goes directly to the library. Always true on threads that may not call MPI.
[[gnu::hot]] inline bool inside() {
  const Process* p = published();
  return p &&
         (caller.depth > 0 || (p->threading.main != this_thread() && (!p->threading.monitor || caller.ours)));
}

// Gives the calling thread exclusive use of the rank, if several threads may call.
class RankLock {
 public:
  RankLock() {
    if (published()) process->lock_rank();
  }
  ~RankLock() {
    if (published()) process->unlock_rank();
  }
  RankLock(const RankLock&) = delete;
};

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
class Entry {
 public:
  // `call` is a literal. `meter`: false if the call itself declares the cost of the work before it.
  explicit Entry(const char* call, bool meter = true);
  ~Entry();
  Entry(const Entry&) = delete;

  // The call is not emulated: the caller passes it to the library behind.
  bool native() const { return native_; }
  rank::Rank& rank() const { return *process->rank; }
  const char* call() const { return call_; }
  // Runs `body(rank)`; an Error thrown there goes to the error handler of `comm`. Returns the result of the entry
  // point.
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
  bool native_ = true;
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

// Scope in which callbacks of the program run below a call of libemu's: its attributes' callbacks. They may call MPI.
class ProgramRuns {
 public:
  // `call`: the current call.
  explicit ProgramRuns(const char* call);
  ~ProgramRuns();
  ProgramRuns(const ProgramRuns&) = delete;

 private:
  const char* call_;
};

// Scope in which a reduction operation of the program runs: its computation is the rank's work.
class OwnOperation {
 public:
  OwnOperation() {
    caller.operating = true;
    process->start_meter();
  }
  ~OwnOperation() {
    process->stop_meter();
    caller.operating = false;
  }
  OwnOperation(const OwnOperation&) = delete;
};

}  // namespace emu::mpi
