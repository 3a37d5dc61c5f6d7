// Looks at the threads that keep cores awake, and times equal pieces of work with and without waits before them.
// Usage: awake threads | pieces | hang
#define _GNU_SOURCE
#include <dirent.h>
#include <emu/emu.h>
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { most = 1024 };

static void pause_for(long milliseconds) {  // by the host's clock
  const struct timespec pause = {milliseconds / 1000, milliseconds % 1000 * 1000000};
  syscall(SYS_nanosleep, &pause, NULL);
}

static double host_seconds(void) {
  struct timespec now;
  syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static volatile double result;

static void work(long steps) {
  double x = 0.3;
  for (long i = 0; i < steps; ++i) x = x * x - 0.7 * x + 0.1;
  result = x;
}

// The threads of idle priority of process `pid`: their number, and the sum of their CPU seconds.
static int idle_threads(pid_t pid, double* used) {
  char name[400];
  int count = 0;
  *used = 0;
  snprintf(name, sizeof name, "/proc/%d/task", pid);
  DIR* const tasks = opendir(name);
  for (struct dirent* entry; tasks && (entry = readdir(tasks));) {
    if (entry->d_name[0] == '.' || sched_getscheduler(atoi(entry->d_name)) != SCHED_IDLE) continue;
    ++count;
    snprintf(name, sizeof name, "/proc/%d/task/%s/schedstat", pid, entry->d_name);
    FILE* const file = fopen(name, "r");
    double nanoseconds = 0;
    if (file && fscanf(file, "%lf", &nanoseconds) == 1) *used += 1e-9 * nanoseconds;
    if (file) fclose(file);
  }
  if (tasks) closedir(tasks);
  return count;
}

// They belong to the first process, the parent of forked ranks, or else to the first rank.
static int find_threads(double* used) {
  const int parents = idle_threads(getppid(), used);
  return parents > 0 ? parents : idle_threads(getpid(), used);
}

// Rank 1 waits for rank 0, which looks; then both work without a wait.
static void threads(int rank) {
  double before = 0, used = 0, waiting = 0, working = 0, begin = 0;
  int count = 0;
  if (rank == 0) {
    for (int i = 0; i < 200 && (count = find_threads(&before)) == 0; ++i) pause_for(10);
    begin = host_seconds();
    do pause_for(20);
    while (count > 0 && find_threads(&used) > 0 && used - before < 1e-3 && host_seconds() - begin < 20);
    waiting = used - before;
    MPI_Send(&count, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
  } else if (rank == 1) {
    MPI_Recv(&count, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  if (rank == 0) {
    for (begin = host_seconds(); host_seconds() - begin < 0.1;) work(1000);  // rank 1 has begun to work
    find_threads(&before);
    const double since = host_seconds();
    for (begin = since; host_seconds() - begin < 0.3;) work(1000);
    find_threads(&used);
    working = (used - before) / (host_seconds() - since);
    printf("threads %d ran %g s while a rank waited, and %g of the time while none did\n", count, waiting,
           working);
  } else {
    for (begin = host_seconds(); host_seconds() - begin < 0.6;) work(1000);
  }
}

static int ascending(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static double timed(long steps) {
  const long long begin = emu_picoseconds();
  work(steps);
  return 1e-12 * (double)(emu_picoseconds() - begin);
}

// Rank 0 works after waits for rank 1, and each time without a wait before.
static void pieces(int rank) {
  static const double lengths[] = {10e-6, 100e-6, 1e-3, 10e-3, 100e-3};
  const double probe = rank == 0 ? timed(2000000) : 0;
  for (int i = 0; i < 5; ++i) {
    const long steps = (long)(lengths[i] / probe * 2000000);
    const int repeats = lengths[i] > 50e-3 ? 5 : lengths[i] > 5e-3 ? 11 : 41;
    double waited[64], control[64];
    for (int n = 0; n < repeats; ++n) {
      int word = 0;
      if (rank == 0) {
        work(steps / 4 + 20000);
        const double warm = timed(steps), again = timed(steps);
        MPI_Send(&word, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        MPI_Recv(&word, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        waited[n] = timed(steps) / again;
        control[n] = again / warm;
      } else {
        MPI_Recv(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        work(2000000);  // some milliseconds
        MPI_Send(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
      }
    }
    if (rank != 0) continue;
    qsort(waited, (size_t)repeats, sizeof *waited, ascending);
    qsort(control, (size_t)repeats, sizeof *control, ascending);
    printf("piece %g waited %.4f control %.4f spread %.4f\n", lengths[i], waited[repeats / 2],
           control[repeats / 2], control[repeats * 3 / 4] - control[repeats / 4]);
  }
}

int main(int argc, char** argv) {
  int rank = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const char* const mode = argc > 1 ? argv[1] : "";
  if (strcmp(mode, "threads") == 0) threads(rank);
  if (strcmp(mode, "pieces") == 0) pieces(rank);
  if (strcmp(mode, "hang") == 0) {
    printf("processes %d %d\n", getppid(), getpid());
    fflush(stdout);
    int word = 0;
    if (rank == 0) pause_for(60000);
    if (rank == 1) MPI_Recv(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Finalize();
  return 0;
}
