/* Rank 0 performs the actions named by the arguments; each makes a prediction doubtful. All ranks perform "early"
 * and "work". */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

static double cpu_seconds(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void work(double seconds) {
  const double end = cpu_seconds(CLOCK_THREAD_CPUTIME_ID) + seconds;
  while (cpu_seconds(CLOCK_THREAD_CPUTIME_ID) < end) continue;
}

static void* other_thread(void* unused) {
  work(0.1);
  return unused;
}

static void doubtful(const char* what) {
  pthread_t thread;
  char bytes[8];
  int found;
  if (strcmp(what, "sleeps") == 0) {
    usleep(1000);
    nanosleep(&(struct timespec){0, 1000}, NULL);
  } else if (strcmp(what, "threads") == 0) {
    pthread_create(&thread, NULL, other_thread, NULL);
    MPI_Recv(bytes, 0, MPI_CHAR, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    pthread_join(thread, NULL);
  } else if (strcmp(what, "random") == 0) {
    if (getrandom(bytes, sizeof bytes, 0) < 0) exit(1);
  } else if (strcmp(what, "date") == 0) {
    srand((unsigned)time(NULL) + 3);
  } else if (strcmp(what, "seed") == 0) {
    srand(42);
    time(NULL);
    srandom(43);
  } else if (strcmp(what, "work") == 0) {
    work(0.3);
  } else if (strcmp(what, "clock") == 0) {
    time(NULL);
  } else if (strcmp(what, "cpu") == 0) {
    clock();
  } else if (strcmp(what, "children") == 0) {
    if (system("exit 0") != 0 || pclose(popen("exit 0", "r")) != 0) exit(1);
  } else if (strcmp(what, "orphan") == 0) {
    if (fork() == 0) _exit(0);
  } else if (strcmp(what, "exits") == 0) {
    exit(0);
  } else if (strcmp(what, "polls") == 0) {
    for (int i = 0; i < 1000000; ++i) MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_SELF, &found, MPI_STATUS_IGNORE);
  }
}

int main(int argc, char** argv) {
  if (argc > 1 && strcmp(argv[1], "early") == 0) srand((unsigned)time(NULL) ^ (unsigned)getpid());
  clock();
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  work(0.05);
  for (int i = 1; i < argc && rank == 1; ++i) {
    if (strcmp(argv[i], "threads") != 0) continue;
    work(0.3); /* while another thread of rank 0 works */
    MPI_Send(NULL, 0, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
  }
  for (int i = 1; i < argc && (rank == 0 || strcmp(argv[i], "work") == 0); ++i) doubtful(argv[i]);
  MPI_Finalize();
  return 0;
}
