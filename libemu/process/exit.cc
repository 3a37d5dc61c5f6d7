// Premature end of a job: earlier output is delivered, then the process manager is asked to end all other ranks.

#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>

#include "process/call_scope.h"
#include "process/fork/quick_end.h"
#include "process/log.h"
#include "process/process.h"
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

}  // namespace

void deliver_output() {
  ++caller.depth;  // its sleeps are not the program's
  std::fflush(stderr);
  deliver(STDOUT_FILENO);
  deliver(STDERR_FILENO);
  --caller.depth;
}

// If the network has failed, the other nodes' managers cannot be reached: if the manager
// has not ended this process after a second, this process kills the node's other ranks.
void end_job(int exit_code) {
  const bool known = published();
  if (known) ++caller.depth;  // the following calls are not the program's
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

// The first rank reports the message and ends the job once that is delivered. With several host nodes, node 0 or its
// agent reports. If they do not, the first rank of another node reports; if that does not end the job, this rank ends
// it.
void stop_job_once(const std::string& message) {
  const bool first = process->transport.wire->end_job_first();
  if (first && process->transport.wire->node_map().node() == 0) stop_job(message, 1);
  ++caller.depth;  // the following calls are not the program's
  if (first) process->transport.wire->send_final_message(message);
  sleep(first ? 10 : 20);
  if (first) stop_job(message, 1);
  end_job(1);
}

void stop_job_in_turn(const std::string& message, int exit_code) {
  process->rank->wait_until_first();
  stop_job(message, exit_code);
}

namespace {

// True if the program calls, on the thread that has called MPI_Init.
bool program_calls() { return active() && process->threading.main == this_thread() && caller.depth == 0; }

// If a program ends without MPI_Finalize, the other ranks would wait for ever. With exit code 0 it is assumed to have
// finished.
void check_finalized(int status, void*) {
  if (!in_job()) return;
  const bool started = published();
  if (started && !program_calls()) return;
  if (started && (status == 0 || process->life.between_sessions)) {
    std::fflush(nullptr);  // output must be written even if another rank ends the job meanwhile
    return process->end_with_program();
  }
  const char* const when = started ? " exits without MPI_Finalize" : " exits in MPI_Init";
  stop_job("rank " + std::to_string(job().number) + when, status ? status : 1);
}

// Destructors of static objects may call MPI_Finalize. A handler registered before the program's static objects
// are constructed runs after their destruction. (So no object that libemu needs in a call may have a destructor.)
[[gnu::constructor]] void watch_the_end() { on_exit(check_finalized, nullptr); }

std::optional<int> exit_code;  // of exit(), once that runs the handlers

// The destructors of the program have run, and those of libraries would follow. As exit() does at its end, fcloseall()
// writes output, and restores the position of a file that was read.
[[gnu::destructor]] void end_quickly() {
  if (!exit_code || !may_end_quickly()) return;
  check_finalized(*exit_code, nullptr);
  fcloseall();
  for (;;) syscall(SYS_exit_group, *exit_code);
}

}  // namespace

void note_exit_code() {
  on_exit([](int status, void*) { exit_code = status; }, nullptr);
}

namespace {

// A rank of the job leaves by _exit. The others would wait for it: of several helpers of the process manager, only the
// one that started it would notice, and may end only its own ranks. So this function reports the exit code to the
// manager, as MPI_Abort does. The caller may be a signal handler of the program.
void leave(int status) {
  if (!in_job()) return;
  if (published() && program_calls() && (status == 0 || process->life.between_sessions))
    return process->end_with_program();
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
