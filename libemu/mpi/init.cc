// Start and end of the emulation: MPI_Init, MPI_Finalize, sessions.

#include <mpi.h>
#include <pthread.h>

#include <climits>
#include <cstdio>

#include "comm/attributes.h"
#include "model/collectives.h"
#include "mpi/convert.h"
#include "mpi/entry.h"
#include "mpi/objects.h"
#include "process/clocks.h"
#include "process/fork/fork_start.h"
#include "process/start/job.h"
#include "process/start/orphan.h"
#include "process/upcalls.h"

namespace emu::mpi {

Objects* objects = nullptr;

namespace {

// A forked child is not a rank: its clocks are the host's, and its exit does not end the rank.
void leave_outside() { std::atomic_ref(process).store(nullptr, std::memory_order_release); }

Environment read_environment() {
  auto read = Environment::read();
  if (!read) stop_before_start(read.error().message, 2);
  return *read;
}

static_assert(MPI_THREAD_SINGLE == static_cast<int>(ThreadLevel::single) &&
              MPI_THREAD_FUNNELED == static_cast<int>(ThreadLevel::funneled) &&
              MPI_THREAD_SERIALIZED == static_cast<int>(ThreadLevel::serialized) &&
              MPI_THREAD_MULTIPLE == static_cast<int>(ThreadLevel::multiple));

void start(int level) {
  ++caller.depth;  // a signal handler must not find the rank half initialised
  objects = new Objects;
  objects->communicators.add_predefined(job().number, job().size);
  std::atomic_ref(process).store(new Process(read_environment()), std::memory_order_release);
  pthread_atfork(nullptr, nullptr, leave_outside);
  note_exit_code();
  process->serve_threads(static_cast<ThreadLevel>(level));
  if (process->target.storage.shared) {
    process->metering.readable = nullptr;  // the first rank may be asked while it computes
    objects->storage =
        std::make_unique<SharedStorage>(*process->rank, *process->network, process->target.storage,
                                        objects->communicators.find(MPI_COMM_WORLD).context);
  }
  process->rank->start();
  process->rank->leave();
  process->start_meter();
  --caller.depth;
}

// Begins as one process of the job, with an MPICH of its own, which `init` starts.
template <class Init>
int begin(int level, Init init) {
  const OwnThreads own;
  end_with_manager();
  if (const auto joined = join_job(read_started()); !joined) stop_before_start(joined.error().message, 1);
  if (!forked_rank()) {
    const AloneEnvironment alone;
    if (const int code = init(); code != MPI_SUCCESS) return code;
  }
  start(level);
  return MPI_SUCCESS;
}

// MPI_Init or MPI_Init_thread. A session may have begun the job already.
template <class Init>
int begin_world(int level, Init init) {
  if (published() && (process->life.world || process->life.finished))
    return init();  // MPICH reports the error
  const int code = published() ? MPI_SUCCESS : begin(level, init);
  if (code != MPI_SUCCESS) return code;
  process->life.world = true;
  process->life.between_sessions = false;
  process->life.summary.reset();
  return code;
}

// MPICH would release the kernel objects that forked ranks share, for all of them.
int finalize_mpich() { return forked_rank() ? MPI_SUCCESS : PMPI_Finalize(); }

int end() {
  process->finish();
  ++caller.depth;  // the following calls are not the program's
  const int code = finalize_mpich();
  leave_job();
  --caller.depth;
  process->life.left_at = host_nanoseconds(CLOCK_MONOTONIC);
  return code;
}

}  // namespace

bool start_mpich() {
  int provided = 0;
  return PMPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided) == MPI_SUCCESS;
}

void end_mpich() {
  for (MPI_Win handle : objects->windows.all())
    PMPI_Win_free(&handle);  // MPICH does not end properly with an open window
  finalize_mpich();
}

int largest_tag() {
  int found = 0;
  const int* largest = nullptr;
  PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &largest, &found);
  return found ? *largest : INT_MAX;
}

}  // namespace emu::mpi

using namespace emu::mpi;

extern "C" int MPI_Init(int* argc, char*** argv) {
  const auto init = [&] { return PMPI_Init(argc, argv); };
  return inside() || !target_in_environment() ? init() : begin_world(MPI_THREAD_SINGLE, init);
}

extern "C" int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  if (inside() || !target_in_environment()) return PMPI_Init_thread(argc, argv, required, provided);
  // For a job that a session has begun; for a forked rank the requested level.
  *provided = forked_rank() && !published() ? required : MPI_THREAD_FUNNELED;
  const int code = begin_world(required, [&] { return PMPI_Init_thread(argc, argv, required, provided); });
  return code;
}

// The target's node, by its number as in the target file.
extern "C" int MPI_Get_processor_name(char* name, int* length) {
  if (!active() || inside()) return PMPI_Get_processor_name(name, length);
  *length = std::snprintf(name, MPI_MAX_PROCESSOR_NAME, "node%d", process->self.node);
  return MPI_SUCCESS;
}

extern "C" int MPI_Finalize() {
  if (!active()) check_outside(__func__);
  if (!active() || inside()) return PMPI_Finalize();
  delete_attributes(__func__);
  process->life.world = false;
  return process->life.sessions > 0 ? MPI_SUCCESS : end();
}

extern "C" int MPI_Session_init(MPI_Info info, MPI_Errhandler handler, MPI_Session* session) {
  if (inside() || !target_in_environment()) return PMPI_Session_init(info, handler, session);
  int provided = 0;
  if (!published()) {
    const int code = begin(MPI_THREAD_FUNNELED, [&] {
      return PMPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    });
    if (code != MPI_SUCCESS) return code;
  }
  if (!active())
    stop_job(
        "MPI_Session_init: called after MPI_Finalize, which has ended the job (expected: a session that is "
        "open then)",
        1);
  const Entry entry(__func__);
  const int code = PMPI_Session_init(info, handler, session);
  if (code != MPI_SUCCESS) return code;
  ++process->life.sessions;
  process->life.between_sessions = false;
  process->life.summary.reset();
  return code;
}

// The program may open another session after the last one.
extern "C" int MPI_Session_finalize(MPI_Session* session) {
  if (!active() || inside()) return PMPI_Session_finalize(session);
  const Entry entry(__func__);
  if (const int code = PMPI_Session_finalize(session); code != MPI_SUCCESS) return code;
  if (--process->life.sessions > 0 || process->life.world) return MPI_SUCCESS;
  process->life.between_sessions = true;
  process->life.summary = process->summary();
  return MPI_SUCCESS;
}

extern "C" int MPI_Initialized(int* flag) {
  if (!published() && !forked_rank()) return PMPI_Initialized(flag);
  if (!published()) {
    *flag = 0;
    return MPI_SUCCESS;
  }
  *flag = process->life.world || process->life.finished ? 1 : 0;
  return MPI_SUCCESS;
}

extern "C" int MPI_Finalized(int* flag) {
  if (!forked_rank()) return PMPI_Finalized(flag);
  *flag = published() && !active() && !in_job() ? 1 : 0;
  return MPI_SUCCESS;
}

// A forked rank's MPICH was initialised for every level, possibly by another thread than the one that calls MPI_Init.
extern "C" int MPI_Query_thread(int* provided) {
  if (!forked_rank() || !published()) return PMPI_Query_thread(provided);
  *provided = static_cast<int>(process->threading.level);
  return MPI_SUCCESS;
}

extern "C" int MPI_Is_thread_main(int* flag) {
  if (!forked_rank() || !published()) return PMPI_Is_thread_main(flag);
  *flag = process->threading.main == this_thread() ? 1 : 0;
  return MPI_SUCCESS;
}
