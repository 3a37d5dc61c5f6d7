// Processes that a program starts are not emulated: their exit codes are their own, and their clocks are the host's.
#include <emu/emu.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "answers.h"

namespace {

time_t before = 0;  // on the host

bool host_time(time_t now) { return now - before < 50'000; }

// Exits with `code`, or with 99 if the process's clock shows the target's time.
void ends(const char* name, int code) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    std::exit(host_time(time(nullptr)) && host_time(now.tv_sec) ? code : 99);
  }
  int status = -1;
  waitpid(child, &status, 0);
  show(name, WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

}  // namespace

int main(int argc, char** argv) {
  before = time(nullptr);
  const Answers me(&argc, &argv);
  emu_compute(100'000);
  show("the target's time", !emu_active() || !host_time(time(nullptr)));
  ends("child", 0);
  ends("child that fails", 3);
  FILE* pipe = popen("date +%s", "r");
  long long printed = 0;
  show("pipe read", std::fscanf(pipe, "%lld", &printed));
  show("pipe's clock is the host's", host_time(printed));
  show("pipe closed", pclose(pipe));
  show("system", WEXITSTATUS(std::system("exit 4")));
  int sum = 0;  // the program continues
  MPI_Allreduce(&me.rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  show("sum", sum);
}
