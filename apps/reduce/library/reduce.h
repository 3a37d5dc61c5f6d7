/* A reduction that survives failures of nodes: the reduction of MPI_Reduce, made of tasks that a dealer deals to the
 * ranks by their speeds. README.md of this folder has the protocol, and which failures it survives.
 *
 * Everything goes on inside these calls only, as with MPI: a rank that computes for long while reductions are open
 * should call reduce_test now and then. One thread of a process calls them. */
#ifndef REDUCE_REDUCE_H
#define REDUCE_REDUCE_H

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct reduce_context reduce_context; /* a communicator whose ranks reduce */
typedef struct reduce_request reduce_request; /* one reduction, on one rank */

/* What functions return. */
enum {
  REDUCE_OK = 0,
  REDUCE_LOST = 1,     /* the reduction has no result: inputs are lost, see the outcome */
  REDUCE_EXCLUDED = 2, /* the others hold this rank for failed: it has no part in anything more */
  REDUCE_INVALID = 3,  /* an argument is wrong; reduce_message() says which, and what would be right */
  REDUCE_FAILED =
      4 /* reduce_open with REDUCE_BY_ERRORS, at all ranks: one has failed. MPIX_Comm_shrink makes a
                              communicator without it */
};
const char* reduce_message(void);

enum { REDUCE_BY_HEARTBEAT, REDUCE_BY_ERRORS };

typedef struct {
  int dealer;       /* rank; -1, the default: the last. Its deputies are the ranks before it */
  int copies;       /* at so many ranks stands each piece of an input; default 2 */
  int detect;       /* REDUCE_BY_HEARTBEAT, the default: a rank that is silent has failed.
                              REDUCE_BY_ERRORS: MPIX_ERR_PROC_FAILED says so; the program has set MPI_ERRORS_RETURN
                              for MPI_COMM_WORLD, whose handler counts for waits for several requests */
  double heartbeat; /* seconds; default 1. Who is silent for so long is asked for a sign of life */
  double limit;     /* seconds; default 10. Who is silent for so long has failed */
  long long
      segment_bytes; /* longer vectors are reduced in up to 8 segments, one behind another; default 4 MiB */
  long long least_block; /* bytes; default 1 KiB. A rank combines at least so many of each input, or none */
  int risky_count; /* default 0: ranks whose nodes are likely to fail, or slow. Their inputs are stored first: */
  const int* risky; /* others send a rank theirs when it has those. The same at all ranks */
} reduce_settings;
void reduce_default_settings(reduce_settings* settings);

typedef struct {
  int heir;      /* rank; -1, the default: the one behind the root. It collects the result, too, and keeps
                              it should the root fail; should both fail, those behind the heir do */
  int leave_out; /* 0, the default: without the input of a rank that has failed there is no result.
                              1: then the result is that of those that started the reduction; the outcome has the others */
  int segments;  /* 0, the default: as segment_bytes says */
  double
      seconds_per_byte; /* what combining a byte has taken here lately; 0, the default: as measured before */
} reduce_options;
void reduce_default_options(reduce_options* options);

typedef struct {
  int root;       /* the rank that has the result: the root, or who took its place; -1: there is no result */
  int heir;       /* who has it, too; -1: nobody */
  int lost_count; /* inputs that are lost, by rank. What `lost` and `left_out` point at lasts until the next */
  const int* lost;    /* call of reduce_test or reduce_wait */
  int left_out_count; /* inputs that are not in the result */
  const int* left_out;
} reduce_outcome;

/* Collective over `comm`, which must stay until reduce_close. Null settings: the defaults. With REDUCE_BY_ERRORS it
 * ends with MPIX_Comm_agree, so that all ranks have a context or none. */
int reduce_open(MPI_Comm comm, const reduce_settings* settings, reduce_context** context);

/* Collective: all ranks start the same reductions in the same order, as with MPI_Ireduce, and with the same options
 * but seconds_per_byte. Operations of MPI's own are for the datatypes that MPI defines them for. `send` may be MPI_IN_PLACE at the root, whose input then is in `receive`. `receive` gets the
 * result at the ranks that the outcome names as root and as heir: pass it at the root, and at the heirs that want the
 * result; elsewhere it may be null. Operations that do not commute are applied in the order of ranks. Neither buffer
 * may be touched, the datatype and the operation not be freed, until the reduction has ended; and not until
 * reduce_close if ranks may be held for failed that have not, which then still read and write there. */
int reduce_start(reduce_context* context, const void* send, void* receive, int count, MPI_Datatype type,
                 MPI_Op op, int root, const reduce_options* options, reduce_request** request);

/* Ends the reduction if it is over: then *flag is 1 and *request null. `outcome` may be null. */
int reduce_test(reduce_request** request, int* flag, reduce_outcome* outcome);
int reduce_wait(reduce_request** request, reduce_outcome* outcome);

/* Returns how many ranks this one knows to have failed, and writes up to `most` of them. */
int reduce_failed(const reduce_context* context, int* ranks, int most);

/* Collective over those that have not failed, after all reductions have ended. `failed` (may be null): how many have. */
int reduce_close(reduce_context** context, int* failed);

/* Writes for each rank when the latest piece of its input has come here, as MPI_Wtime told it; 0: none has. After the
 * latest time of all ranks' for one, its inputs stand at as many ranks as `copies` says. */
void reduce_last_pieces(const reduce_context* context, double* seconds);

/* For tests: from `seconds` on, a time of MPI_Wtime, this rank neither hears nor says anything, as if its node had
 * failed. What it waits for ends with REDUCE_EXCLUDED, and reduce_close returns when the others have closed. */
void reduce_fail_at(reduce_context* context, double seconds);

#ifdef __cplusplus
}
#endif

#endif
