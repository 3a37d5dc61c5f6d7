// The beginning and the end.

#include <mpi.h>
#include <pthread.h>
#include <unistd.h>

#include <cstdio>

#include "base/units.h"
#include "model/collectives.h"
#include "mpi/convert.h"
#include "mpi/entry.h"
#include "mpi/job.h"
#include "mpi/orphan.h"
#include "mpi/window_entry.h"
#include "record/summary.h"

namespace emu::mpi {

namespace {

// A child that the program forks is no rank: its clocks are the host's, and its end is its own.
void leave_outside() { std::atomic_ref(process).store(nullptr, std::memory_order_release); }

Environment read_environment() {
  auto read = Environment::read();
  if (!read) stop_before_start(read.error().message, 2);
  return *read;
}

void start(int level) {
  std::atomic_ref(process).store(new Process(read_environment()), std::memory_order_release);
  pthread_atfork(nullptr, nullptr, leave_outside);
  process->serve_threads(level);
  if (process->target.storage.shared) {
    process->cpu = nullptr;  // the first rank may be asked while it computes
    process->storage =
        std::make_unique<SharedStorage>(*process->rank, *process->network, process->target.storage,
                                        process->communicators.find(MPI_COMM_WORLD).context);
  }
  process->rank->start();
  process->rank->leave();
  process->start_meter();
}

// As one of the job, with an MPICH of its own: `init` starts it.
template <class Init>
int begin(int level, Init init) {
  const OwnThreads own;
  end_with_manager();
  if (const auto joined = join_job(read_started()); !joined) stop_before_start(joined.error().message, 1);
  std::optional<AloneEnvironment> alone(std::in_place);
  const int code = init();
  alone.reset();
  if (code != MPI_SUCCESS) return code;
  start(level);
  return code;
}

record::RankSummary summary() {
  const rank::Rank& r = *process->rank;
  return {r.now(),           r.clock().breakdown(), r.clock().path(),
          r.messages_sent(), r.bytes_sent(),        process->noticed()};
}

// MPI_Init, or the like. A session may have begun the job already.
template <class Init>
int begin_world(int level, Init init) {
  if (published() && (process->world || process->finished)) return init();  // MPICH knows what to say
  const int code = published() ? MPI_SUCCESS : begin(level, init);
  if (code == MPI_SUCCESS) process->world = true;
  return code;
}

void record() {
  const std::string& path = process->environment.record;
  if (process->number != 0 || path.empty()) return;
  record::RunSummary run;
  run.target = process->target.name;
  for (int i = 0; i < process->size; ++i) run.ranks.push_back(process->wire->summary(i));
  if (auto written = record::write(run, path); !written) stop_job(written.error().message, 1);
}

void finish() {
  {
    const Entry entry("MPI_Finalize");
    process->end = summary();
    if (process->recorder) process->recorder->finish(process->end->finish, process->end->path);
    leave_windows(entry.rank());
    entry.rank().finish();
    // What is taken back is still answered as long as any rank may ask.
    if (process->cancels_sends) entry.rank().serve_out();
    process->finished = true;
    if (process->recorder) process->recorder->close();
    process->finish_together(*process->end);
    entry.rank().end_sleeps();
    record();
  }
}

int end() {
  finish();
  const int code = PMPI_Finalize();
  leave_job();
  return code;
}

// What would be an empty prediction.
void check_survivors() {
  Instant last;
  for (int i = 0; i < process->size; ++i) {
    const record::RankSummary& s = process->wire->summary(i);
    if (!s.failed) return;
    last = std::max(last, s.finish);
  }
  stop_job("every rank failed with its node, the last one at " + format(last - Instant::start(), 9) +
               ": nothing is left to predict",
           1);
}

}  // namespace

void Process::fail() {
  ++caller.depth;
  rank->serve_last();
  record::RankSummary own = end.value_or(summary());
  own.failed = !end;
  if (own.failed && target.on_failure == target::OnFailure::abort)
    stop_job_in_turn("rank " + std::to_string(number) + " failed at " +
                         format(own.finish - Instant::start(), 9) +
                         " with its node, and on_failure is \"abort\"",
                     1);
  finished = true;
  if (own.failed) rank->record_failure();
  if (recorder) recorder->close();
  finish_together(own);
  if (number == 0) check_survivors();
  record();
  for (MPI_Win handle : windows.all())
    PMPI_Win_free(&handle);  // MPICH does not end well with one that is left
  PMPI_Finalize();
  leave_job();
  std::fflush(nullptr);
  _exit(0);
}

}  // namespace emu::mpi

using namespace emu::mpi;

extern "C" int MPI_Init(int* argc, char*** argv) {
  const auto init = [&] { return PMPI_Init(argc, argv); };
  return inside() || !target_in_environment() ? init() : begin_world(MPI_THREAD_SINGLE, init);
}

extern "C" int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  if (inside() || !target_in_environment()) return PMPI_Init_thread(argc, argv, required, provided);
  *provided = MPI_THREAD_FUNNELED;  // of a job that a session has begun
  const int code = begin_world(required, [&] { return PMPI_Init_thread(argc, argv, required, provided); });
  return code;
}

// The target's node, by its number as in the target file.
extern "C" int MPI_Get_processor_name(char* name, int* length) {
  if (!active() || inside()) return PMPI_Get_processor_name(name, length);
  *length = std::snprintf(name, MPI_MAX_PROCESSOR_NAME, "node%d", process->node);
  return MPI_SUCCESS;
}

extern "C" int MPI_Finalize() {
  if (!active() || inside()) return PMPI_Finalize();
  process->world = false;
  return process->sessions > 0 ? MPI_SUCCESS : end();
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
    stop_job("MPI_Session_init: the job is over, and a second one in the same processes is not emulated", 1);
  const Entry entry(__func__);
  const int code = PMPI_Session_init(info, handler, session);
  if (code == MPI_SUCCESS) ++process->sessions;
  return code;
}

// The last one ends the job, unless the program has called MPI_Init.
extern "C" int MPI_Session_finalize(MPI_Session* session) {
  if (!active() || inside()) return PMPI_Session_finalize(session);
  {
    const Entry entry(__func__);
    if (const int code = PMPI_Session_finalize(session); code != MPI_SUCCESS) return code;
    --process->sessions;
  }
  return process->sessions > 0 || process->world ? MPI_SUCCESS : end();
}

extern "C" int MPI_Initialized(int* flag) {
  if (!published()) return PMPI_Initialized(flag);
  *flag = process->world || process->finished ? 1 : 0;
  return MPI_SUCCESS;
}
