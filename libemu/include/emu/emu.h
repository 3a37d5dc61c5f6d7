/* The public C interface of libemu. A program that uses it also links and runs without libemu: the entry points are
 * weak, and without libemu the calls do nothing. */
#ifndef EMU_EMU_H
#define EMU_EMU_H

#include <stddef.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct emu_loop emu_loop;
typedef struct emu_advice emu_advice;

/* Functions in libemu; programs call the functions below instead. */
void emu_declare_compute(double seconds) __attribute__((weak));
int emu_is_active(void) __attribute__((weak));
void emu_open_interval(const char* name) __attribute__((weak));
void emu_close_interval(const char* name) __attribute__((weak));
long long emu_read_picoseconds(void) __attribute__((weak));
int emu_find_advice(const emu_loop* loop, emu_advice* advice, char* message, size_t message_size)
    __attribute__((weak));

/* Declares that the work since the last MPI call costs `seconds` on the reference CPU (speed 1): on a CPU of speed v it
 * takes seconds / v of virtual time. The declaration replaces the time measured since that call; several calls in a row
 * add up. `seconds` must be finite and not negative, otherwise the job stops with an error. Each thread of a rank
 * declares its own work: work that threads declare between two MPI calls is concurrent. In an operation of
 * MPI_Op_create, the work belongs to the rank that applies the operation. Does nothing outside
 * MPI_Init ... MPI_Finalize. */
static inline void emu_compute(double seconds) {
  if (emu_declare_compute) emu_declare_compute(seconds);
}

/* 1 while this program is emulated, otherwise 0. */
static inline int emu_active(void) { return emu_is_active ? emu_is_active() : 0; }

/* The clock of this rank, in picoseconds of virtual time since the return from MPI_Init. It costs no virtual time, so
 * it can observe a program without changing its times. MPI_Wtime and the clocks of the system cost the target's
 * network.poll. 0 outside MPI_Init ... MPI_Finalize, and if the program is not emulated. */
static inline long long emu_picoseconds(void) { return emu_read_picoseconds ? emu_read_picoseconds() : 0; }

/* Start and end of the interval `name` of this rank: `emu report` shows its time, by causes. Intervals may be nested,
 * but not interleaved; a name may be used again. They cost no virtual time, and no time at all if the run is not
 * recorded. MPI_Pcontrol(1, name) and MPI_Pcontrol(-1, name) are equivalent. */
static inline void emu_interval_begin(const char* name) {
  if (emu_open_interval) emu_open_interval(name);
}
static inline void emu_interval_end(const char* name) {
  if (emu_close_interval) emu_close_interval(name);
}

/* --- Advice for a program that deals the iterations of a loop: rule, size of chunks, number of workers.
 *
 * A master deals chunks of iterations to the worker that asks next. The best size of chunks depends on the costs of
 * iterations, on the speeds of the workers and on the network. emu_advise simulates the rest of the loop under each
 * rule, with chunks of several sizes, and returns the way that takes the least time. With 10^5 iterations and 64
 * workers it takes some milliseconds. It also works natively, and takes no virtual time. */

/* The rules, with the names of apps/loops. libemu/advice/chunks.h cites their published definitions. */
typedef enum {
  EMU_RULE_STATIC,
  EMU_RULE_SELF, /* chunks of one size: emu_advice.chunk */
  EMU_RULE_GUIDED,
  EMU_RULE_FACTORING,
  EMU_RULE_TRAPEZOID,
  EMU_RULE_WEIGHTED,
  EMU_RULE_ADAPTIVE,
  EMU_RULE_FSC,
  EMU_RULE_MFSC,
  EMU_RULE_AF,
  EMU_RULE_AWF_B,
  EMU_RULE_AWF_C,
  EMU_RULE_AWF_D,
  EMU_RULE_AWF_E
} emu_rule;

/* The rest of a loop as its master knows it. A value of 0 or null selects the default: begin with
 * `emu_loop loop = {0};`. */
struct emu_loop {
  long long iterations;     /* that have not been dealt: 0 to 2^31 - 1 */
  double mean_seconds;      /* cost of an iteration on a CPU of speed 1 */
  double deviation_seconds; /* standard deviation of this cost */
  double trend_seconds;     /* cost of the last iteration less the cost of the first */
  int workers;              /* 1 or more; at most 65536 */
  const double* speeds;     /* one for each worker; 0: unknown, the mean of the others applies; null: all 1 */
  const double* busy_seconds; /* until each has completed its present work; null: all ask now */
  /* Costs of messages. Defaults: emulated, their costs on the target between this rank and `ranks`; natively 5 us, 5 us
   * and 20 us. */
  double receive_seconds; /* the master's time for a request */
  double send_seconds;    /* the master's time to deal a chunk */
  const double*
      trip_seconds; /* from a worker's last iteration to the first of its next chunk, without the master's part */
  const int*
      ranks; /* emulated: ranks of the workers in MPI_COMM_WORLD; null: all ranks but the caller's, in order */
  int request_bytes, chunk_bytes; /* emulated: sizes of the messages */
  /* Probability that the worker with most left of its chunk becomes ten times slower at some instant: the advice
   * has the least expected time. 0 to 1. */
  double disturbance;
  char*
      used; /* unless null: set to 1 for each worker that should get chunks, and to 0 for each other worker */
};

struct emu_advice {
  emu_rule rule;
  long long
      chunk; /* least chunk for a worker of mean speed, in proportion for others; 0: no iterations left */
  long long most; /* greatest chunk, as above */
  int workers;    /* number of workers that should get chunks: emu_loop.used lists them */
  double seconds; /* time of the rest of the loop */
};

#define EMU_ADVICE_FOUND 0
#define EMU_ADVICE_INVALID 1     /* invalid `loop`; `message` names the value and the expected one */
#define EMU_ADVICE_UNAVAILABLE 2 /* the program is not linked with libemu, and libemu is not loaded */

/* Advice for `loop`. Returns one of the three values above; if it is not EMU_ADVICE_FOUND, `message` (unless null) gets
 * the reason, cut to `message_size` bytes with the terminating null. */
static inline int emu_advise(const emu_loop* loop, emu_advice* advice, char* message, size_t message_size) {
  if (emu_find_advice) return emu_find_advice(loop, advice, message, message_size);
  if (message && message_size)
    snprintf(message, message_size,
             "no advice: the program is not linked with libemu (expected emucc, or -lemu)");
  return EMU_ADVICE_UNAVAILABLE;
}

#ifdef __cplusplus
}
#endif

#endif
