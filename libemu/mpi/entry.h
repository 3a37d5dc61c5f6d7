// Scope of every entry point: it stops the compute meter, guards against calls from below, and tells the other ranks
// how far this one is when the program goes on.
#pragma once

#include <mpi.h>

#include "mpi/process.h"

namespace emu::mpi {

// True between MPI_Init and MPI_Finalize of a process that is emulated; false for ever without a target.
[[gnu::hot]] inline bool active() {
  const Process* p = published();
  return p && !p->life.finished.load(std::memory_order_relaxed);
}

// True from MPI_Init on, to the end: what concerns several ranks is libemu's to answer. Not what MPICH's part for files asks
// for itself, of communicators that nobody else knows (InRomio).
inline bool emulated() {
  const Process* p = published();
  return p && !caller.in_romio;
}

// True while libemu itself, or the library behind it at libemu's request, is on the stack below: what is
// called then is not the program's call and goes straight to the library. On threads that may not call MPI always.
[[gnu::hot]] inline bool inside() {
  const Process* p = published();
  return p &&
         (caller.depth > 0 || (p->threading.main != this_thread() && (!p->threading.turns || caller.ours)));
}

// The rank is the calling thread's while this lives, where several may call.
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

// An error of the caller's, in MPI's terms; thrown below an entry point, turned into the communicator's error
// handler there.
struct Error {
  int code;                       // MPI_ERR_...
  std::string message;            // for a job that ends because of it
  MPI_Comm comm = MPI_COMM_NULL;  // whose error handler is asked; null: that of the call's communicator
  bool told = false;              // that has been asked already
};

// What a pointer that the program gave points to. Throws Error for a null pointer.
template <class T>
T& present(T* pointer) {
  if (!pointer) throw Error{MPI_ERR_ARG, "null pointer"};
  return *pointer;
}

// Asks the error handler of the error's communicator, else of `comm`. The value to return from the entry
// point.
int handle_error(const char* call, MPI_Comm comm, const Error& error);
// The same, of a call that has no Entry.
int answer_error(const char* call, MPI_Comm comm, const Error& error);

// The same for an error in the use of a file: asks that file's error handler, or that of no file.
int handle_error(const char* call, MPI_File file, const Error& error);

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
  const char* call() const { return call_; }
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

// An entry point that answers from what this process knows, at no cost in virtual time, whoever calls it: the
// program or its callbacks. Runs `body()`; an Error thrown there goes to the error handler of `comm`.
//
//   if (!emulated()) return PMPI_X(...);
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

// The program's own code runs below a call of ours while this lives: callbacks of its attributes. It may call MPI.
class ProgramRuns {
 public:
  // `call`: the one that is under way.
  explicit ProgramRuns(const char* call);
  ~ProgramRuns();
  ProgramRuns(const ProgramRuns&) = delete;

 private:
  const char* call_;
};

// An operation that the program made runs while this lives: what it computes is the rank's work.
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
