// End of a rank: with MPI_Finalize or without it, or because of the failure of its node.

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "base/units.h"
#include "process/call_scope.h"
#include "process/start/job.h"
#include "process/upcalls.h"
#include "record/summary.h"

namespace emu::mpi {

namespace {

void write_record() {
  const std::string& path = process->environment.record;
  const std::string& trace = process->environment.trace;
  if (process->self.number != 0 || (path.empty() && trace.empty())) return;
  record::RunSummary run;
  run.target = process->target.name;
  for (int i = 0; i < process->self.size; ++i) run.ranks.push_back(process->transport.wire->summary(i));
  run.resources = process->transport.wire->resource_uses(run.predicted());
  const auto write = [&](const std::string& file) {
    if (auto written = record::write(run, file); !written) stop_job(written.error().message, 1);
  };
  if (!path.empty()) write(path);
  if (!trace.empty() && !run.resources.empty()) write(record::summary_of_trace(trace));
}

// Reports a job in which every rank failed: its prediction would be empty.
void check_survivors() {
  Instant last;
  for (int i = 0; i < process->self.size; ++i) {
    const record::RankSummary& s = process->transport.wire->summary(i);
    if (!s.failed) return;
    last = std::max(last, s.finish);
  }
  stop_job("every rank failed with its node, the last one at " + format(last - Instant::start(), 9) +
               ": nothing is left to predict",
           1);
}

}  // namespace

record::RankSummary Process::summary() const {
  const rank::Rank& r = *rank;
  return {r.now(),           r.clock().breakdown(), r.clock().path(),
          r.messages_sent(), r.bytes_sent(),        doubts_so_far()};
}

void Process::finish() {
  const CallScope scope("MPI_Finalize");
  if (!life.between_sessions) life.summary = summary();
  if (recorder) recorder->finish(life.summary->finish, life.summary->path);
  if (program) program->finish();
  leave_windows(scope.rank());
  scope.rank().finish();
  // As long as any rank may ask, cancellations are answered, and the first rank serves the queue of the shared
  // storage.
  if (uses.cancels_sends || target.storage.shared) scope.rank().serve_out();
  stop_clock();
  if (recorder) recorder->close();
  finish_together(*life.summary);
  scope.rank().end_sleeps();
  write_record();
}

void Process::end_with_program() {
  if (!life.between_sessions) doubts.unfinalized = 1;
  finish();
  leave_job();
}

void Process::fail() {
  ++caller.depth;
  rank->serve_last();
  record::RankSummary own = life.summary.value_or(summary());
  own.failed = !life.summary;
  if (own.failed && target.on_failure == target::OnFailure::abort)
    stop_job_in_turn("rank " + std::to_string(self.number) + " failed at " +
                         format(own.finish - Instant::start(), 9) +
                         " with its node, and on_failure is \"abort\"",
                     1);
  stop_clock();
  if (own.failed) rank->record_failure();
  if (recorder) recorder->close();
  finish_together(own);
  if (self.number == 0) check_survivors();
  write_record();
  end_mpich();
  leave_job();
  std::fflush(nullptr);
  _exit(0);
}

}  // namespace emu::mpi
