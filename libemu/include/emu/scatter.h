/* Balanced scatter: numbers of items for the processors with which the work ends as early as possible.
 *
 * A root deals independent, equal items to the ranks of MPI_COMM_WORLD, itself included, with MPI_Scatterv. Equal parts
 * waste a machine of unequal processors and links. S. Genaud, A. Giersch, F. Vivien, "Load-Balancing Scatter Operations
 * for Grid Computing", IPDPS 2003, define parts that do not. */
#ifndef EMU_SCATTER_H
#define EMU_SCATTER_H

#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#define EMU_SCATTER_EXPORT __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

/* --- For programs: counts for MPI_Scatterv on the machine on which they run.
 *
 * Only an emulated program knows its machine: the target. Otherwise, and if the target says
 * [collectives] scatter = "uniform", parts are equal: if necessary, the first ones have one item more than the others.
 * Weak symbols, as in emu/emu.h: the same program links and runs without libemu. */

/* Functions in libemu; programs call the functions below instead. */
int emu_balanced_counts(long long items, long long item_bytes, double item_seconds, int root, int ranks,
                        const int* order, int* counts, int* displacements) __attribute__((weak));
void emu_bandwidth_order(long long item_bytes, int root, int ranks, int* order) __attribute__((weak));

/* Ends the program because of an argument below `least` or above `most` (negative: no upper limit). */
static inline void emu_scatter_refuse(const char* argument, double value, int least, int most) {
  fprintf(stderr, "emu_scatter_counts: invalid %s: %.15g (expected %d ", argument, value, least);
  if (most < 0)
    fprintf(stderr, "or more)\n");
  else
    fprintf(stderr, "to %d)\n", most);
  _Exit(2);
}

/* `root` deals `items` of `item_bytes` bytes, each of which costs `item_seconds` on the reference CPU (speed 1), in
 * the order of the ranks 0 ... ranks - 1. Writes the counts and displacements of all ranks, in items: the arguments
 * of MPI_Scatterv, with a datatype of one item. If `order` is not null, it lists all ranks: the root sends in that
 * order, and counts[i] and displacements[i] belong to rank order[i]. They are for MPI_Scatterv in a communicator
 * whose rank i is rank order[i] (MPI_Comm_split with the position in the list as key). The root computes when it
 * has sent everything, whatever its position.
 *
 * All ranks get equal results; the call takes no virtual time. Returns 1 if the parts are balanced, 0 if they are
 * equal. An invalid argument (negative; no such rank; more items than an int holds; emulated, `ranks` other than
 * the size of MPI_COMM_WORLD) stops the job with an error. */
static inline int emu_scatter_counts(long long items, long long item_bytes, double item_seconds, int root,
                                     int ranks, const int* order, int* counts, int* displacements) {
  long long begin = 0;
  int i;
  if (emu_balanced_counts &&
      emu_balanced_counts(items, item_bytes, item_seconds, root, ranks, order, counts, displacements))
    return 1;
  if (items < 0 || items > INT_MAX) emu_scatter_refuse("number of items", (double)items, 0, INT_MAX);
  if (item_bytes < 0) emu_scatter_refuse("number of bytes of an item", (double)item_bytes, 0, -1);
  if (!(item_seconds >= 0)) emu_scatter_refuse("cost of an item", item_seconds, 0, -1);
  if (ranks < 1) emu_scatter_refuse("number of ranks", ranks, 1, -1);
  if (root < 0 || root >= ranks) emu_scatter_refuse("root", root, 0, ranks - 1);
  for (i = 0; i < ranks; ++i) {
    counts[i] = (int)(items / ranks + (i < items % ranks));
    displacements[i] = (int)begin;
    begin += counts[i];
  }
  return 0;
}

/* The ranks by descending bandwidth from the root, the root last: the best order for a balanced scatter. If not
 * emulated: in ascending order, the root last. */
static inline void emu_scatter_order(long long item_bytes, int root, int ranks, int* order) {
  int i, place = 0;
  for (i = 0; i < ranks; ++i)
    if (i != root) order[place++] = i;
  order[place] = root;
  if (emu_bandwidth_order) emu_bandwidth_order(item_bytes, root, ranks, order);
}

/* --- The planner, for any machine with known costs. A separate library without MPI or libemu:
 * link with -lemu-scatter (pkg-config emu-scatter). */

/* The cost of n items in seconds: the function or the table, if given; otherwise fixed_seconds +
 * n * seconds_per_item for n > 0, and 0 for n = 0. Costs are kept in whole picoseconds, and must not be negative. */
typedef struct {
  double fixed_seconds, seconds_per_item;
  const double* table; /* of 0, 1, ..., items: items + 1 values */
  double (*function)(long long n, void* context);
  void* context;
} emu_scatter_cost;

typedef struct {
  emu_scatter_cost send;    /* time for which its items occupy the root; 0 for the root itself */
  emu_scatter_cost compute; /* time from then on until its items are processed */
} emu_scatter_processor;

typedef enum {
  EMU_SCATTER_EXACT,     /* the least makespan; any costs. Looks at all values of functions and tables */
  EMU_SCATTER_HEURISTIC, /* affine costs: a linear program, rounded */
  EMU_SCATTER_CLOSED,    /* linear costs: the closed form, rounded */
  EMU_SCATTER_UNIFORM,   /* equal parts */
  /* The least makespan for costs that never decrease with the number of items. Evaluates some thousands of values of
     * a function or a table (all, if they are 4096 or fewer), so it is fast: 817,101 items for 16 processors take some
     * milliseconds. An evaluated value that is less than one for fewer items is an error. Other values are not
     * checked; if one of them decreases, there may be a better result: emu_scatter_check evaluates all
     * values. */
  EMU_SCATTER_NON_DECREASING
} emu_scatter_method;

/* Writes the number of items of each processor, in the order in which the root sends; the root is the last.
 * `finish_seconds` and `makespan_seconds` may be null. Returns 0 on success; otherwise 1, with an error message in
 * `message`, cut to `message_size` bytes with the terminating null. */
EMU_SCATTER_EXPORT int emu_scatter_plan(long long items, int processors,
                                        const emu_scatter_processor* processor, emu_scatter_method method,
                                        long long* counts, double* finish_seconds, double* makespan_seconds,
                                        char* message, size_t message_size);

/* Returns 0 if no cost is negative or decreases from one number of items to the next; otherwise 1 and `message`, as
 * above. Evaluates all values of functions and tables. */
EMU_SCATTER_EXPORT int emu_scatter_check(long long items, int processors,
                                         const emu_scatter_processor* processor, char* message,
                                         size_t message_size);

/* The order of descending bandwidth, the root last: order[i] is the i-th processor to which the root sends. */
EMU_SCATTER_EXPORT int emu_scatter_by_bandwidth(long long items, int processors,
                                                const emu_scatter_processor* processor, int root, int* order,
                                                char* message, size_t message_size);

/* The root with the earliest end. processor[r * processors + i] is processor i with root r, and
 * move_seconds[r] (null: 0) is the time to move the items to r before the scatter. Each root deals in the order of
 * descending bandwidth. */
EMU_SCATTER_EXPORT int emu_scatter_best_root(long long items, int processors,
                                             const emu_scatter_processor* processor,
                                             const double* move_seconds, int* root, double* makespan_seconds,
                                             char* message, size_t message_size);

#ifdef __cplusplus
}
#endif

#endif
