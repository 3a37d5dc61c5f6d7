// The process manager of a node may die before its ranks do: nobody would end them then, and the ranks of other nodes
// would wait for them for ever. So the kernel is asked to tell each rank when the process that started it has ended.
// Each rank ends then; the agents of other nodes lose the connection to theirs, and stop the rest of the job.

#include "process/start/orphan.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "process/start/environment.h"
#include "process/start/fork_start.h"

namespace emu::mpi {

namespace {

pid_t manager = 0;
constexpr char message[] = "libemu: error: the process manager that started this rank has gone, so it ends\n";

// Only what a signal handler may do. The kernel speaks of the thread that started this process: its process may go on.
void ended(int) {
  if (getppid() == manager) return;
  signal(SIGPIPE, SIG_IGN);  // it may have been the reader
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, message, sizeof message - 1);
  syscall(SYS_exit_group, 1);
}

}  // namespace

void end_with_manager() {
  if (!managed_in_environment() || forked_rank()) return;  // its supervisor looks after a forked rank
  manager = getppid();
  struct sigaction action {};
  action.sa_handler = ended;
  action.sa_flags = SA_RESTART;
  const int number = SIGRTMAX - 1;
  struct sigaction before {};
  if (sigaction(number, nullptr, &before) != 0 || before.sa_handler != SIG_DFL) return;  // the program's own
  sigaction(number, &action, nullptr);
  prctl(PR_SET_PDEATHSIG, number);
}

}  // namespace emu::mpi
