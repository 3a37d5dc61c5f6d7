/* Recorder of the messages of MPICH's collectives. It is linked statically, and wraps the functions that the
 * collectives use for their messages. Writes one file per rank, a line per call:
 *
 *   operation root amount op in_place | R1 S2:100 W ...
 *
 * (R: receive posted from, S: send started to, with bytes, "sync" before it if synchronous, W: waits for all.)
 * Messages of a rank to itself are left out. See ./record. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "cases.h"

static int rank, size, on, pending;
static FILE* file;
static void *input, *output;
static MPI_Op user, ordered;
static MPI_Datatype spread; /* 8 bytes, 24 apart */

static void sent(int peer, MPI_Aint count, MPI_Datatype type, const char* how) {
  int bytes;
  PMPI_Type_size(type, &bytes);
  if (!on || peer == rank) return;
  fprintf(file, " %sS%d:%ld", how, peer, (long)count * bytes);
  pending = 1;
}

static void received(int peer) {
  if (!on || peer == rank) return;
  fprintf(file, " R%d", peer);
  pending = 1;
}

static void waited(void) {
  if (on && pending) fprintf(file, " W");
  pending = 0;
}

/* The library's internal functions, with the arguments that matter here. */
typedef void* P;
typedef MPI_Aint A;
typedef MPI_Datatype T;
#define WRAP(name, parameters, arguments, note) \
  int __real_MPIC_##name parameters;            \
  int __wrap_MPIC_##name parameters {           \
    note;                                       \
    return __real_MPIC_##name arguments;        \
  }
WRAP(Send, (const P b, A n, T t, int d, int g, P c, P e), (b, n, t, d, g, c, e), sent(d, n, t, ""); waited())
WRAP(Ssend, (const P b, A n, T t, int d, int g, P c, P e), (b, n, t, d, g, c, e), sent(d, n, t, "sync ");
     waited())
WRAP(Isend, (const P b, A n, T t, int d, int g, P c, P r, P e), (b, n, t, d, g, c, r, e), sent(d, n, t, ""))
WRAP(Issend, (const P b, A n, T t, int d, int g, P c, P r, P e), (b, n, t, d, g, c, r, e),
     sent(d, n, t, "sync "))
WRAP(Recv, (P b, A n, T t, int s, int g, P c, P v, P e), (b, n, t, s, g, c, v, e), received(s); waited())
WRAP(Irecv, (P b, A n, T t, int s, int g, P c, P r), (b, n, t, s, g, c, r), received(s))
WRAP(Sendrecv, (const P b, A n, T t, int d, int g, P b2, A n2, T t2, int s, int g2, P c, P v, P e),
     (b, n, t, d, g, b2, n2, t2, s, g2, c, v, e), received(s);
     sent(d, n, t, ""); waited())
WRAP(Sendrecv_replace, (P b, A n, T t, int d, int g, int s, int g2, P c, P v, P e),
     (b, n, t, d, g, s, g2, c, v, e), received(s);
     sent(d, n, t, ""); waited())
WRAP(Waitall, (int n, P r, P v, P e), (n, r, v, e), waited())
WRAP(Wait, (P r, P e), (r, e), waited())

static void nothing(void* a, void* b, int* n, MPI_Datatype* t) { (void)a, (void)b, (void)n, (void)t; }

static void call_reduction(const struct mpich_case* c) {
  const MPI_Op op = !strcmp(c->op, "sum") ? MPI_SUM : !strcmp(c->op, "user") ? user : ordered;
  const MPI_Comm w = MPI_COMM_WORLD;
  void* in = c->in_place ? MPI_IN_PLACE : input;
  int counts[256];
  for (int i = 0; i < size; ++i) counts[i] = (int)(mpich_part(c->amount, i, size) / 8);
  if (!strcmp(c->operation, "reduce")) {
    MPI_Reduce(rank == c->root ? in : input, output, (int)c->amount, MPI_DOUBLE, op, c->root, w);
  }
  if (!strcmp(c->operation, "allreduce")) MPI_Allreduce(in, output, (int)c->amount, MPI_DOUBLE, op, w);
  if (!strcmp(c->operation, "scan")) MPI_Scan(in, output, (int)c->amount, MPI_DOUBLE, op, w);
  if (!strcmp(c->operation, "exscan")) MPI_Exscan(in, output, (int)c->amount, MPI_DOUBLE, op, w);
  if (!strcmp(c->operation, "reduce_scatter")) MPI_Reduce_scatter(in, output, counts, MPI_DOUBLE, op, w);
  if (!strcmp(c->operation, "reduce_scatter_block")) {
    MPI_Reduce_scatter_block(in, output, (int)c->amount, MPI_DOUBLE, op, w);
  }
}

