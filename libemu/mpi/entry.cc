#include "mpi/entry.h"

#include <optional>
#include <string>
#include <string_view>

#include "comm/error_handlers.h"
#include "mpi/log.h"
#include "process/fork/fork_start.h"

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

[[gnu::hot]] Entry::Entry(const char* call, bool meter) : call_(call) {
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

[[gnu::hot]] Entry::~Entry() {
  if (native_ || !process) return;
  process->return_to_user();
}

namespace {

// Applies `handler` to `object`, and returns the error code for the program.
// `ask()` makes MPICH call the handler, if libemu does not know it.
template <class Ask>
int handle(const char* call, const Error& error, MPI_Errhandler handler, void* object, Ask ask) {
  if (handler == MPI_ERRORS_ARE_FATAL || handler == MPI_ERRORS_ABORT)
    stop_job(of_rank(call) + error.message, 1);
  const bool returns = handler == MPI_ERRORS_RETURN;
  const MPI_Errhandler asked = handler;
  PMPI_Errhandler_free(&handler);
  if (returns) return error.code;
  // The handler may call MPI.
  process->return_to_user();
  const std::optional<int> code = call_handler(asked, object, error.code);
  if (!code) ask();
  process->enter_library();
  return code.value_or(error.code);
}

}  // namespace

int handle_error(const char* call, MPI_Comm comm, const Error& error) {
  if (error.handler_called) return error.code;
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  if (error.comm != MPI_COMM_NULL) comm = error.comm;
  comm = process->objects.communicators.handling(comm);
  if (error.code == MPI_ERR_COMM || PMPI_Comm_get_errhandler(comm, &handler) != MPI_SUCCESS) {
    comm = MPI_COMM_WORLD;
    PMPI_Comm_get_errhandler(comm, &handler);
  }
  return handle(call, error, handler, &comm, [&] { PMPI_Comm_call_errhandler(comm, error.code); });
}

int handle_error(const char* call, MPI_File file, const Error& error) {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  PMPI_File_get_errhandler(file, &handler);
  return handle(call, error, handler, &file, [&] { PMPI_File_call_errhandler(file, error.code); });
}

int answer_error(const char* call, MPI_Comm comm, const Error& error) {
  const Entry entry(call);
  if (!entry.native()) return handle_error(call, comm, error);
  return error.code;  // below a call of the program, which continues
}

ProgramRuns::ProgramRuns(const char* call) : call_(call) { process->return_to_user(); }

ProgramRuns::~ProgramRuns() {
  process->enter_library();
  process->calls.last = call_;
  process->rank->enter(call_);
}

}  // namespace emu::mpi
