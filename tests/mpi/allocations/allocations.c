// After a warm-up, messages of less than 4 KiB cost no allocation, for any kind of send and receive. Two ranks send
// each
// other messages in every way many times, and count what is allocated meanwhile, by the library too. Each writes what
// was.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local volatile long allocated;

extern void* __libc_malloc(size_t);
extern void* __libc_calloc(size_t, size_t);
extern void* __libc_realloc(void*, size_t);
extern void* __libc_memalign(size_t, size_t);
void* malloc(size_t size) {
  ++allocated;
  return __libc_malloc(size);
}
void* calloc(size_t count, size_t size) {
  ++allocated;
  return __libc_calloc(count, size);
}
void* realloc(void* old, size_t size) {
  ++allocated;
  return __libc_realloc(old, size);
}
void* aligned_alloc(size_t alignment, size_t size) {
  ++allocated;
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** result, size_t alignment, size_t size) {
  ++allocated;
  *result = __libc_memalign(alignment, size);
  return *result ? 0 : 12;
}

static int rank, other;
static char out[4096], in[4096];

static void blocking(int bytes) {
  if (rank == 0) MPI_Send(out, bytes, MPI_CHAR, other, 1, MPI_COMM_WORLD);
  MPI_Recv(in, bytes, MPI_CHAR, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 1) MPI_Send(out, bytes, MPI_CHAR, other, 1, MPI_COMM_WORLD);
}
static void any_source(int bytes) {
  if (rank == 0) MPI_Send(out, bytes, MPI_CHAR, other, 1, MPI_COMM_WORLD);
  MPI_Recv(in, bytes, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 1) MPI_Send(out, bytes, MPI_CHAR, other, 1, MPI_COMM_WORLD);
}
static void synchronous(int bytes) {
  if (rank == 0) MPI_Ssend(out, bytes, MPI_CHAR, other, 1, MPI_COMM_WORLD);
  MPI_Recv(in, bytes, MPI_CHAR, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 1) MPI_Ssend(out, bytes, MPI_CHAR, other, 1, MPI_COMM_WORLD);
}
static void exchange(int bytes) {
  MPI_Sendrecv(out, bytes, MPI_CHAR, other, 1, in, bytes, MPI_CHAR, other, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
}
static void background(int bytes) {
  MPI_Request requests[16];
  for (int i = 0; i < 8; ++i) {
    MPI_Irecv(in, bytes, MPI_CHAR, i % 2 ? other : MPI_ANY_SOURCE, i, MPI_COMM_WORLD, &requests[i]);
    MPI_Isend(out, bytes, MPI_CHAR, other, i, MPI_COMM_WORLD, &requests[8 + i]);
  }
  int index;
  MPI_Waitany(8, requests, &index, MPI_STATUS_IGNORE);
  MPI_Wait(&requests[15], MPI_STATUS_IGNORE);
  MPI_Waitall(16, requests, MPI_STATUSES_IGNORE);
}
static void unexpected(int bytes) {
  for (int i = 0; i < 8; ++i) MPI_Send(out, bytes, MPI_CHAR, other, i, MPI_COMM_WORLD);
  for (int i = 7; i >= 0; --i) MPI_Recv(in, bytes, MPI_CHAR, other, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
static void polled(int bytes) {
  MPI_Request request;
  MPI_Irecv(in, bytes, MPI_CHAR, other, 1, MPI_COMM_WORLD, &request);
  MPI_Send(out, bytes, MPI_CHAR, other, 1, MPI_COMM_WORLD);
  MPI_Send(out, bytes, MPI_CHAR, other, 2, MPI_COMM_WORLD);
  for (int there = 0; !there;) MPI_Test(&request, &there, MPI_STATUS_IGNORE);
  for (int there = 0; !there;) MPI_Iprobe(other, 2, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
  MPI_Recv(in, bytes, MPI_CHAR, other, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
// More concurrent messages than later, so that the distance of the ranks has no effect.
static void warm(void) {
  MPI_Request requests[256];
  for (int i = 0; i < 128; ++i) {
    MPI_Issend(out, 1, MPI_CHAR, other, i, MPI_COMM_WORLD, &requests[i]);
    MPI_Isend(out, 1, MPI_CHAR, other, 128 + i, MPI_COMM_WORLD, &requests[128 + i]);
  }
  for (int i = 255; i >= 0; --i)
    MPI_Recv(in, 1, MPI_CHAR, MPI_ANY_SOURCE, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Waitall(256, requests, MPI_STATUSES_IGNORE);
}
static MPI_Request prepared[2];
static void persistent(int bytes) {
  (void)bytes;
  MPI_Startall(2, prepared);
  MPI_Waitall(2, prepared, MPI_STATUSES_IGNORE);
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    void (*way)(int bytes);
  } ways[] = {{"blocking", blocking}, {"any source", any_source}, {"synchronous", synchronous},
              {"exchange", exchange}, {"background", background}, {"unexpected", unexpected},
              {"polled", polled},     {"persistent", persistent}};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  other = 1 - rank;
  MPI_Send_init(out, 4095, MPI_CHAR, other, 1, MPI_COMM_WORLD, &prepared[0]);
  MPI_Recv_init(in, 4095, MPI_CHAR, other, 1, MPI_COMM_WORLD, &prepared[1]);
  warm();
  int worst = 0;
  for (int round = 0; round < 2; ++round)
    for (size_t w = 0; w < sizeof ways / sizeof *ways; ++w)
      for (int bytes = 0; bytes <= 4095; bytes = bytes ? bytes * 2 + 1 : 1) {
        const long before = allocated;
        for (int i = 0; i < 500; ++i) ways[w].way(bytes);
        // A pool grows if the host delays a rank for longer than ever before: that is no cost of a message.
        if (allocated - before <= 500 / 100 || round == 0) continue;
        worst = 1;
        fprintf(stderr, "rank %d, %s, %d bytes: %ld allocations in 500 rounds\n", rank, ways[w].name, bytes,
                allocated - before);
      }
  // Checks that an allocation would be counted.
  const long before = allocated;
  void* volatile seen = malloc(1);
  free(seen);
  if (allocated == before) worst = 1;
  MPI_Request_free(&prepared[0]);
  MPI_Request_free(&prepared[1]);
  MPI_Finalize();
  return worst;
}