static void call_regular(const struct mpich_case* c) {
  const MPI_Comm w = MPI_COMM_WORLD;
  const MPI_Datatype b = MPI_BYTE;
  const int n = (int)c->amount;
  void* in = c->in_place ? MPI_IN_PLACE : input;
  const int placed = c->in_place && rank == c->root;
  if (!strcmp(c->operation, "barrier")) MPI_Barrier(w);
  if (!strcmp(c->operation, "bcast")) MPI_Bcast(input, n, b, c->root, w);
  if (!strcmp(c->operation, "gather")) MPI_Gather(placed ? in : input, n, b, output, n, b, c->root, w);
  if (!strcmp(c->operation, "scatter")) MPI_Scatter(input, n, b, placed ? in : output, n, b, c->root, w);
  if (!strcmp(c->operation, "allgather")) MPI_Allgather(in, n, b, output, n, b, w);
  if (!strcmp(c->operation, "alltoall")) MPI_Alltoall(in, n, b, output, n, b, w);
}

static void call_irregular(const struct mpich_case* c) {
  const MPI_Comm w = MPI_COMM_WORLD;
  const int all = !strcmp(c->operation, "alltoallv"), typed = !strcmp(c->operation, "allgatherv_typed");
  const MPI_Datatype type = typed ? spread : MPI_BYTE;
  const int unit = typed ? 8 : 1;
  void* in = c->in_place ? MPI_IN_PLACE : input;
  const int placed = c->in_place && rank == c->root;
  int n1[256], at1[256], n2[256], at2[256], end1 = 0, end2 = 0;
  for (int i = 0; i < size; ++i) {
    n1[i] = (int)(all ? mpich_pair(c->amount, rank, i) : mpich_part(c->amount, i, size)) / unit;
    n2[i] = (int)mpich_pair(c->amount, i, rank);
    at1[i] = end1, at2[i] = end2;
    end1 += n1[i], end2 += n2[i];
  }
  if (all) MPI_Alltoallv(in, n1, at1, type, output, n2, at2, type, w);
  if (typed || !strcmp(c->operation, "allgatherv"))
    MPI_Allgatherv(in, n1[rank], type, output, n1, at1, type, w);
  if (!strcmp(c->operation, "gatherv")) {
    MPI_Gatherv(placed ? in : input, n1[rank], type, output, n1, at1, type, c->root, w);
  }
  if (!strcmp(c->operation, "scatterv")) {
    MPI_Scatterv(input, n1, at1, type, placed ? in : output, n1[rank], type, c->root, w);
  }
}

static void call(const struct mpich_case* c, void* state) {
  (void)state;
  fprintf(file, "%s %d %ld %s %d |", c->operation, c->root, c->amount, c->op, c->in_place);
  on = 1;
  call_reduction(c);
  call_regular(c);
  call_irregular(c);
  on = 0;
  fprintf(file, "\n");
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Op_create(nothing, 1, &user);
  MPI_Op_create(nothing, 0, &ordered);
  MPI_Type_create_resized(MPI_DOUBLE, 0, 24, &spread);
  MPI_Type_commit(&spread);
  input = calloc(1, 64 << 20);
  output = calloc(1, 64 << 20);
  char name[4096];
  snprintf(name, sizeof name, "%s/%d.%d", argv[1], size, rank);
  file = fopen(name, "w");
  if (!file || !input || !output) MPI_Abort(MPI_COMM_WORLD, 1);
  mpich_each(size, call, NULL);
  fclose(file);
  MPI_Finalize();
  return 0;
}
