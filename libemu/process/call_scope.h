// Scope of every call of the program that libemu answers: it stops the compute meter, detects nested calls, and
// publishes this rank's clock when the program continues.
#pragma once

#include "process/process.h"

namespace emu::mpi {

// True between MPI_Init and MPI_Finalize of an emulated process; always false without a target.
[[gnu::hot]] inline bool active() {
  const Process* p = published();
  return p && !p->life.finished.load(std::memory_order_relaxed);
}

// True from MPI_Init to the end: libemu answers all calls that concern several ranks. Exception:
// calls of MPICH's implementation of files on communicators that only it knows (io/romio.h).
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

class CallScope {
 public:
  // `call` is a literal. `meter`: false if the call itself declares the cost of the work before it.
  explicit CallScope(const char* call, bool meter = true);
  ~CallScope();
  CallScope(const CallScope&) = delete;

  // The call is not emulated: the caller passes it to the library behind.
  bool native() const { return native_; }
  rank::Rank& rank() const { return *process->rank; }
  const char* call() const { return call_; }

 private:
  const char* call_;
  bool native_ = true;
};

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
