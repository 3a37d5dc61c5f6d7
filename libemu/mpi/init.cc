// The beginning and the end.

#include <mpi.h>

#include <cstdio>
#include <cstdlib>

#include "mpi/entry.h"
#include "trace/summary.h"

namespace emu::mpi {

namespace {

const char* environment(const char* name) {
  const char* value = std::getenv(name);
  return value && *value ? value : nullptr;
}

// A program that ends without MPI_Finalize would leave the others waiting for ever.
void check_finalized(int status, void*) {
  if (active() && process->depth == 0 && pthread_equal(process->thread, pthread_self()))
    stop_job("rank " + std::to_string(process->number) + " exits without MPI_Finalize", status ? status : 1);
}

void start() {
  const char* target = environment("EMU_TARGET");
  if (!target) return;
  process = new Process(target);
  on_exit(check_finalized, nullptr);
  process->rank->leave();
  process->start_meter();
}

trace::RankSummary summary() {
  const rank::Rank& r = *process->rank;
  return {r.now(), r.clock().breakdown(), r.clock().path(), r.messages_sent(), r.bytes_sent()};
}

void record() {
  const char* path = environment("EMU_RECORD");
  if (process->number != 0 || !path) return;
  trace::RunSummary run;
  run.target = process->target.name;
  for (int i = 0; i < process->size; ++i) run.ranks.push_back(process->wire->summary(i));
  if (auto written = trace::write(run, path); !written) stop_job(written.error().message, 1);
}

void finish() {
  {
    const Entry entry("MPI_Finalize");
    const trace::RankSummary own = summary();
    if (process->recorder) process->recorder->finish(own.finish);
    entry.rank().finish();
    process->finished = true;
    if (process->recorder) process->recorder->close();
    process->wire->finish(own);
    record();
  }
}

}  // namespace

}  // namespace emu::mpi

using namespace emu::mpi;

extern "C" int MPI_Init(int* argc, char*** argv) {
  if (inside()) return PMPI_Init(argc, argv);
  const int code = PMPI_Init(argc, argv);
  if (code == MPI_SUCCESS) start();
  return code;
}

extern "C" int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  if (inside()) return PMPI_Init_thread(argc, argv, required, provided);
  const bool emulated = environment("EMU_TARGET");
  const int code =
      PMPI_Init_thread(argc, argv, emulated ? std::min(required, MPI_THREAD_FUNNELED) : required, provided);
  if (code != MPI_SUCCESS) return code;
  start();
  // One thread is measured and ordered: what the program gets is what it may use.
  if (emulated) *provided = std::min(*provided, MPI_THREAD_FUNNELED);
  return code;
}

extern "C" int MPI_Finalize() {
  if (active() && !inside()) finish();
  return PMPI_Finalize();
}
