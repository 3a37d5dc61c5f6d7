// First part of every skeleton program, before the program's own steps.
#pragma once

namespace emu::skeleton {

inline constexpr const char* prelude = R"code(
static int rank;
static MPI_Comm comm[communicators];
static MPI_Request request[slots];
static char *out, *in; /* buffers for sending and receiving: one block of `largest` for each slot, and one more */

/* Functions of libemu, if it is present: the program declares the cost of its work. */
void emu_declare_compute(double seconds) __attribute__((weak));
int emu_is_active(void) __attribute__((weak));
long long emu_read_picoseconds(void) __attribute__((weak));

/* Under libemu, a read of MPI's clock has a cost. */
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

/* Work that takes `seconds` on the machine of the recording, and less on a faster one. */
static void compute(double seconds) {
  if (emu_is_active && emu_is_active()) {
    emu_declare_compute(seconds);
    return;
  }
  emu_work((long)(seconds * work_per_second));
}

/* Accounts. An iteration that represents several counts as many times; `weight` is the present number. */
static double weight = 1, since, predicted, scaled, whole, variance;

static void account(void) {
  double at = now(), taken = at - since;
  since = at;
  predicted += weight * taken;
  *(weight > 1 ? &scaled : &whole) += taken;
}

static void weigh(double factor) {
  account();
  weight *= factor;
}

/* The variance of the times of a loop's iterations, which bounds the error of their sum. */
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

/* The number of iterations of this run of a loop that has `mean` of them in the mean. */
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
    if (rank == 0) fprintf(stderr, "skeleton: invalid number of ranks: %d (expected %d)\n", size, ranks);
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
    fprintf(stderr, "skeleton: not enough memory for its messages\n");
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
  /* The ranks' accounts should differ by no more than the ranks' ends do. It is unknown which one is right. */
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

inline constexpr long most_turns = 64;

// Follows if the work of some step differs between executions.
inline constexpr const char* turns_prelude = R"code(
/* The order of the recorded times of a step whose work differs between executions. After `count` executions, or all of
   them, the sum is that of the recording. */
struct turns {
  int count, at;
  unsigned char order[most_turns];
};

/* The same in every run. */
static unsigned long long next_random(unsigned long long *state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state >> 11;
}

static void swap(unsigned char *a, unsigned char *b) {
  unsigned char was = *a;
  *a = *b;
  *b = was;
}

/* All ranks have the same order, except for a share of 1 - `together`, which each rank has in an order of its own. */
static void shuffle(struct turns *t, double together) {
  static unsigned long long of_all = 0x9e3779b97f4a7c15ull, own;
  unsigned char apart[most_turns];
  int i, n = 0;
  if (own == 0) own = of_all * (unsigned long long)(2 * rank + 3);
  for (i = 0; i < t->count; ++i) t->order[i] = (unsigned char)i;
  for (i = t->count - 1; i > 0; --i)
    swap(&t->order[i], &t->order[next_random(&of_all) % (unsigned long long)(i + 1)]);
  for (i = 0; i < t->count; ++i)
    if ((double)(next_random(&of_all) % 1000000) >= 1e6 * together) apart[n++] = (unsigned char)i;
  for (i = n - 1; i > 0; --i)
    swap(&t->order[apart[i]], &t->order[apart[next_random(&own) % (unsigned long long)(i + 1)]]);
}

/* The present work as a multiple of its mean: the mean of a share of 1 / count of the recorded times. */
static double turn(const double *of_class, struct turns *t, double together) {
  double from, until, begin = 0, sum = 0;
  int i;
  if (t->at == 0) shuffle(t, together);
  from = (double)t->order[t->at] / t->count;
  until = (t->order[t->at] + 1.0) / t->count;
  t->at = (t->at + 1) % t->count;
  for (i = 0; i < classes; ++i) {
    double low = begin > from ? begin : from, high = class_ends[i] < until ? class_ends[i] : until;
    if (high > low) sum += (high - low) * of_class[i];
    begin = class_ends[i];
  }
  return sum * t->count;
}
)code";

// Follows if there is a master with slaves.
inline constexpr const char* farm_prelude = R"code(
/* A master deals a task to each slave that returns a result; the request for a first task counts as a result. The tag
   of a task is its number from 1; 0: no task is left. */
static void farm(MPI_Comm of, int master, int result_tag, int task_bytes, int result_bytes, double master_work,
                 const double *work, long works, long first, long rest, long last, double factor, int asks) {
  long tasks = first + rest + last, dealt = 0, done;
  int to, size = size_of(of);
  struct samples of_results = {0, 0, 0, 0};
  MPI_Status status;
  if (rank_in(of) != master) {
    if (asks) MPI_Send(out, result_bytes, MPI_BYTE, master, result_tag, of);
    for (;;) {
      MPI_Recv(in, largest, MPI_BYTE, master, MPI_ANY_TAG, of, &status);
      if (status.MPI_TAG == 0) return;
      compute(work[(long)((double)(status.MPI_TAG - 1) * (double)works / (double)tasks)]);
      MPI_Send(out, result_bytes, MPI_BYTE, master, result_tag, of);
    }
  }
  for (to = 0; to < size && !asks; ++to) {
    if (to == master) continue;
    MPI_Send(out, task_bytes, MPI_BYTE, to, dealt < tasks ? (int)(dealt + 1) : 0, of);
    ++dealt;
  }
  for (done = asks ? 1 - size : 0; done < tasks; ++done) {
    if (rest > 0 && done == first) weigh(factor);
    if (rest > 0 && done == first + rest) {
      end_of_samples(&of_results);
      weigh(1 / factor);
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
