// This process as one of a job: what the process manager that started it knows, and how the job ends.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "base/failure.h"
#include "mpi/environment.h"
#include "wire/pmi.h"

namespace emu::mpi {

// Whether each process has an MPICH of its own under emulation, which knows nothing of the job: that starts in time and
// memory in proportion to the number of ranks. Otherwise MPICH runs as one job too, and it is MPICH that says hello and
// farewell to the process manager. False as long as MPICH makes communicators.
inline constexpr bool alone = false;

struct Job {
  int number = 0, size = 1;          // of this process, and of all
  std::optional<wire::Pmi> manager;  // none: this process is alone
};

// The job that this process belongs to; the manager learns of it. Once in a process: before MPICH starts if that is to be
// alone, or else behind.
Result<void> join_job(const Started& started);
// As joined; before that, and without a manager, this process alone.
const Job& job();
// The same, to talk to its manager: only the thread that calls MPI does.
wire::Pmi& manager();

// The end of the job, from any thread, with this exit code: the manager, which is told, ends the others. `then` is for
// this process to do before it ends itself.
[[noreturn, gnu::cold]] void abort_job(int exit_code, const std::function<void()>& then);
// The end of this process's part. It may go when it likes, or stay.
void leave_job();

}  // namespace emu::mpi
