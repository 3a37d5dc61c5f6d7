/* The planner from C, and emu_scatter_counts in a program without MPI and without libemu. */
#include <emu/scatter.h>
#include <stdio.h>
#include <string.h>

static int failures;
#define EXPECT(condition)                            \
  do {                                               \
    if (!(condition)) {                              \
      printf("line %d: %s\n", __LINE__, #condition); \
      ++failures;                                    \
    }                                                \
  } while (0)

static double squared(long long n, void* context) { return *(double*)context * (double)n * (double)n; }

static void plans(void) {
  const emu_scatter_processor processors[3] = {
      {{0, 1e-3, NULL, NULL, NULL}, {0, 1e-2, NULL, NULL, NULL}},
      {{0, 2e-3, NULL, NULL, NULL}, {0, 2e-2, NULL, NULL, NULL}},
      {{0, 0, NULL, NULL, NULL}, {0, 1e-2, NULL, NULL, NULL}},
  };
  long long counts[3];
  double finish[3], exact = 0, other = 0;
  char message[200] = "";
  const emu_scatter_method methods[] = {EMU_SCATTER_HEURISTIC, EMU_SCATTER_CLOSED, EMU_SCATTER_UNIFORM};
  EXPECT(emu_scatter_plan(1000, 3, processors, EMU_SCATTER_EXACT, counts, finish, &exact, message,
                          sizeof message) == 0);
  EXPECT(counts[0] + counts[1] + counts[2] == 1000 && counts[0] > counts[1]);
  EXPECT(finish[0] <= exact && finish[1] <= exact && finish[2] <= exact);
  for (int i = 0; i < 3; ++i) {
    EXPECT(emu_scatter_plan(1000, 3, processors, methods[i], counts, NULL, &other, NULL, 0) == 0);
    EXPECT(counts[0] + counts[1] + counts[2] == 1000 && other >= exact);
  }
  int order[3], root = -1;
  EXPECT(emu_scatter_by_bandwidth(1000, 3, processors, 0, order, message, sizeof message) == 0);
  EXPECT(order[0] == 2 && order[1] == 1 && order[2] == 0);
  /* Root 1 has free links. */
  emu_scatter_processor all[9];
  for (int r = 0; r < 3; ++r)
    for (int i = 0; i < 3; ++i) {
      all[3 * r + i] = processors[0];
      if (r == 1 || i == r) all[3 * r + i].send.seconds_per_item = 0;
    }
  EXPECT(emu_scatter_best_root(1000, 3, all, NULL, &root, &other, message, sizeof message) == 0);
  EXPECT(root == 1);
  const double move[3] = {0, 100, 100};
  EXPECT(emu_scatter_best_root(1000, 3, all, move, &root, &other, message, sizeof message) == 0);
  EXPECT(root == 0);
}

static void any_costs(void) {
  double factor = 1e-6;
  const double table[5] = {0, 1, 0.5, 3, 4}; /* decreases */
  emu_scatter_processor processors[2] = {{{0, 0, NULL, squared, &factor}, {0, 0, NULL, squared, &factor}},
                                         {{0, 0, table, NULL, NULL}, {0, 0, NULL, NULL, NULL}}};
  long long counts[2];
  double makespan = 0;
  char message[200] = "";
  EXPECT(emu_scatter_plan(4, 2, processors, EMU_SCATTER_EXACT, counts, NULL, &makespan, message,
                          sizeof message) == 0);
  EXPECT(counts[0] == 4 && counts[1] == 0);
  EXPECT(emu_scatter_plan(4, 2, processors, EMU_SCATTER_HEURISTIC, counts, NULL, &makespan, message,
                          sizeof message) == 1);
  EXPECT(strstr(message, "affine") != NULL);
}

/* Costs that never decrease. A planner evaluates some of them, or all. */
static int asked;
static double counted(long long n, void* context) {
  ++asked;
  return *(double*)context * (double)n;
}
static double dips(long long n, void* context) {
  (void)context;
  return n == 700001 ? 1.0 : (double)n;
}
static void never_decreasing(void) {
  double send = 1e-5, compute[3] = {9e-3, 4e-3, 6e-3};
  emu_scatter_processor functions[3], affine[3];
  long long counts[3], others[3];
  double makespan = 0, other = 0;
  char message[200] = "";
  memset(functions, 0, sizeof functions);
  memset(affine, 0, sizeof affine);
  for (int i = 0; i < 3; ++i) {
    functions[i].compute.function = counted;
    functions[i].compute.context = &compute[i];
    functions[i].send.seconds_per_item = affine[i].send.seconds_per_item = i < 2 ? send : 0;
    affine[i].compute.seconds_per_item = compute[i];
  }
  EXPECT(emu_scatter_plan(817101, 3, functions, EMU_SCATTER_NON_DECREASING, counts, NULL, &makespan, message,
                          sizeof message) == 0);
  EXPECT(asked < 50000);
  EXPECT(emu_scatter_plan(817101, 3, affine, EMU_SCATTER_EXACT, others, NULL, &other, message,
                          sizeof message) == 0);
  EXPECT(makespan == other && counts[0] + counts[1] + counts[2] == 817101);
  EXPECT(emu_scatter_check(817101, 3, functions, message, sizeof message) == 0);
  EXPECT(asked >= 3 * 817101);
  functions[1].compute.function = dips;
  EXPECT(emu_scatter_check(817101, 3, functions, message, sizeof message) == 1);
  EXPECT(strstr(message, "computing on processor 1: 700001 items cost less than 700000") != NULL);
  const double falling[4] = {0, 3e-3, 2e-3, 4e-3};
  functions[1].compute.function = NULL;
  functions[1].compute.table = falling;
  EXPECT(emu_scatter_plan(3, 3, functions, EMU_SCATTER_NON_DECREASING, counts, NULL, &makespan, message,
                          sizeof message) == 1);
  EXPECT(strstr(message, "computing on processor 1: 2 items cost less than 1") != NULL);
  EXPECT(emu_scatter_plan(3, 3, functions, EMU_SCATTER_EXACT, counts, NULL, &makespan, message,
                          sizeof message) == 0);
}

static void refused(long long items, int processors, double seconds, const char* text) {
  emu_scatter_processor processor = {{0, 0, NULL, NULL, NULL}, {0, 0, NULL, NULL, NULL}};
  char message[200] = "";
  long long counts[1];
  processor.compute.seconds_per_item = seconds;
  EXPECT(emu_scatter_plan(items, processors, &processor, EMU_SCATTER_EXACT, counts, NULL, NULL, message,
                          sizeof message) == 1);
  EXPECT(strstr(message, text) != NULL);
  EXPECT(emu_scatter_plan(items, processors, &processor, EMU_SCATTER_EXACT, counts, NULL, NULL, message, 3) ==
         1);
  EXPECT(strlen(message) == 2);
}

int main(void) {
  int counts[3], displacements[3], order[3];
  EXPECT(emu_scatter_counts(8, 4, 1.0, 0, 3, NULL, counts, displacements) == 0);
  EXPECT(counts[0] == 3 && counts[1] == 3 && counts[2] == 2 && displacements[1] == 3 &&
         displacements[2] == 6);
  emu_scatter_order(4, 1, 3, order);
  EXPECT(order[0] == 0 && order[1] == 2 && order[2] == 1);
  plans();
  any_costs();
  never_decreasing();
  refused(-1, 1, 1, "invalid number of items: -1 (expected 0 to ");
  refused(5, 0, 1, "at least 1 processor");
  refused(5, 1, -1, "computing on processor 0: invalid seconds_per_item: -1 (expected 0 to 3600)");
  refused(5, 1, 1e6, "invalid seconds_per_item: 1e+06 (expected 0 to 3600)");
  refused(1000000000000LL, 1, 3600, "take longer than");
  return failures != 0;
}
