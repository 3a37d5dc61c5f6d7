// This process as a member of a job: data of the process manager that started it, and the end of the
// job. MPICH does not know the job: under emulation each process has its own MPICH (AloneEnvironment).
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
  int number = 0, size = 1;          // number of this process, and number of processes
  std::optional<wire::Pmi> manager;  // none: a job of this process alone
};

// Joins the job of this process, and tells the manager. Called once in a process, before MPICH starts.
Result<void> join_job(const Started& started);
// The job; before join_job(), and without a manager, a job of this process alone.
const Job& job();
// The job's manager. Only the thread that calls MPI uses it.
wire::Pmi& manager();

// True while the manager waits for this process: from join_job() to leave_job() or the job's end. False in a forked
// child.
bool in_job();

// Tells the manager to end the job, with this process. Safe in signal handlers.
void tell_abort(int exit_code);

// Ends the job with this exit code, from any thread: the manager ends the other processes. `then` runs before this
// process ends itself.
[[noreturn, gnu::cold]] void abort_job(int exit_code, const std::function<void()>& then);
// Ends the membership of this process, which may exit at any time after that.
void leave_job();

}  // namespace emu::mpi
