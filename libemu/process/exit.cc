// How a job ends before its time: the manager is told, and ends all others. What was written goes ahead of that.

#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "mpi/entry.h"
#include "mpi/log.h"
#include "mpi/process.h"
#include "process/start/job.h"

namespace emu::mpi {

namespace {

// Waits, at most a second, until the pipe has been emptied.
void deliver(int file) {
  int left = 0;
  struct stat status {};
  if (fstat(file, &status) != 0 || !S_ISFIFO(status.st_mode)) return;
  for (int tries = 0; tries < 1000 && ioctl(file, FIONREAD, &left) == 0 && left > 0; ++tries) usleep(1000);
}

// In the words that MPICH has for it.
std::string called_abort(MPI_Comm comm, int code) {
  char name[MPI_MAX_OBJECT_NAME] = "";
  int length = 0;
  PMPI_Comm_get_name(comm, name, &length);
  char handle[32];
  std::snprintf(handle, sizeof handle, "comm=0x%x", static_cast<unsigned>(comm));
  const std::string known = length > 0 ? name : handle;
  const std::string rank = std::to_string(process->objects.communicators.find(comm).rank);
  return "Abort(" + std::to_string(code) + ") on node " + std::to_string(process->self.number) + " (rank " +
         rank + " in " + known + "): application called MPI_Abort(" + known + ", " + std::to_string(code) +
         ") - process " + rank;
}

}  // namespace

void deliver_output() {
  ++caller.depth;  // what sleeps here is not the program
  std::fflush(stderr);
  deliver(STDOUT_FILENO);
  deliver(STDERR_FILENO);
  --caller.depth;
}

// Where the network has gone, so has the manager of the job's other end: if it has not ended this process after a
// second, the node's ranks end without it.
void end_job(int exit_code) {
  const bool known = published();
  if (known) ++caller.depth;  // what follows is not the program's call
  if (known) process->transport.wire->end_job();
  abort_job(exit_code, [known] {
    if (!known || !process->transport.agent) return;
    sleep(1);
    process->transport.wire->kill_others();
  });
}

void stop_job(const std::string& message, int exit_code) {
  log(Level::error, message);
  deliver_output();
  end_job(exit_code);
}

void stop_before_start(const std::string& message, int exit_code) {
  if (job().number != 0) sleep(10);
  stop_job(message, exit_code);
}

// The one that says so ends the job, once that is read. Of several host nodes it is one of node 0, or that node's agent. Should it
// not, the first of another node says so itself; should that not end the job, this one does.
void stop_job_once(const std::string& message) {
  const bool first = process->transport.wire->end_job_first();
  if (first && process->transport.wire->node_map().node() == 0) stop_job(message, 1);
  ++caller.depth;  // what follows is not the program's call
  if (first) process->transport.wire->send_last_words(message);
  sleep(first ? 10 : 20);
  if (first) stop_job(message, 1);
  end_job(1);
}

void stop_job_in_turn(const std::string& message, int exit_code) {
  process->rank->await_turn();
  stop_job(message, exit_code);
}

namespace {

// The program calls, on the thread that has called MPI_Init.
bool program_calls() { return active() && process->threading.main == this_thread() && caller.depth == 0; }

// A program that ends without MPI_Finalize would leave the others waiting for ever. Where it says that all is well, it is taken to have
// finished.
void check_finalized(int status, void*) {
  if (!in_job()) return;
  const bool started = published();
  if (started && !program_calls()) return;
  if (started && status == 0) {
    std::fflush(nullptr);  // what was written is there even if another rank ends the job meanwhile
    return process->end_without_finalize();
  }
  const char* const when = started ? " exits without MPI_Finalize" : " exits in MPI_Init";
  stop_job("rank " + std::to_string(job().number) + when, status ? status : 1);
}

// The destructor of an object that lives as long as the program may call MPI_Finalize: what is asked for before the program's own
// objects are made is done after they are gone. (So nothing that libemu itself needs in a call may have a destructor.)
[[gnu::constructor]] void watch_the_end() { on_exit(check_finalized, nullptr); }

// One of the job leaves it by _exit. The others would wait for it: of several helpers of the process manager's only the one that has
// started it would notice, and may end only its own ranks. So the manager is told, as by MPI_Abort, and the exit code is kept.
// A signal handler of the program's may be what calls it.
void leave(int status) {
  if (!in_job()) return;
  if (status == 0 && published() && program_calls()) return process->end_without_finalize();
  char text[100];
  const int size = std::snprintf(text, sizeof text, "libemu: error: rank %d exits%s without MPI_Finalize\n",
                                 job().number, published() ? "" : " in MPI_Init,");
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text, static_cast<std::size_t>(size));
  deliver_output();
  if (published()) process->transport.wire->end_job();
  tell_abort(status == 0 ? 1 : status);
}

[[noreturn]] void end(int status) {
  leave(status);
  for (;;) syscall(SYS_exit_group, status);
}

}  // namespace

}  // namespace emu::mpi

using namespace emu::mpi;

extern "C" void _exit(int status) { end(status); }
extern "C" void _Exit(int status) { end(status); }

extern "C" int MPI_Abort(MPI_Comm comm, int code) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Abort(comm, code);
  return entry.run(comm, [&](emu::rank::Rank&) {
    std::fflush(stdout);
    std::fprintf(stderr, "%s\n", called_abort(comm, code).c_str());
    deliver_output();
    end_job(code);
  });
}
