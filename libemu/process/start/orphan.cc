// The process manager of a node may end before its ranks: then no process would end them, and the ranks of other nodes
// would wait for them for ever. So each rank asks the kernel for a signal when the process that started it has ended.
// Each rank ends then; the agents of other nodes lose their connections, and stop the rest of the job.

#include "process/start/orphan.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "process/fork/fork_start.h"
#include "process/start/environment.h"

namespace emu::mpi {

namespace {

pid_t starter = 0;
constexpr char message[] = "libemu: error: the process manager that started this rank has gone, so it ends\n";

// A fork has its parent's name. An ending process has lost its program file, but not its name.
std::string name_of(pid_t process) {
  std::ifstream in("/proc/" + std::to_string(process) + "/comm");
  std::string name;
  std::getline(in, name);
  return name;
}

// Safe in signal handlers. The kernel's signal concerns the thread that started this process: its process may still
// exist.
void starter_ended(int) {
  if (getppid() == starter) return;
  signal(SIGPIPE, SIG_IGN);  // the manager may have been the reader
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, message, sizeof message - 1);
  syscall(SYS_exit_group, 1);
}

}  // namespace

void end_with_manager() {
  if (!managed_in_environment() || forked_rank()) return;  // a forked rank has a supervisor
  starter = getppid();
  if (name_of(starter) == name_of(getpid()))
    return;  // the rank goes to the background: its first process ends
  struct sigaction action {};
  action.sa_handler = starter_ended;
  action.sa_flags = SA_RESTART;
  const int number = SIGRTMAX - 1;
  struct sigaction before {};
  if (sigaction(number, nullptr, &before) != 0 || before.sa_handler != SIG_DFL) return;  // program's handler
  sigaction(number, &action, nullptr);
  prctl(PR_SET_PDEATHSIG, number);
}

}  // namespace emu::mpi
