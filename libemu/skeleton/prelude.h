// What stands in every skeleton program in front of the program's own steps.
#pragma once

namespace emu::skeleton {

inline constexpr const char* prelude = R"code(
static int rank;
static MPI_Comm comm[communicators];
static MPI_Request request[slots];
static char *out, *in; /* room for what is sent, and for what comes: one block of `largest` for each slot, and one more */

/* What libemu offers, where it is there: the program says what its work costs. */
void emu_declare_compute(double seconds) __attribute__((weak));
int emu_is_active(void) __attribute__((weak));
long long emu_read_picoseconds(void) __attribute__((weak));

/* Under libemu to read MPI's clock costs something. */
static double now(void) {
  if (emu_is_active && emu_is_active() && emu_read_picoseconds) return 1e-12 * (double)emu_read_picoseconds();
  return MPI_Wtime();
}

static double emu_work(long units) {
  volatile double seed = 1.0;
  double x = seed;
  for (long i = 0; i < units; ++i) x = x * 0.999999 + 1e-6;
  seed = x;
  return seed;
}

/* Work that takes `seconds` where the program was recorded; on a faster machine it takes less. */
static void compute(double seconds) {
  if (emu_is_active && emu_is_active()) {
    emu_declare_compute(seconds);
    return;
  }
  emu_work((long)(seconds * work_per_second));
}

/* Accounts. What runs in place of more than itself counts as often; `weight` is how often that is now. */
static double weight = 1, since, predicted, scaled, whole, variance;

static void account(void) {
  double at = now(), taken = at - since;
  since = at;
  predicted += weight * taken;
  *(weight > 1 ? &scaled : &whole) += taken;
}

static void stands_for(double factor) {
  account();
  weight *= factor;
}

/* How much the times of a loop's iterations differ says how far off their sum can be. */
struct samples {
  double last, sum, squares;
  long count;
};

static void sample(struct samples *s, int first) {
  double at = now(), taken = at - s->last;
  s->last = at;
  if (first) return;
  s->sum += taken;
  s->squares += taken * taken;
  ++s->count;
}

static void end_of_samples(struct samples *s) {
  if (s->count > 1) {
    double mean = s->sum / (double)s->count, spread = s->squares / (double)s->count - mean * mean;
    if (spread > 0) variance += weight * weight * spread * (double)s->count;
  }
  s->sum = s->squares = 0;
  s->count = 0;
}

/* How often a loop runs this time, which runs `mean` times in the mean. */
static long times(double mean, double *left) {
  long n;
  *left += mean;
  n = (long)(*left + 0.5);
  *left -= (double)n;
  return n;
}

static int peer_or_none(int there, int peer) { return there ? peer : MPI_PROC_NULL; }

/* Waits for the requests of some slots. */
static void wait_for(int count, const int *which) {
  MPI_Request these[slots];
  int i, n = 0;
  for (i = 0; i < count; ++i)
    if (which[i] >= 0) these[n++] = request[which[i]];
  MPI_Waitall(n, these, MPI_STATUSES_IGNORE);
  for (i = 0; i < count; ++i)
    if (which[i] >= 0) request[which[i]] = MPI_REQUEST_NULL;
}

/* Places one behind the other. */
static int *behind(int n, const int *counts) {
  static int places[2][ranks];
  static int which;
  int i, sum = 0;
  which = !which;
  for (i = 0; i < n; ++i) {
    places[which][i] = sum;
    sum += counts[i];
  }
  return places[which];
}

static int size_of(MPI_Comm of) {
  int size;
  MPI_Comm_size(of, &size);
  return size;
}

static int rank_in(MPI_Comm of) {
  int mine;
  MPI_Comm_rank(of, &mine);
  return mine;
}

static void start(int *argc, char ***argv) {
  int i, size;
  MPI_Init(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != ranks) {
    if (rank == 0) fprintf(stderr, "skeleton: it is one of %d ranks, and does not run on %d\n", ranks, size);
    MPI_Finalize();
    exit(2);
  }
  comm[0] = MPI_COMM_WORLD;
  comm[1] = MPI_COMM_SELF;
  for (i = 2; i < communicators; ++i) comm[i] = MPI_COMM_NULL;
  for (i = 0; i < slots; ++i) request[i] = MPI_REQUEST_NULL;
  out = calloc(1, room_out);
  in = calloc(1, room_in);
  if (!out || !in) {
    fprintf(stderr, "skeleton: there is no memory for its messages\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  since = now();
}

static void finish(void) {
  static double all[ranks][4];
  double mine[4], half, least, soonest, latest;
  int i, last = 0;
  account();
  mine[0] = predicted;
  mine[1] = scaled;
  mine[2] = whole;
  mine[3] = variance;
  MPI_Gather(mine, 4, MPI_DOUBLE, all, 4, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  for (i = 1; i < ranks; ++i)
    if (all[i][0] > all[last][0]) last = i;
  /* The ranks' accounts should differ by no more than the ranks' ends do. By what they do, nobody knows who is right. */
  least = all[last][0];
  soonest = latest = all[last][1] + all[last][2];
  for (i = 0; i < ranks; ++i) {
    double ran = all[i][1] + all[i][2];
    if (all[i][1] == 0) continue; /* it has scaled nothing itself */
    if (all[i][0] < least) least = all[i][0];
    if (ran < soonest) soonest = ran;
    if (ran > latest) latest = ran;
  }
  half = 1.96 * sqrt(all[last][3]);
  if (all[last][0] - least > latest - soonest) half += all[last][0] - least - (latest - soonest);
  if (rank == 0)
    printf("skeleton: predicted %.12g s = %.9g x %.12g s + %.12g s, +- %.6g s\n", all[last][0],
           all[last][1] > 0 ? (all[last][0] - all[last][2]) / all[last][1] : 1, all[last][1], all[last][2], half);
  free(out);
  free(in);
  MPI_Finalize();
}
)code";

// Behind it where there is a master with slaves.
inline constexpr const char* farm_prelude = R"code(
/* A master deals tasks to whoever returns a result. The tag of a task says which it is; 0: there is none. */
static void farm(MPI_Comm of, int master, int result_tag, int task_bytes, int result_bytes, double master_work,
                 const double *work, long works, long first, long rest, long last, double factor) {
  long tasks = first + rest + last, dealt = 0, done;
  int to, size = size_of(of);
  struct samples of_results = {0, 0, 0, 0};
  MPI_Status status;
  if (rank_in(of) != master) {
    for (;;) {
      MPI_Recv(in, largest, MPI_BYTE, master, MPI_ANY_TAG, of, &status);
      if (status.MPI_TAG == 0) return;
      compute(work[(long)((double)(status.MPI_TAG - 1) * (double)works / (double)tasks)]);
      MPI_Send(out, result_bytes, MPI_BYTE, master, result_tag, of);
    }
  }
  for (to = 0; to < size; ++to) {
    if (to == master) continue;
    MPI_Send(out, task_bytes, MPI_BYTE, to, dealt < tasks ? (int)(dealt + 1) : 0, of);
    ++dealt;
  }
  for (done = 0; done < tasks; ++done) {
    if (rest > 0 && done == first) stands_for(factor);
    if (rest > 0 && done == first + rest) {
      end_of_samples(&of_results);
      stands_for(1 / factor);
    }
    MPI_Recv(in, largest, MPI_BYTE, MPI_ANY_SOURCE, result_tag, of, &status);
    compute(master_work);
    MPI_Send(out, task_bytes, MPI_BYTE, status.MPI_SOURCE, dealt < tasks ? (int)(dealt + 1) : 0, of);
    ++dealt;
    sample(&of_results, done < first);
  }
}
)code";

}  // namespace emu::skeleton
