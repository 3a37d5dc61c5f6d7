// This process as one of a job: what the process manager that started it knows, and how the job ends. MPICH knows nothing of
// it: under emulation each process has one of its own (AloneEnvironment).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "base/failure.h"
#include "process/start/environment.h"
#include "wire/agent/pmi.h"

namespace emu::mpi {

struct Job {
  int number = 0, size = 1;          // of this process, and of all
  std::optional<wire::Pmi> manager;  // none: this process is alone
};

// The job that this process belongs to; the manager learns of it. Once in a process, before MPICH starts.
Result<void> join_job(const Started& started);
// As joined; before that, and without a manager, this process alone.
const Job& job();
// The same, to talk to its manager: only the thread that calls MPI does.
wire::Pmi& manager();

// Whether the manager waits for this process: from join_job() to leave_job() or the job's end. Not in a child that it forks.
bool in_job();

// The manager is to end the job, this process too. Only what a signal handler may do.
void tell_abort(int exit_code);

// The end of the job, from any thread, with this exit code: the manager, which is told, ends the others. `then` is for
// this process to do before it ends itself.
[[noreturn, gnu::cold]] void abort_job(int exit_code, const std::function<void()>& then);
// The end of this process's part. It may go when it likes, or stay.
void leave_job();

}  // namespace emu::mpi
