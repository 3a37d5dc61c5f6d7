#include "process/start/job.h"

#include <unistd.h>

#include <atomic>
#include <cstdlib>

#include "process/fork/fork_start.h"

namespace emu::mpi {

namespace {

// One for each process, like the file of its connection.
Job& joined = *new Job;
std::atomic<pid_t> member = 0;  // the process that has joined, and not left

}  // namespace

const Job& job() { return joined; }
wire::Pmi& manager() { return *joined.manager; }

Result<void> join_job(const Started& started) {
  if (ForkedRank* const forked = forked_rank()) {
    joined.number = forked->number;
    joined.size = forked->size;
    if (forked->number == forked->node_map.leader()) joined.manager = std::move(forked->manager);
    member = getpid();
    join_supervisor();
    return {};
  }
  if (started.by_port)
    return fail(
        "the process manager uses PMI_PORT, which libemu does not support (expected PMI_FD: start the job "
        "without that option of mpirun)");
  if (!started.connection) {
    member = getpid();
    return {};
  }
  if (started.rank < 0 || started.size < 1 || started.rank >= started.size)
    return fail(
        "PMI_RANK and PMI_SIZE name no rank of a job, though PMI_FD is set: start the job by mpirun or srun");
  auto manager = wire::Pmi::open(*started.connection);
  if (!manager) return tl::unexpected(manager.error());
  joined.number = started.rank;
  joined.size = started.size;
  joined.manager.emplace(std::move(*manager));
  member = getpid();
  return {};
}

bool in_job() { return member == getpid(); }

void tell_abort(int exit_code) {
  member = 0;
  if (joined.manager) joined.manager->abort(exit_code);
  abort_by_supervisor(exit_code);
}

void abort_job(int exit_code, const std::function<void()>& then) {
  tell_abort(exit_code);
  then();
  std::exit(exit_code);
}

// An error is ignored: a manager that has ended needs no information.
void leave_job() {
  member = 0;
  if (joined.manager) (void)joined.manager->finalize();
  leave_supervisor();
}

}  // namespace emu::mpi
