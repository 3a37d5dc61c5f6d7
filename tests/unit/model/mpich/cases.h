/* The collective calls whose messages are compared with MPICH's: shared by the recorder (trace.c) and the
 * test. C and C++. */
#pragma once

#include <string.h>

struct mpich_case {
  const char* operation; /* the MPI function; "..._typed" counts elements of 8 bytes, else bytes */
  int root;
  long amount; /* elements of 8 bytes (reductions) or bytes per rank; for irregular operations a pattern below
                */
  const char* op; /* "sum": MPI_SUM; "user": made by MPI_Op_create, commutative; "ordered": not */
  int in_place;
};

typedef void mpich_visit(const struct mpich_case* c, void* state);

/* Bytes of rank i's part in the irregular operations. */
static inline long mpich_part(long pattern, int i, int size) {
  switch (pattern) {
    case 0:
      return 8 * ((i * 7 + 3) % 5);
    case 1:
      return i == 0 ? 100000 : 0;
    case 2:
      return 8L * (1 + i % 3) * 4000;
    case 3:
      return i % 2 ? 0 : 200000 + 8 * i;
    case 4:
      return 8 * (i + 1);
    case 5:
      return 64;
    case 6:
      return 8L * (10000 + i);
    case 8:
      return 81920 / size / 8 * 8;
    case 9:
      return 524288 / size / 8 * 8;
    case 10:
      return i == size - 1 ? 600000 : 8 * (i % 2);
    default:
      return 0;
  }
}

/* Bytes from one rank to another in alltoallv. */
static inline long mpich_pair(long pattern, int from, int to) {
  switch (pattern) {
    case 0:
      return 8 * ((from * 3 + to * 5) % 4);
    case 1:
      return 8 * (1 + from + to);
    case 2:
      return from == 0 ? 4096 : 0;
    case 3:
      return 8 * ((from + to) % 3) * 1000;
    case 4:
      return 8 * (from + to + 1);
    default:
      return 0;
  }
}

static inline void mpich_list(const char* operation, int root, const long* amounts, int count, const char* op,
                              int places, mpich_visit* visit, void* state) {
  for (int i = 0; i < count; ++i) {
    for (int in_place = 0; in_place < places; ++in_place) {
      const struct mpich_case c = {operation, root, amounts[i], op, in_place};
      visit(&c, state);
    }
  }
}

#define MPICH_LIST(operation, root, op, places, ...)                                                  \
  do {                                                                                                \
    const long amounts[] = {__VA_ARGS__};                                                             \
    mpich_list(operation, root, amounts, sizeof amounts / sizeof *amounts, op, places, visit, state); \
  } while (0)

static inline void mpich_rooted(int root, mpich_visit* visit, void* state) {
  MPICH_LIST("bcast", root, "sum", 1, 0, 1, 7, 16, 100, 12287, 12288, 12289, 20001, 524287, 524288, 524289,
             600001);
  MPICH_LIST("reduce", root, "sum", 2, 0, 1, 256, 257, 300, 1000);
  MPICH_LIST("reduce", root, "user", 2, 0, 1, 256, 257, 300, 1000);
  MPICH_LIST("reduce", root, "ordered", 2, 0, 1, 256, 257, 300, 1000);
  MPICH_LIST("gather", root, "sum", 2, 0, 1, 1023, 1024, 3000);
  MPICH_LIST("scatter", root, "sum", 2, 0, 1, 1023, 1024, 3000);
  MPICH_LIST("gatherv", root, "sum", 2, 0, 1, 3, 4, 5, 7);
  MPICH_LIST("scatterv", root, "sum", 2, 0, 1, 3, 4, 5, 7);
}

static inline void mpich_unrooted(const char* op, mpich_visit* visit, void* state) {
  const int ordered = strcmp(op, "ordered") == 0;
  MPICH_LIST("allreduce", 0, op, 2, 0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 65, 100, 1000, 40000);
  MPICH_LIST("reduce_scatter_block", 0, op, 2, 0, 1, 5, 4095, 4096);
  if (!ordered) MPICH_LIST("reduce_scatter_block", 0, op, 2, 8192, 8193, 30000);
  if (strcmp(op, "user") == 0) return;
  MPICH_LIST("scan", 0, op, 2, 0, 1, 100);
  MPICH_LIST("exscan", 0, op, 2, 0, 1, 100);
  /* In place MPICH 4.0.2 stops with an assertion (overlapping memory) on patterns with unequal long parts. */
  MPICH_LIST("reduce_scatter", 0, op, 2, 0, 4, 5, 7, 8, 9);
  MPICH_LIST("reduce_scatter", 0, op, 1, 1, 2, 3, 6, 10);
}

/* All cases for a group of this size, each operation's always in the same order. */
static inline void mpich_each(int size, mpich_visit* visit, void* state) {
  const int roots[] = {0, 1, 2, 3, 5, 7, 12, 16, 32};
  MPICH_LIST("barrier", 0, "sum", 1, 0);
  for (int i = 0; i < 9; ++i) {
    if (roots[i] < size) mpich_rooted(roots[i], visit, state);
  }
  mpich_unrooted("sum", visit, state);
  mpich_unrooted("user", visit, state);
  mpich_unrooted("ordered", visit, state);
  MPICH_LIST("allgather", 0, "sum", 2, 0, 1, 100, 1279, 1280, 1281, 4999, 5041, 8191, 8192, 8193, 10239,
             10240, 10241, 27306, 27307, 32767, 32768, 40960, 65536, 70000);
  MPICH_LIST("allgatherv", 0, "sum", 2, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
  MPICH_LIST("allgatherv_typed", 0, "sum", 2, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
  MPICH_LIST("alltoall", 0, "sum", 2, 0, 1, 255, 256, 257, 32767, 32768, 32769);
  MPICH_LIST("alltoallv", 0, "sum", 1, 0, 1, 2);
  MPICH_LIST("alltoallv", 0, "sum", 2, 3, 4, 7);
}
