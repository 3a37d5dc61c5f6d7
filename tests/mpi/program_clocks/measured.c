/* compute = "measured": prints the virtual time that passes while the program works, sleeps and declares.
 * No arguments. One line: WORK / its CPU time, then SLEEP, then DECLARED, in seconds. */
#include <emu/emu.h>
#include <mpi.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static double cpu_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Works for about `seconds` of CPU time; returns the exact time. */
static double work(double seconds) {
  const double begin = cpu_seconds();
  volatile double x = 1;
  while (cpu_seconds() - begin < seconds)
    for (int i = 0; i < 100000; ++i) x = x * 1.0000001 + 1e-9;
  return cpu_seconds() - begin;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  double begin = MPI_Wtime();
  const double cpu = work(0.2);
  const double worked = (MPI_Wtime() - begin) / cpu;
  begin = MPI_Wtime();
  usleep(300000);
  const double slept = MPI_Wtime() - begin;
  begin = MPI_Wtime();
  work(0.1);
#ifdef DECLARES
  emu_compute(50);
#endif
  const double declared = MPI_Wtime() - begin;
  MPI_Finalize();
  printf("%.6f %.6f %.6f\n", worked, slept, declared);
  return 0;
}
