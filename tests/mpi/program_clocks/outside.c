/* Clocks outside of calls by the thread that calls MPI: in signal handlers, in threads that never call MPI, and
 * after MPI_Finalize. On a target with declared work, whose polls take 1 us. Exit code 0 if all checks succeed. */
#define _GNU_SOURCE
#include <emu/emu.h>
#include <errno.h>
#include <math.h>
#include <mpi.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static int failures = 0;

static void expect(int good, const char* what, double found) {
  if (good) return;
  fprintf(stderr, "FAILED: %s (%.9f)\n", what, found);
  ++failures;
}

static struct timespec timespec_of(clockid_t clock) {
  struct timespec t;
  if (clock_gettime(clock, &t) != 0) abort();
  return t;
}
static double read_clock(clockid_t clock) {
  const struct timespec t = timespec_of(clock);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* --- signal handlers */

static volatile double last_read;
static volatile long signals, back;

static void note(void) {
  const double now = read_clock(CLOCK_MONOTONIC);
  if (now < last_read) ++back;
  last_read = now;
  ++signals;
}
static void on_signal(int number) {
  (void)number;
  note();
}
static void on_informed_signal(int number, siginfo_t* info, void* context) {
  (void)context;
  expect(info->si_signo == number, "number of the signal", number);
  note();
}

/* At any place: in calls that begin, wait and end, and between calls. */
static void interrupt_calls(long count) {
  const struct itimerval often = {{0, 100}, {0, 100}}, never = {{0, 0}, {0, 0}};
  const long end = signals + count;
  setitimer(ITIMER_REAL, &often, NULL);
  while (signals < end) MPI_Barrier(MPI_COMM_SELF);
  setitimer(ITIMER_REAL, &never, NULL);
}

static void handlers(void) {
  struct sigaction found, action = {.sa_sigaction = on_informed_signal, .sa_flags = SA_RESTART | SA_SIGINFO};
  last_read = read_clock(CLOCK_MONOTONIC);
  expect(signal(SIGALRM, on_signal) == SIG_DFL, "the handler before", 0);
  interrupt_calls(4000);
  expect(sigaction(SIGALRM, &action, &found) == 0 && found.sa_handler == on_signal &&
             !(found.sa_flags & SA_SIGINFO),
         "the handler that signal has set", found.sa_flags);
  interrupt_calls(4000);
  expect(sigaction(SIGALRM, NULL, &found) == 0 && found.sa_sigaction == on_informed_signal &&
             (found.sa_flags & SA_SIGINFO) != 0,
         "the handler that sigaction has set", found.sa_flags);
  expect((void (*)(void))signal(SIGALRM, SIG_IGN) == (void (*)(void))on_informed_signal,
         "the handler that was set", 0);
  expect(signal(SIGALRM, SIG_DFL) == SIG_IGN, "an ignored signal", 0);
  expect(sigaction(SIGKILL, &action, NULL) == -1 && errno == EINVAL, "a signal that nobody handles", errno);
  expect(back == 0, "a monotonic clock goes back in handlers", (double)back);
}

/* --- threads that never call MPI */

static const double poll_time = 1e-6;

static void* work(void* began) {
  const double begin = read_clock(CLOCK_MONOTONIC);
  expect(begin >= *(double*)began, "a thread is behind the rank that made it", begin - *(double*)began);
  emu_compute(5);
  const double worked = read_clock(CLOCK_MONOTONIC);
  expect(fabs(worked - begin - 5 - poll_time) < 1e-7, "a thread's work", worked - begin);
  usleep(2000);
  const double slept = read_clock(CLOCK_MONOTONIC);
  expect(fabs(slept - worked - 2e-3 - poll_time) < 1e-7, "a thread's sleep", slept - worked);
  sem_t never;
  sem_init(&never, 0, 0);
  struct timespec until = timespec_of(CLOCK_MONOTONIC);
  until.tv_nsec += 3000000;
  if (until.tv_nsec >= 1000000000) ++until.tv_sec, until.tv_nsec -= 1000000000;
  expect(sem_clockwait(&never, CLOCK_MONOTONIC, &until) == -1 && errno == ETIMEDOUT, "a thread's deadline",
         errno);
  const double waited = read_clock(CLOCK_MONOTONIC);
  expect(fabs(waited - slept - 3e-3 - poll_time) < 1e-7, "a thread's wait", waited - slept);
  while (read_clock(CLOCK_MONOTONIC) < waited + 0.01)
    continue; /* ends, although nothing else moves its clock */
  return NULL;
}

static void threads(void) {
  pthread_t thread;
  emu_compute(1000);
  double began = read_clock(CLOCK_MONOTONIC);
  if (pthread_create(&thread, NULL, work, &began) != 0) abort();
  pthread_join(thread, NULL);
  const double passed = read_clock(CLOCK_MONOTONIC) - began;
  expect(fabs(passed - 5 - poll_time) < 1e-7, "a thread moves the rank's clock by its work", passed);
}

/* --- after MPI_Finalize */

static void* read_late(void* ended) {
  const double now = read_clock(CLOCK_MONOTONIC);
  expect(now >= *(double*)ended, "a thread after MPI_Finalize", now - *(double*)ended);
  return NULL;
}

static void after(double begin, double ended) {
  static const clockid_t clocks[] = {CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_BOOTTIME};
  pthread_t thread;
  double last = ended;
  for (int i = 0; i < 1000; ++i) {
    const double now = read_clock(CLOCK_MONOTONIC);
    expect(now >= last && now < begin + 3e6, "a clock after MPI_Finalize", now - last);
    last = now;
  }
  if (pthread_create(&thread, NULL, read_late, &ended) != 0) abort();
  pthread_join(thread, NULL);
  /* Deadlines are reached on the host, too. */
  for (int i = 0; i < 3; ++i) {
    struct timespec until = timespec_of(clocks[i]);
    const double before = read_clock(clocks[i]);
    until.tv_sec += 1;
    expect(clock_nanosleep(clocks[i], TIMER_ABSTIME, &until, NULL) == 0, "a sleep after MPI_Finalize", i);
    expect(read_clock(clocks[i]) - before > 0.9, "a sleep's length after MPI_Finalize", i);
  }
  sem_t never;
  sem_init(&never, 0, 0);
  struct timespec until = timespec_of(CLOCK_REALTIME);
  until.tv_sec += 1;
  expect(sem_timedwait(&never, &until) == -1 && errno == ETIMEDOUT, "a deadline after MPI_Finalize", errno);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const double begin = read_clock(CLOCK_MONOTONIC);
  handlers();
  threads();
  emu_compute(2e6);
  const double ended = read_clock(CLOCK_MONOTONIC);
  expect(ended - begin > 2e6, "declared work", ended - begin);
  MPI_Finalize();
  after(begin, ended);
  return failures > 0;
}
