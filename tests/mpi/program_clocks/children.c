/* children: the charge for the work of processes that the program starts, with measured compute. A line for each
 * way to start them: its name, the charge in seconds of virtual time, the CPU time of the processes, and the CPU
 * time of the program meanwhile.
 *
 * children work: works for 0.15 s of CPU time. */
#define _GNU_SOURCE
#include <mpi.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char** environ;
static char self[4000], command[4100];

static double cpu_seconds(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static void work(void) {
  while (cpu_seconds(CLOCK_PROCESS_CPUTIME_ID) < 0.15) continue;
}
static void check(int good, const char* what) {
  if (good) return;
  fprintf(stderr, "FAILED: %s\n", what);
  exit(1);
}

static double seconds_of(const struct rusage* used) {
  return (double)used->ru_utime.tv_sec + 1e-6 * (double)used->ru_utime.tv_usec +
         (double)used->ru_stime.tv_sec + 1e-6 * (double)used->ru_stime.tv_usec;
}

static pid_t fork_one(void) {
  const pid_t child = fork();
  if (child == 0) {
    work();
    _exit(7);
  }
  check(child > 0, "fork");
  return child;
}
static void ended(pid_t child, pid_t waited, int status) {
  check(waited == child && WIFEXITED(status) && WEXITSTATUS(status) == 7, "what a wait says");
}

static void by_wait(void) {
  int status = 0;
  const pid_t child = fork_one(), waited = wait(&status);
  ended(child, waited, status);
}
static void by_waitpid(void) {
  int status = 0;
  const pid_t child = fork_one();
  pid_t waited = 0;
  while ((waited = waitpid(child, &status, WNOHANG)) == 0) {
    const struct timespec pause = {0, 10000000};
    nanosleep(&pause, NULL);
  }
  ended(child, waited, status);
}
static void by_wait3(void) {
  int status = 0;
  const pid_t child = fork_one(), waited = wait3(&status, 0, NULL);
  ended(child, waited, status);
}
static void by_wait4(void) {
  int status = 0;
  struct rusage used;
  const pid_t child = fork_one(), waited = wait4(child, &status, 0, &used);
  ended(child, waited, status);
  check(seconds_of(&used) > 0.1, "what wait4 says was used");
}
static void by_waitid(void) {
  siginfo_t info;
  const pid_t child = fork_one();
  check(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT) == 0 && info.si_pid == child,
        "waitid that leaves it");
  check(waitid(P_PID, (id_t)child, &info, WEXITED) == 0 && info.si_pid == child && info.si_status == 7,
        "waitid");
}
static void by_vfork(void) {
  int status = 0;
  const pid_t child = vfork();
  if (child == 0) {
    execl(self, self, "work", (char*)NULL);
    _exit(1);
  }
  check(waitpid(child, &status, 0) == child && status == 0, "vfork");
}
static void by_spawn(void) {
  int status = 0;
  pid_t child = 0;
  char* words[] = {self, (char*)"work", NULL};
  check(posix_spawn(&child, self, NULL, NULL, words, environ) == 0, "posix_spawn");
  check(waitpid(child, &status, 0) == child && status == 0, "a process that was spawned");
}
static void by_system(void) { check(system(command) == 0, "system"); }
static void by_popen(void) {
  FILE* const pipe = popen(command, "r");
  check(pipe && pclose(pipe) == 0, "popen");
}
/* Two processes at once. */
static void both(void) {
  fork_one();
  fork_one();
  check(wait(NULL) > 0 && wait(NULL) > 0 && wait(NULL) == -1, "wait for two");
}

static double used_by_children(void) {
  struct rusage used;
  getrusage(RUSAGE_CHILDREN, &used);
  return seconds_of(&used);
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    void (*run)(void);
  } ways[] = {{"wait", by_wait},     {"waitpid", by_waitpid}, {"wait3", by_wait3}, {"wait4", by_wait4},
              {"waitid", by_waitid}, {"vfork", by_vfork},     {"spawn", by_spawn}, {"system", by_system},
              {"popen", by_popen},   {"both", both}};
  if (argc > 1 && strcmp(argv[1], "work") == 0) {
    work();
    return 0;
  }
  if (readlink("/proc/self/exe", self, sizeof self - 1) < 0) return 1;
  snprintf(command, sizeof command, "'%s' work", self);
  MPI_Init(&argc, &argv);
  for (size_t i = 0; i < sizeof ways / sizeof ways[0]; ++i) {
    if (argc > 1 && strcmp(argv[1], ways[i].name) != 0) continue;
    const double cpu = cpu_seconds(CLOCK_THREAD_CPUTIME_ID), before = used_by_children(), begin = MPI_Wtime();
    ways[i].run();
    const double charged = MPI_Wtime() - begin;
    printf("%s %.9f %.9f %.9f\n", ways[i].name, charged, used_by_children() - before,
           cpu_seconds(CLOCK_THREAD_CPUTIME_ID) - cpu);
  }
  MPI_Finalize();
  return 0;
}
