/* files NAME: the costs of calls on a file, in picoseconds. All ranks begin each call at one instant. If a call
 * also includes an agreement, the time of the agreement is measured separately and subtracted. */
#include <emu/emu.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rank;
static char data[4096];
static MPI_File file;
static MPI_Request requests[2];
static MPI_Status status;
static MPI_Offset offset;

/* All ranks are at one instant again. */
static void align(void) {
  static long long next = 0;
  next += 20LL * 1000 * 1000 * 1000;
  emu_compute((double)(next - emu_picoseconds()) * 1e-12);
}
static void show(const char* what, long long since, long long agreeing) {
  printf("%d %s %lld\n", rank, what, emu_picoseconds() - since - agreeing);
}
#define COST(what, agreeing, call)             \
  do {                                         \
    align();                                   \
    const long long since = emu_picoseconds(); \
    call;                                      \
    show(what, since, agreeing);               \
  } while (0)

static long long took(void (*call)(void)) {
  align();
  const long long since = emu_picoseconds();
  call();
  return emu_picoseconds() - since;
}
static void gather(void) {
  static char all[16 * 64];
  MPI_Allgather(data, 16, MPI_BYTE, all, 16, MPI_BYTE, MPI_COMM_WORLD);
}
static void gather_sizes(void) {
  static char all[8 * 64];
  MPI_Allgather(data, 8, MPI_BYTE, all, 8, MPI_BYTE, MPI_COMM_WORLD);
}
static void meet(void) { MPI_Barrier(MPI_COMM_WORLD); }
/* Agreements on the context of the file's messages, on equal modes, and on the success of all. */
static void agree(void) {
  int mask[65] = {0}, masks[65];
  long double in = 0, out;
  int own = 0, all;
  MPI_Allreduce(mask, masks, 65, MPI_INT, MPI_BOR, MPI_COMM_WORLD);
  MPI_Allreduce(&in, &out, 1, MPI_LONG_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  MPI_Allreduce(&own, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
}
static void two_writes(void) {
  MPI_File_iwrite_at(file, 4096 * rank, data, 1000, MPI_BYTE, &requests[0]);
  MPI_File_iwrite_at(file, 4096 * rank, data, 1000, MPI_BYTE, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}
static void computing_meanwhile(double seconds, int longer) {
  int done = 0;
  MPI_File_iread_at(file, 4096 * rank, data, 1000, MPI_BYTE, &requests[0]);
  emu_compute(seconds);
  if (longer) MPI_Test(&requests[0], &done, &status);
  if (!done) MPI_Wait(&requests[0], &status);
}
static void split(void) {
  MPI_File_write_at_all_begin(file, 4096 * rank, data, 500, MPI_BYTE);
  emu_compute(1000e-12);
  MPI_File_write_at_all_end(file, data, &status);
}
static void together(void) {
  MPI_File_iwrite_at_all(file, 4096 * rank, data, 500, MPI_BYTE, &requests[0]);
  MPI_Wait(&requests[0], &status);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const char* const name = argc > 1 ? argv[1] : "file";
  MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
  MPI_File_close(&file);
  const long long gathering = took(gather), sizes = took(gather_sizes), meeting = took(meet),
                  agreeing = took(agree);
  COST("open", agreeing, MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR, MPI_INFO_NULL, &file));
  COST("write", 0, MPI_File_write_at(file, 4096 * rank, data, 1000, MPI_BYTE, &status));
  COST("write nothing", 0, MPI_File_write_at(file, 0, data, 0, MPI_BYTE, &status));
  COST("two in the background", 0, two_writes());
  COST("computing less", 0, computing_meanwhile(3000e-12, 0));
  COST("computing more", 0, computing_meanwhile(9000e-12, 1));
  COST("write all", gathering, MPI_File_write_at_all(file, 4096 * rank, data, 1000, MPI_BYTE, &status));
  COST("in the background", gathering, together());
  COST("split", gathering, split());
  COST("ordered", sizes, MPI_File_write_ordered(file, data, 10, MPI_BYTE, &status));
  COST("seek", 0, MPI_File_seek(file, 4096 * rank, MPI_SEEK_SET));
  COST("position", 0, MPI_File_get_position(file, &offset));
  COST("read", 0, MPI_File_read(file, data, 1000, MPI_BYTE, &status));
  COST("to the end", 0, MPI_File_seek(file, -10, MPI_SEEK_END));
  COST("less than asked for", 0, MPI_File_read(file, data, 100, MPI_BYTE, &status));
  COST("size", 0, MPI_File_get_size(file, &offset));
  COST("sync", 0, MPI_File_sync(file));
  COST("view", meeting, MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
  COST("close", meeting, MPI_File_close(&file));
  MPI_Finalize();
  return 0;
}
