#include "process/call_scope.h"

#include <string>
#include <string_view>

#include "process/fork/fork_start.h"
#include "process/log.h"

namespace emu::mpi {

namespace {

// True on a thread other than the one that called MPI_Init, unless the program requested MPI_THREAD_MULTIPLE.
bool from_another_thread() { return process->threading.main != this_thread() && !process->threading.monitor; }

}  // namespace

// Calls of libemu's own functions, and of the C library's, are legal at any time.
void check_outside(const char* call) {
  if (!forked_rank() || !std::string_view(call).starts_with("MPI")) return;
  const char* const when = published() ? "after MPI_Finalize" : "before MPI_Init";
  stop_job("rank " + std::to_string(forked_rank()->number) + ": " + call + ": called " + when, 1);
}

[[gnu::hot]] CallScope::CallScope(const char* call, bool meter) : call_(call) {
  if (!active()) {
    if (caller.depth == 0) check_outside(call);
    return;
  }
  if (from_another_thread())
    stop_job(
        of_rank(call) +
            "called from a second thread: only the thread that called MPI_Init may call MPI "
            "(MPI_THREAD_FUNNELED); ask MPI_Init_thread for MPI_THREAD_SERIALIZED or MPI_THREAD_MULTIPLE",
        1);
  native_ = caller.depth > 0;
  if (native_) return;
  Process& here = *process;
  here.enter_library(meter);
  here.calls.last = call;
  here.rank->enter(call);
}

[[gnu::hot]] CallScope::~CallScope() {
  if (native_ || !process) return;
  process->return_to_user();
}

ProgramRuns::ProgramRuns(const char* call) : call_(call) { process->return_to_user(); }

ProgramRuns::~ProgramRuns() {
  process->enter_library();
  process->calls.last = call_;
  process->rank->enter(call_);
}

}  // namespace emu::mpi
