/* A reduction that survives failures of nodes. It performs MPI_Reduce as tasks, which a dealer deals to the ranks
 * by their speeds. README.md of this folder describes the protocol, and the failures that it survives.
 *
 * As with MPI, there is progress inside these calls only: a rank that computes for a long time while reductions are
 * open should call reduce_test now and then. Only one thread of a process may call these functions. */
#ifndef REDUCE_REDUCE_H
#define REDUCE_REDUCE_H

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct reduce_context reduce_context; /* a communicator whose ranks reduce */
typedef struct reduce_request reduce_request; /* one reduction, on one rank */

/* Return values of the functions. */
enum {
  REDUCE_OK = 0,
  REDUCE_LOST = 1,     /* the reduction has no result because inputs are lost; the outcome names them */
  REDUCE_EXCLUDED = 2, /* the others assume that this rank has failed: it takes no part in anything more */
  REDUCE_INVALID = 3,  /* an argument is wrong; reduce_message() says which, and what is expected */
  REDUCE_FAILED =
      4 /* reduce_open with REDUCE_BY_ERRORS, at all ranks: a rank has failed. MPIX_Comm_shrink makes a
                                communicator without it */
};
const char* reduce_message(void);

enum { REDUCE_BY_HEARTBEAT, REDUCE_BY_ERRORS };

typedef struct {
  int dealer;       /* rank; default -1: the last rank. Its deputies are the ranks before it */
  int copies;       /* number of ranks that store each piece of an input, its owner among them; default 2 */
  int detect;       /* REDUCE_BY_HEARTBEAT, the default: a rank that is silent has failed.
                              REDUCE_BY_ERRORS: MPIX_ERR_PROC_FAILED reports a failure; the program sets
                              MPI_ERRORS_RETURN for MPI_COMM_WORLD, whose handler applies to waits for several requests */
  double heartbeat; /* seconds; default 1. After so long a silence the dealer asks for a sign of life */
  double limit;     /* seconds; default 10. A rank that is silent for so long has failed */
  long long
      segment_bytes; /* longer vectors are reduced in up to 8 segments, one after another; default 4 MiB */
  long long least_block; /* bytes; default 1 KiB. A rank combines at least this part of each input, or none */
  int risky_count; /* default 0: number of ranks that are likely to fail, or slow. Their inputs are stored first: */
  const int* risky; /* other ranks send theirs after that. All ranks pass equal lists */
} reduce_settings;
void reduce_default_settings(reduce_settings* settings);

typedef struct {
  int heir; /* rank; default -1: the rank after the root. It also collects the result, and keeps it if the
                              root fails; if both fail, the ranks after the heir do */
  int leave_out; /* 0, the default: if a rank fails before its input is stored, there is no result.
                              1: if it fails before the reduction is dealt, its input is left out of the result */
  int segments;  /* 0, the default: segment_bytes decides */
  double
      seconds_per_byte; /* recent time of combining a byte at this rank; 0, the default: as measured before */
} reduce_options;
void reduce_default_options(reduce_options* options);

typedef struct {
  int root; /* the rank that has the result: the root, or the rank in its place; -1: there is no result */
  int heir; /* the other rank that has the result; -1: none */
  int lost_count; /* number of lost inputs, listed by rank. The lists `lost` and `left_out` are valid until the */
  const int* lost;    /* next call of reduce_test or reduce_wait */
  int left_out_count; /* number of inputs that are not in the result */
  const int* left_out;
} reduce_outcome;

/* Collective over `comm`, which must exist until reduce_close. Null settings: the defaults. With REDUCE_BY_ERRORS the
 * call ends with MPIX_Comm_agree, so that all ranks have a context or none. */
int reduce_open(MPI_Comm comm, const reduce_settings* settings, reduce_context** context);

/* Collective: as with MPI_Ireduce, all ranks start equal reductions in the same order; only seconds_per_byte may
 * differ. An operation of MPI needs a datatype for which MPI defines it. `send` may be MPI_IN_PLACE at the root,
 * whose input is then in `receive`. `receive` gets the result at the ranks that the outcome names as root and heir:
 * it is required at the root, may be null elsewhere, and is useful at possible heirs. Operations that do not
 * commute are applied in the order of ranks. Until the reduction has ended, do not access the buffers or free
 * datatype and operation; nor until reduce_close if live ranks may be assumed to have failed, because such a rank
 * may still use its buffers. */
int reduce_start(reduce_context* context, const void* send, void* receive, int count, MPI_Datatype type,
                 MPI_Op op, int root, const reduce_options* options, reduce_request** request);

/* Ends the reduction if it is over: then *flag is 1, and *request is null. `outcome` may be null. */
int reduce_test(reduce_request** request, int* flag, reduce_outcome* outcome);
int reduce_wait(reduce_request** request, reduce_outcome* outcome);

/* Returns the number of ranks that this rank knows to have failed, and writes up to `most` of them. */
int reduce_failed(const reduce_context* context, int* ranks, int most);

/* Collective over the ranks that have not failed, after all reductions have ended. *failed is the number of failed
 * ranks. */
int reduce_close(reduce_context** context, int* failed);

/* Writes for each rank the time (MPI_Wtime) when the latest piece of its input arrived here; 0: no piece has. The
 * inputs of a rank are stored as often as `copies` says after the maximum, over all ranks, of the time for it. */
void reduce_last_pieces(const reduce_context* context, double* seconds);

/* For tests: from `seconds` on, a time of MPI_Wtime, this rank neither receives nor sends protocol messages, as if its
 * node had failed. Its waits end with REDUCE_EXCLUDED, and reduce_close returns when the others have closed. */
void reduce_fail_at(reduce_context* context, double seconds);

#ifdef __cplusplus
}
#endif

#endif
