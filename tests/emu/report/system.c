/* Two named intervals of half a second of CPU time each: in one the system works for the program, in the other the
 * program itself. */
#include <emu/emu.h>
#include <fcntl.h>
#include <mpi.h>
#include <time.h>
#include <unistd.h>

static char buffer[1 << 22];

static double used(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  emu_interval_begin("system");
  const int zeros = open("/dev/zero", O_RDONLY);
  for (const double end = used() + 0.5; used() < end;)
    if (read(zeros, buffer, sizeof buffer) < 0) return 1;
  emu_interval_end("system");
  emu_interval_begin("own");
  for (const double end = used() + 0.5; used() < end;)
    for (volatile int i = 0; i < 1000000;) i = i + 1;
  MPI_Barrier(MPI_COMM_WORLD);
  emu_interval_end("own");
  MPI_Finalize();
  return 0;
}
