// Wrong use of windows, which natively writes to memory outside the window; and memory that can be shared, or cannot
// be. Each rank writes a line for each case: its rank, its action, and the result.
// wrong [shared [fatal]]
#include <mpi.h>
#include <stdio.h>

static int rank, size;

static void said(const char* what, int code) {
  static const struct {
    int class;
    const char* word;
  } words[] = {{MPI_SUCCESS, "right"},
               {MPI_ERR_RMA_RANGE, "range"},
               {MPI_ERR_WIN, "window"},
               {MPI_ERR_RMA_SHARED, "not shared"}};
  int class = -1;
  MPI_Error_class(code, &class);
  const char* word = "another error";
  for (unsigned i = 0; i < sizeof words / sizeof *words; ++i)
    if (words[i].class == class) word = words[i].word;
  printf("%d: %s: %s\n", rank, what, word);
}

static void beyond(MPI_Win win, int to) {
  const long one = 1;
  long old = 0;
  MPI_Datatype spread;
  MPI_Type_vector(2, 1, 4, MPI_LONG, &spread);
  MPI_Type_commit(&spread);
  MPI_Win_lock_all(0, win);
  said("put at the end", MPI_Put(&one, 1, MPI_LONG, to, 3, 1, MPI_LONG, win));
  said("put behind", MPI_Put(&one, 1, MPI_LONG, to, 4, 1, MPI_LONG, win));
  said("put of other elements", MPI_Put(&one, 1, MPI_LONG, to, 3, 2, MPI_INT, win));
  said("put across", MPI_Put((long[]){1, 2}, 2, MPI_LONG, to, 3, 2, MPI_LONG, win));
  // In bytes, these offsets are 0 and 8 modulo 2^64.
  said("put far", MPI_Put(&one, 1, MPI_LONG, to, (MPI_Aint)1 << 61, 1, MPI_LONG, win));
  said("put further", MPI_Put(&one, 1, MPI_LONG, to, ((MPI_Aint)3 << 61) + 1, 1, MPI_LONG, win));
  said("put spread", MPI_Put((long[]){1, 2}, 2, MPI_LONG, to, 0, 1, spread, win));
  said("get", MPI_Get(&old, 1, MPI_LONG, to, 4, 1, MPI_LONG, win));
  said("accumulate", MPI_Accumulate(&one, 1, MPI_LONG, to, 4, 1, MPI_LONG, MPI_SUM, win));
  said("fetch", MPI_Fetch_and_op(&one, &old, MPI_LONG, to, 4, MPI_SUM, win));
  said("swap", MPI_Compare_and_swap(&one, &one, &old, MPI_LONG, to, 4, win));
  said("unlock", MPI_Win_unlock_all(win));
  MPI_Type_free(&spread);
}

static void freed(MPI_Win win) {
  const long one = 1;
  MPI_Win copy = win;
  MPI_Win_free(&win);
  printf("%d: null: %d\n", rank, win == MPI_WIN_NULL);
  said("put of a freed one", MPI_Put(&one, 1, MPI_LONG, 0, 0, 1, MPI_LONG, copy));
  said("fence", MPI_Win_fence(0, copy));
  said("lock", MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, copy));
  said("free again", MPI_Win_free(&copy));
}

static void shared(const char* what, MPI_Comm comm) {
  int own, members;
  int* memory = NULL;
  MPI_Win win = MPI_WIN_NULL;
  MPI_Comm_rank(comm, &own);
  MPI_Comm_size(comm, &members);
  const int code = MPI_Win_allocate_shared(sizeof(int), sizeof(int), MPI_INFO_NULL, comm, &memory, &win);
  said(what, code);
  MPI_Barrier(comm);
  if (code != MPI_SUCCESS) return;
  MPI_Win_fence(0, win);
  *memory = own + 1;
  MPI_Win_fence(0, win);
  int sum = 0;
  for (int i = 0; i < members; ++i) sum += memory[i - own];
  printf("%d: sum of %d: %d\n", rank, members, sum);
  MPI_Win_free(&win);
}

int main(int argc, char** argv) {
  setvbuf(stdout, NULL, _IOLBF, BUFSIZ);  // whole lines, among those of other ranks
  long memory[6] = {7, 7, 7, 7, 7, 7};
  MPI_Win win;
  MPI_Comm node;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc < 3) MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (argc < 2) {
    MPI_Win_create(memory + 1, 4 * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    beyond(win, (rank + 1) % size);
    MPI_Barrier(MPI_COMM_WORLD);
    printf("%d: memory %ld %ld %ld %ld %ld %ld\n", rank, memory[0], memory[1], memory[2], memory[3],
           memory[4], memory[5]);
    freed(win);
  } else {
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_set_errhandler(node, MPI_ERRORS_RETURN);
    shared("all", MPI_COMM_WORLD);
    shared("node", node);
    shared("node again", node);
  }
  MPI_Finalize();
  return 0;
}
