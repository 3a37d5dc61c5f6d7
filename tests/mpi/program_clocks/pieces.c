/* compute = "measured": the charge for known work between calls that cost nothing, compared with the time of this
 * work without calls. Both are measured here, in turns, as CPU time of one thread, so that other load of the
 * machine affects both. Prints, from rank 0, for each piece length the median of charged / taken over all ranks and
 * turns:
 *   LENGTH-IN-US RATIO
 * and last, for a loop that only polls in vain, the part of its virtual time that is work:
 *   empty PART */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* A tick of the system's clock takes 37 us on one virtual machine, each millisecond. If a block and its counterpart
 * together take one period of the ticks, exactly one of the two has a tick. The ratios then have two modes, 14 % apart,
 * and the median lies between them. If a block takes one period, most pairs have equal numbers of ticks. */
enum { samples = 400, lengths = 3, block = 1000 /* us */ };
static const double microseconds[lengths] = {1, 10, 100};

static double cpu_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A chain of operations, so that the processor cannot overlap a part of it with code before or after. */
__attribute__((noinline)) static void work(uint64_t* x, long steps) {
  uint64_t value = *x;
  for (long i = 0; i < steps; ++i) value = value * 6364136223846793005u + 1442695040888963407u;
  *x = value;
}

static double without_calls(uint64_t* x, long pieces, long steps) {
  const double begin = cpu_seconds();
  for (long i = 0; i < pieces; ++i) work(x, steps);
  return cpu_seconds() - begin;
}

static double charged(uint64_t* x, long pieces, long steps) {
  const double begin = MPI_Wtime();
  for (long i = 0; i < pieces; ++i) {
    work(x, steps);
    MPI_Send(NULL, 0, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
  }
  return MPI_Wtime() - begin;
}

static int ascending(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

/* Each answer costs a poll of `poll` seconds. */
static double empty_loop(double poll) {
  enum { calls = 1000000 };
  int found = 0;
  const double begin = MPI_Wtime();
  for (int i = 0; i < calls; ++i) MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_SELF, &found, MPI_STATUS_IGNORE);
  const double passed = MPI_Wtime() - begin;
  return (passed - (calls + 1) * poll) / passed; /* one more: the second reading of the clock */
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  uint64_t x = (uint64_t)rank;
  const long many = 1000000;
  const double step = without_calls(&x, 1, many) / (double)many;
  const int turns = (samples + ranks - 1) / ranks;
  double* ratios = malloc(sizeof(double) * (size_t)(lengths * turns));
  for (int turn = 0; turn < turns; ++turn)
    for (int l = 0; l < lengths; ++l) {
      const long steps = (long)(microseconds[l] * 1e-6 / step), pieces = (long)(block / microseconds[l]);
      double taken = 0, told = 0;
      if (turn % 2) taken = without_calls(&x, pieces, steps);
      told = charged(&x, pieces, steps);
      if (turn % 2 == 0) taken = without_calls(&x, pieces, steps);
      ratios[l * turns + turn] = told / taken;
    }
  double* all = malloc(sizeof(double) * (size_t)(turns * ranks));
  for (int l = 0; l < lengths; ++l) {
    MPI_Gather(ratios + l * turns, turns, MPI_DOUBLE, all, turns, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (rank != 0) continue;
    qsort(all, (size_t)(turns * ranks), sizeof *all, ascending);
    printf("%g %.5f\n", microseconds[l], all[turns * ranks / 2]);
  }
  if (ranks == 1) printf("empty %.5f\n", empty_loop(1e-6));
  if (x == 42 && argc > 9) printf("%lu\n", (unsigned long)x); /* the work counts */
  free(all);
  free(ratios);
  MPI_Finalize();
  return 0;
}
