/* All clocks show the time of the target, declared by emu_compute. Run with 1 or 2 ranks; WHICH is "virtual", or "host"
 * for a run with EMU_HOST_CLOCKS=1. Exit code 0 if all checks succeed. */
#define _GNU_SOURCE
#include <emu/emu.h>
#include <math.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/timeb.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

#pragma GCC diagnostic ignored "-Wdeprecated-declarations" /* ftime, which programs still call */

static int failures = 0;

static void expect(int good, const char* what, double found) {
  if (good) return;
  fprintf(stderr, "FAILED: %s (%.9f)\n", what, found);
  ++failures;
}

static double read_clock(clockid_t clock) {
  struct timespec t;
  if (clock_gettime(clock, &t) != 0) abort();
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static double realtime(void) { return read_clock(CLOCK_REALTIME); }
static double monotonic(void) { return read_clock(CLOCK_MONOTONIC); }
static double raw(void) { return read_clock(CLOCK_MONOTONIC_RAW); }
static double coarse(void) { return read_clock(CLOCK_REALTIME_COARSE); }
static double of_day(void) {
  struct timeval t, *volatile none = NULL;
  struct timezone zone = {-1, -1};
  if (gettimeofday(none, &zone) != 0 || zone.tz_minuteswest == -1)
    abort(); /* a program may ask for the zone alone */
  gettimeofday(&t, NULL);
  return (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
}
static double whole_seconds(void) { return (double)time(NULL); }
static double c11(void) {
  struct timespec t;
  if (timespec_get(&t, TIME_UTC) != TIME_UTC) abort();
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double ticks(void) { return (double)times(NULL) / (double)sysconf(_SC_CLK_TCK); }
static double milliseconds(void) {
  struct timeb t;
  ftime(&t);
  return (double)t.time + 1e-3 * t.millitm;
}

static const struct {
  const char* name;
  double (*read)(void);
  double tick;
} clocks[] = {{"CLOCK_REALTIME", realtime, 2e-6}, {"CLOCK_MONOTONIC", monotonic, 2e-6},
              {"CLOCK_MONOTONIC_RAW", raw, 2e-6}, {"CLOCK_REALTIME_COARSE", coarse, 2e-6},
              {"gettimeofday", of_day, 3e-6},     {"time", whole_seconds, 1.0},
              {"timespec_get", c11, 2e-6},        {"times", ticks, 0.0101},
              {"ftime", milliseconds, 0.00101}};
enum { clock_count = sizeof clocks / sizeof clocks[0] };

static const double poll = 1e-6; /* seconds: the default cost of a poll */

/* 1000 s pass on the target, and hardly any time on the host. */
static void declared_time_passes(int is_virtual) {
  double before[clock_count];
  const double begin = MPI_Wtime();
  for (int i = 0; i < clock_count; ++i) before[i] = clocks[i].read();
  emu_compute(400);
  emu_compute(600);
  for (int i = 0; i < clock_count; ++i) {
    const double passed = clocks[i].read() - before[i];
    if (is_virtual) /* between the two there are as many readings as clocks, each at the cost of a poll */
      expect(fabs(passed - 1000 - clock_count * poll) <= clocks[i].tick, clocks[i].name, passed);
    else
      expect(passed >= 0 && passed < 100, clocks[i].name, passed);
  }
  const double all = MPI_Wtime() - begin;
  const int readings = is_virtual ? 2 * clock_count + 1 : 1;
  expect(fabs(all - 1000 - readings * poll) < 1e-9, "MPI_Wtime passes as declared", all);
}

/* A clock that is first read at a late instant shows that instant, too. */
static void zero_is_common(double before_init[], int is_virtual) {
  emu_compute(5000);
  for (int i = 0; i < clock_count; ++i) {
    const double since = clocks[i].read() - before_init[i];
    if (is_virtual)
      expect(since > 4999 && since < 5100, "since before MPI_Init", since);
    else
      expect(since < 100, "since before MPI_Init", since);
  }
}

/* At one virtual instant the clocks of all ranks agree. */
static void ranks_agree(int is_virtual) {
  const double own = realtime() - MPI_Wtime();
  double least, most;
  MPI_Allreduce(&own, &least, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
  MPI_Allreduce(&own, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  if (is_virtual) expect(most - least < 2e-6, "ranks agree on the time", most - least);
}

static void monotone(void) {
  double last = MPI_Wtime(), last_monotonic = monotonic();
  for (int i = 0; i < 3000; ++i) {
    if (i % 7 == 0) emu_compute(1e-7);
    if (i % 100 == 0) MPI_Barrier(MPI_COMM_WORLD);
    const double now = MPI_Wtime(), now_monotonic = monotonic();
    expect(now >= last && now_monotonic >= last_monotonic, "monotone", now - last);
    last = now;
    last_monotonic = now_monotonic;
  }
}

/* Loops that wait for an instant end although nothing else moves the clock; otherwise the test times out. */
static void waiting_ends(void) {
  double begin = MPI_Wtime();
  while (MPI_Wtime() < begin + 0.01) continue;
  begin = monotonic();
  while (monotonic() < begin + 0.01) continue;
  begin = of_day();
  while (of_day() < begin + 0.01) continue;
}

/* A thread that never calls MPI sees the clock advance, and does not advance the clock of any rank. */
static void* watch(void* unused) {
  (void)unused;
  double last = monotonic();
  for (int i = 0; i < 100000; ++i) {
    const double now = monotonic();
    expect(now >= last && now < last + 3050, "clock of a second thread", now - last);
    last = now;
  }
  return NULL;
}

static void second_thread(void) {
  pthread_t thread;
  const double begin = MPI_Wtime();
  if (pthread_create(&thread, NULL, watch, NULL) != 0) abort();
  emu_compute(3000);
  pthread_join(thread, NULL);
  const double passed = MPI_Wtime() - begin;
  expect(fabs(passed - 3000 - poll) < 1e-9, "a second thread moves the clock", passed);
}

int main(int argc, char** argv) {
  const int is_virtual = argc < 2 || strcmp(argv[1], "host") != 0;
  double before_init[clock_count];
  expect(emu_active() == 0, "emu_active before MPI_Init", emu_active());
  emu_compute(77); /* before MPI_Init: nothing */
  for (int i = 0; i < clock_count; ++i) before_init[i] = clocks[i].read();
  MPI_Init(&argc, &argv);
  expect(emu_active() == 1, "emu_active", emu_active());
  const double zero = MPI_Wtime();
  expect(zero == 0, "virtual time 0 is the return from MPI_Init", zero);
  expect(emu_picoseconds() == 1000000, "a reading of the clock takes a poll", (double)emu_picoseconds());
  expect(emu_picoseconds() == 1000000, "emu_picoseconds takes nothing", (double)emu_picoseconds());
  expect(MPI_Wtick() > 0 && MPI_Wtick() <= 1e-9, "MPI_Wtick", MPI_Wtick());
  zero_is_common(before_init, is_virtual);
  declared_time_passes(is_virtual);
  ranks_agree(is_virtual);
  monotone();
  if (is_virtual) waiting_ends();
  second_thread();
  const double cpu = read_clock(CLOCK_PROCESS_CPUTIME_ID);
  expect(cpu >= 0 && cpu < 100, "CPU time stays the host's", cpu);
  MPI_Finalize();
  expect(emu_active() == 0, "emu_active after MPI_Finalize", emu_active());
  for (int i = 0; i < clock_count; ++i) {
    const double since = clocks[i].read() - before_init[i], passed = is_virtual ? 9000 : 0;
    expect(since >= passed && since < passed + 100, "time after MPI_Finalize", since);
  }
  return failures != 0;
}
