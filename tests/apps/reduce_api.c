/* The C interface of apps/reduce: several reductions at once, to several roots, of strided elements, in place, with an
 * operation that does not commute; in segments; wrong arguments. Prints errors, and "the end". */
#include <reduce.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ELEMENTS = 1000, PRIME = 1009 };

static int rank, ranks;

static void check(const char* what, int right) {
  if (!right) printf("rank %d: %s: wrong\n", rank, what);
}

/* Composes two maps x -> a x + b, given as pairs (a, b). */
static void then(const int* left, int* right) {
  right[1] = (right[0] * left[1] + right[1]) % PRIME;
  right[0] = left[0] * right[0] % PRIME;
}

/* An element is a pair and a gap. */
static void affine(void* in, void* inout, int* count, MPI_Datatype* type) {
  MPI_Aint lower, extent;
  MPI_Type_get_extent(*type, &lower, &extent);
  for (int i = 0; i < *count; ++i) then((int*)((char*)in + i * extent), (int*)((char*)inout + i * extent));
}

static void fill(int* pairs, int of) {
  for (int i = 0; i < ELEMENTS; ++i) {
    pairs[3 * i] = 2 + of + i % 7;
    pairs[3 * i + 1] = 1 + 3 * of + i % 5;
    pairs[3 * i + 2] = -7;
  }
}

static int is_affine(const int* got) {
  int(*input)[3 * ELEMENTS] = malloc(sizeof(int[3 * ELEMENTS]) * (size_t)ranks);
  for (int of = 0; of < ranks; ++of) fill(input[of], of);
  int right = 1;
  for (int i = 0; i < ELEMENTS; ++i) {
    for (int of = 1; of < ranks; ++of) then(&input[of - 1][3 * i], &input[of][3 * i]);
    right &= got[3 * i] == input[ranks - 1][3 * i] && got[3 * i + 1] == input[ranks - 1][3 * i + 1];
    right &= got[3 * i + 2] == -7; /* the hole is not touched */
  }
  free(input);
  return right;
}

static void at_once(reduce_context* context) {
  static int sent[3 * ELEMENTS], got[3 * ELEMENTS], place[3 * ELEMENTS];
  static double numbers[ELEMENTS], sums[ELEMENTS];
  MPI_Datatype pair, spaced;
  MPI_Op op;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_create_resized(pair, 0, 3 * sizeof(int), &spaced);
  MPI_Type_commit(&spaced);
  MPI_Op_create(affine, 0, &op);
  fill(sent, rank);
  fill(place, rank);
  for (int i = 0; i < ELEMENTS; ++i) numbers[i] = rank + 0.5 * i;
  for (int i = 0; i < 3 * ELEMENTS; ++i) got[i] = -7;

  reduce_options options;
  reduce_default_options(&options);
  options.segments = 3;
  options.heir = 0;
  const int last = ranks - 1;
  reduce_request* requests[4];
  check("start", reduce_start(context, sent, rank == 0 ? got : NULL, ELEMENTS, spaced, op, 0, NULL,
                              &requests[0]) == REDUCE_OK);
  check("start", reduce_start(context, rank == last ? MPI_IN_PLACE : place, rank == last ? place : NULL,
                              ELEMENTS, spaced, op, last, &options, &requests[1]) == REDUCE_OK);
  check("start", reduce_start(context, numbers, sums, ELEMENTS, MPI_DOUBLE, MPI_SUM, last, NULL,
                              &requests[2]) == REDUCE_OK);
  check("start", reduce_start(context, NULL, NULL, 0, MPI_INT, MPI_SUM, 0, NULL, &requests[3]) == REDUCE_OK);

  /* In another order than that of their starts, and by polling. */
  reduce_outcome outcome;
  check("wait",
        reduce_wait(&requests[2], &outcome) == REDUCE_OK && outcome.root == last && outcome.lost_count == 0);
  int over = 0;
  while (!over) check("test", reduce_test(&requests[1], &over, &outcome) == REDUCE_OK);
  check("request", requests[1] == NULL && outcome.root == last);
  check("wait", reduce_wait(&requests[0], &outcome) == REDUCE_OK && outcome.root == 0);
  check("wait", reduce_wait(&requests[3], NULL) == REDUCE_OK);
  if (rank == 0) check("order of ranks, strided", is_affine(got));
  if (rank == last) {
    check("in place, in segments", is_affine(place));
    for (int i = 0; i < ELEMENTS; ++i) check("sum", sums[i] == ranks * (ranks - 1) / 2.0 + 0.5 * i * ranks);
  }
  MPI_Op_free(&op);
  MPI_Type_free(&spaced);
  MPI_Type_free(&pair);
}

static void refused(const char* part, int code) {
  check(part, code == REDUCE_INVALID && strstr(reduce_message(), part) != NULL);
}

static void wrong(reduce_context* context) {
  int one = 1;
  reduce_settings settings;
  reduce_options options;
  reduce_context* none;
  reduce_request* request;
  reduce_default_settings(&settings);
  settings.limit = settings.heartbeat;
  refused("limit: expected a longer time", reduce_open(MPI_COMM_WORLD, &settings, &none));
  reduce_default_settings(&settings);
  settings.dealer = ranks;
  refused("dealer: expected -1 or a rank from 0 to", reduce_open(MPI_COMM_WORLD, &settings, &none));
  reduce_default_settings(&settings);
  settings.risky_count = 1;
  settings.risky = &ranks;
  refused("risky: expected ranks from 0 to", reduce_open(MPI_COMM_WORLD, &settings, &none));
  reduce_default_options(&options);
  options.heir = -2;
  refused("count: expected 0 or more",
          reduce_start(context, &one, &one, -1, MPI_INT, MPI_SUM, 0, NULL, &request));
  refused("root: expected a rank",
          reduce_start(context, &one, &one, 1, MPI_INT, MPI_SUM, ranks, NULL, &request));
  refused("heir: expected -1 or a rank",
          reduce_start(context, &one, &one, 1, MPI_INT, MPI_SUM, 0, &options, &request));
  if (rank == 0)
    refused("a buffer at the root",
            reduce_start(context, &one, NULL, 1, MPI_INT, MPI_SUM, 0, NULL, &request));
  MPI_Datatype duplicate;
  MPI_Type_dup(MPI_INT, &duplicate);
  refused("op: expected one that is defined for the datatype",
          reduce_start(context, &one, &one, 1, duplicate, MPI_SUM, 0, NULL, &request));
  refused("op: expected one that is defined for the datatype",
          reduce_start(context, &one, &one, 1, MPI_FLOAT, MPI_BAND, 0, NULL, &request));
  MPI_Type_free(&duplicate);
  if (rank != 0)
    refused("at the root only",
            reduce_start(context, MPI_IN_PLACE, &one, 1, MPI_INT, MPI_SUM, 0, NULL, &request));
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  reduce_context* context;
  check("open", reduce_open(MPI_COMM_WORLD, NULL, &context) == REDUCE_OK);
  wrong(context);
  for (int times = 0; times < 20; ++times) at_once(context);
  reduce_request* request;
  int one = 1, sum = 0, failed = -1;
  reduce_start(context, &one, &sum, 1, MPI_INT, MPI_SUM, 0, NULL, &request);
  refused("1 reductions have not ended", reduce_close(&context, NULL));
  check("wait", reduce_wait(&request, NULL) == REDUCE_OK && (rank != 0 || sum == ranks));
  check("close", reduce_close(&context, &failed) == REDUCE_OK && failed == 0 && context == NULL);
  if (rank == 0) printf("the end\n");
  MPI_Finalize();
  return 0;
}
