// Messages that meet on shared links, for scripts/contention: once emulated, once under SimGrid SMPI.
//
//   contention incast BYTES MORE          all ranks but 0 send to rank 0
//   contention flows BYTES MORE SECONDS   rank 0 sends to 1; rank 2, SECONDS later, a quarter of the bytes to 3
//   contention parking BYTES MORE         every rank sends to the last one, along a line
//   contention alltoall BYTES MORE        everybody sends to everybody
//   contention stencil BYTES MORE STEPS   a ring: each step exchanges with both neighbours
//
// Each message has MORE bytes in addition, or fewer if MORE is below 0: an emulator may add bytes to a message or omit
// some. Rank r prints "r: SECONDS" when it has received all.
#include <emu/emu.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, ranks, bytes, more;
static char *sent, *received;
static MPI_Request requests[4096];
static MPI_Status statuses[4096];
static int count = 0;

static void send_to(int to, int size) { MPI_Isend(sent, size + more, MPI_CHAR, to, 0, MPI_COMM_WORLD, &requests[count++]); }
static void receive_from(int from, int size) {
  MPI_Irecv(received, size + more, MPI_CHAR, from, 0, MPI_COMM_WORLD, &requests[count++]);
}
static void wait_for_all(void) {
  MPI_Waitall(count, requests, statuses);
  count = 0;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc < 4) {
    fprintf(stderr, "contention: a shape, bytes and more bytes are missing\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  const char* const shape = argv[1];
  bytes = atoi(argv[2]);
  more = atoi(argv[3]);
  const double last = argc > 4 ? atof(argv[4]) : 1;
  sent = calloc((size_t)bytes + 100, 1);
  received = calloc((size_t)bytes + 100, 1);
  if (strcmp(shape, "incast") == 0 || strcmp(shape, "parking") == 0) {
    const int sink = shape[0] == 'i' ? 0 : ranks - 1;
    if (rank != sink) send_to(sink, bytes);
    for (int r = 0; rank == sink && r < ranks; ++r)
      if (r != sink) receive_from(r, bytes);
    wait_for_all();
  } else if (strcmp(shape, "flows") == 0) {
    if (rank == 0) send_to(1, bytes);
    if (rank == 1) receive_from(0, bytes);
    if (rank == 2) emu_compute(last);
    if (rank == 2) send_to(3, bytes / 4);
    if (rank == 3) receive_from(2, bytes / 4);
    wait_for_all();
  } else if (strcmp(shape, "alltoall") == 0) {
    for (int d = 1; d < ranks; ++d) receive_from((rank + ranks - d) % ranks, bytes);
    for (int d = 1; d < ranks; ++d) send_to((rank + d) % ranks, bytes);
    wait_for_all();
  } else if (strcmp(shape, "stencil") == 0) {
    for (int step = 0; step < (int)last; ++step) {
      receive_from((rank + 1) % ranks, bytes);
      receive_from((rank + ranks - 1) % ranks, bytes);
      send_to((rank + 1) % ranks, bytes);
      send_to((rank + ranks - 1) % ranks, bytes);
      wait_for_all();
    }
  }
  printf("%d: %.12f\n", rank, MPI_Wtime());
  free(sent);
  free(received);
  MPI_Finalize();
  return 0;
}
