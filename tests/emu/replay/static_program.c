/* A program without choices, with all operations that a replay supports. Messages are eager or by rendezvous, as
 * the target determines. */
#include <emu/emu.h>
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

static int rank, size;
static char out[4][70000], in[4][70000];

/* Receives that are waited for one after another, in an order other than that of their starts. */
static void crossed(int bytes) {
  MPI_Request r[4];
  int next = (rank + 1) % size, before = (rank + size - 1) % size;
  MPI_Irecv(in[0], bytes, MPI_CHAR, before, 1, MPI_COMM_WORLD, &r[0]);
  MPI_Irecv(in[1], bytes / 2, MPI_CHAR, next, 2, MPI_COMM_WORLD, &r[1]);
  emu_compute(1e-5 * (rank + 1));
  MPI_Isend(out[0], bytes, MPI_CHAR, next, 1, MPI_COMM_WORLD, &r[2]);
  MPI_Isend(out[1], bytes / 2, MPI_CHAR, before, 2, MPI_COMM_WORLD, &r[3]);
  MPI_Wait(&r[1], MPI_STATUS_IGNORE);
  emu_compute(3e-6);
  MPI_Wait(&r[0], MPI_STATUS_IGNORE);
  MPI_Waitall(2, r + 2, MPI_STATUSES_IGNORE);
}

static void several_kinds(void) {
  MPI_Request r[2];
  MPI_Status status;
  int partner = rank ^ 1, done, n = 0;
  char* buffer = malloc(100000 + MPI_BSEND_OVERHEAD);
  void* back;
  if (partner >= size) {
    free(buffer);
    return;
  }
  MPI_Buffer_attach(buffer, 100000 + MPI_BSEND_OVERHEAD);
  MPI_Bsend(out[0], 60000, MPI_CHAR, partner, 3, MPI_COMM_WORLD);
  MPI_Recv(in[0], 70000, MPI_CHAR, partner, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
  MPI_Get_count(&status, MPI_CHAR, &n);
  MPI_Buffer_detach(&back, &done);
  free(buffer);
  MPI_Irecv(in[1], 100, MPI_CHAR, partner, 4, MPI_COMM_WORLD, &r[0]);
  if (rank < partner) MPI_Ssend(out[1], 100, MPI_CHAR, partner, 4, MPI_COMM_WORLD);
  MPI_Wait(&r[0], MPI_STATUS_IGNORE);
  if (rank > partner) MPI_Ssend(out[1], 100, MPI_CHAR, partner, 4, MPI_COMM_WORLD);
  MPI_Sendrecv(out[2], 30000, MPI_CHAR, partner, 5, in[2], 30000, MPI_CHAR, partner, 5, MPI_COMM_WORLD,
               &status);
  MPI_Isend(out[0], 9, MPI_CHAR, partner, 6, MPI_COMM_WORLD, &r[0]);
  MPI_Request_free(&r[0]);
  MPI_Recv(in[0], 9, MPI_CHAR, partner, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Send_init(out[3], 2000, MPI_CHAR, partner, 7, MPI_COMM_WORLD, &r[0]);
  MPI_Recv_init(in[3], 2000, MPI_CHAR, partner, 7, MPI_COMM_WORLD, &r[1]);
  for (int i = 0; i < 3; ++i) {
    MPI_Startall(2, r);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
  }
  MPI_Request_free(&r[0]);
  MPI_Request_free(&r[1]);
  MPI_Send(out[0], 1, MPI_CHAR, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
}

static void larger(void* from, void* into, int* count, MPI_Datatype* type) {
  (void)type;
  emu_compute(2e-6 * *count);
  for (int i = 0; i < *count; ++i)
    if (((int*)from)[i] > ((int*)into)[i]) ((int*)into)[i] = ((int*)from)[i];
}

static void collectives(void) {
  MPI_Comm half, copy;
  MPI_Op op;
  int counts[64], places[64], sum = 0;
  emu_interval_begin("collectives");
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
  MPI_Comm_dup(half, &copy);
  MPI_Allreduce(out[0], in[0], 5000, MPI_INT, MPI_SUM, half);
  MPI_Bcast(out[1], 20000, MPI_CHAR, 0, copy);
  MPI_Alltoall(out[0], 300, MPI_CHAR, in[0], 300, MPI_CHAR, MPI_COMM_WORLD);
  for (int i = 0; i < size; ++i) {
    counts[i] = 10 * i;
    places[i] = sum;
    sum += counts[i];
  }
  MPI_Gatherv(out[0], counts[rank], MPI_CHAR, in[0], counts, places, MPI_CHAR, 1, MPI_COMM_WORLD);
  MPI_Op_create(larger, 1, &op);
  MPI_Reduce(out[2], in[2], 50, MPI_INT, op, 0, MPI_COMM_WORLD);
  MPI_Op_free(&op);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Comm_free(&copy);
  MPI_Comm_free(&half);
  emu_interval_end("collectives");
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  emu_compute(1e-4 / (rank + 1));
  crossed(100);
  crossed(40000);
  several_kinds();
  collectives();
  if (rank == 0 && MPI_Wtime() < 0) return 1;
  usleep(20);
  return MPI_Finalize();
}
