/* The small public C interface of libemu. A program that uses it links and runs without libemu too: the
 * entry points it needs are weak, and the calls do nothing where libemu is not there. */
#ifndef EMU_EMU_H
#define EMU_EMU_H

#include <stddef.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct emu_loop emu_loop;
typedef struct emu_advice emu_advice;

/* What libemu exports; call the functions below instead. */
void emu_declare_compute(double seconds) __attribute__((weak));
int emu_is_active(void) __attribute__((weak));
void emu_open_interval(const char* name) __attribute__((weak));
void emu_close_interval(const char* name) __attribute__((weak));
long long emu_read_picoseconds(void) __attribute__((weak));
int emu_find_advice(const emu_loop* loop, emu_advice* advice, char* message, size_t message_size)
    __attribute__((weak));

/* Declares that the work since the last MPI call costs `seconds` on the reference CPU (speed 1): on a CPU
 * of speed v it takes seconds / v of virtual time. It replaces what was measured since that call; several
 * calls in a row add up. `seconds` must be finite and not negative, else the job stops with an error.
 * Of several threads of a rank each declares its own: what they declare between two MPI calls is done side by side.
 * Inside an operation of MPI_Op_create it is the work of the rank that applies the operation. Does nothing
 * outside MPI_Init ... MPI_Finalize. */
static inline void emu_compute(double seconds) {
  if (emu_declare_compute) emu_declare_compute(seconds);
}

/* 1 while this program is being emulated, else 0. */
static inline int emu_active(void) { return emu_is_active ? emu_is_active() : 0; }

/* The clock of this rank, in picoseconds of virtual time since the return from MPI_Init. Unlike MPI_Wtime and
 * the clocks of the system, which cost what a target's network.poll says, it costs nothing: for looking on
 * without taking part. 0 outside MPI_Init ... MPI_Finalize, and where the program is not emulated. */
static inline long long emu_picoseconds(void) { return emu_read_picoseconds ? emu_read_picoseconds() : 0; }

/* What this rank does between the two belongs to the interval `name`: `emu report` tells where its time goes.
 * Intervals may be nested, not interleaved; the same name may come again. They cost no virtual time, and
 * nothing at all where the run is not recorded. MPI_Pcontrol(1, name) and MPI_Pcontrol(-1, name) mean the
 * same. */
static inline void emu_interval_begin(const char* name) {
  if (emu_open_interval) emu_open_interval(name);
}
static inline void emu_interval_end(const char* name) {
  if (emu_close_interval) emu_close_interval(name);
}

/* --- Advice for a program that deals the iterations of a loop: which rule, which chunks, to how many workers.
 *
 * A master deals chunks of iterations to the worker that asks next. How large chunks should be depends on the costs of
 * iterations, on the speeds of the workers and on the network. emu_advise simulates the rest of the loop under each
 * rule, with chunks of several sizes, and says what takes the least time. With 10^5 iterations and 64 workers it takes some milliseconds.
 * It works natively, too, and takes no virtual time. */

/* The rules, by the names of apps/loops. Their published definitions: libemu/advice/chunks.h. */
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

/* The rest of a loop as its master knows it. Values that are 0 or null have a default: begin with `emu_loop loop = {0};`. */
struct emu_loop {
  long long iterations;     /* that nobody has got yet: 0 to 2^31 - 1 */
  double mean_seconds;      /* cost of an iteration on a CPU of speed 1 */
  double deviation_seconds; /* standard deviation of it */
  double trend_seconds;     /* by how much the last one costs more than the first */
  int workers;              /* 1 or more; at most 65536 */
  const double*
      speeds; /* one for each worker, 0 if it is not known: then the mean of the others; null: all 1 */
  const double* busy_seconds; /* until each has done what it has got; null: all ask now */
  /* Costs of messages. The default is, under emulation, their costs on the target between this rank and `ranks`; natively
   * 5 us, 5 us and 20 us. */
  double receive_seconds; /* of the master's time, to take a request */
  double send_seconds;    /* of the master's time, to deal a chunk */
  const double*
      trip_seconds; /* from a worker's last iteration to the first of its next chunk, the master's part apart */
  const int*
      ranks; /* emulated: ranks of the workers in MPI_COMM_WORLD; null: all ranks in their order, without the caller's */
  int request_bytes, chunk_bytes; /* emulated: sizes of the messages */
  /* Probability that the worker with most left of its chunk becomes ten times slower at some instant: the advice has the least
   * expected time. 0 to 1. */
  double disturbance;
  char*
      used; /* if it is not null: becomes 1 for each worker that is worth dealing to, and 0 for each other, which should get nothing more */
};

struct emu_advice {
  emu_rule rule;
  long long
      chunk; /* least number of iterations of a chunk for a worker of mean speed, whatever the rule says, and for others in proportion; 0 if no iterations are left */
  long long most; /* greatest number, likewise */
  int workers;    /* that are worth dealing to: emu_loop.used says which */
  double seconds; /* how long the rest takes */
};

#define EMU_ADVICE_FOUND 0
#define EMU_ADVICE_INVALID 1     /* of `loop`; `message` names the value and what would be right */
#define EMU_ADVICE_UNAVAILABLE 2 /* the program is not linked with libemu, nor is it loaded */

/* Advice for `loop`. Returns one of the three above; if it is not EMU_ADVICE_FOUND, `message`, which may be null, says why, cut to
 * `message_size` bytes with the null behind it. */
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
