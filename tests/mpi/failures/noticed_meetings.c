// Cases of noticed.c in which the members of a communicator have to meet: collectives, creation of communicators,
// agreements.
#include <stdio.h>
#include <string.h>

#include "noticed.h"

void collectives(void) {
  int one = 1, sum = 0, flag, size;
  MPI_Errhandler inherited;
  MPI_Comm left, again;
  note("barrier", MPI_Barrier(MPI_COMM_WORLD));
  if (rank == 2) work();
  note("allreduce", MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
  note("again", MPI_Barrier(MPI_COMM_WORLD));
  note("dup", MPI_Comm_dup(MPI_COMM_WORLD, &again));
  flag = rank == 0 ? 6 : 3;
  note("agree", MPIX_Comm_agree(MPI_COMM_WORLD, &flag));
  sprintf(text + strlen(text), "%d: flag %d\n", rank, flag);
  MPIX_Comm_failure_ack(MPI_COMM_WORLD);
  note("agree", MPIX_Comm_agree(MPI_COMM_WORLD, &flag));
  note("shrink", MPIX_Comm_shrink(MPI_COMM_WORLD, &left));
  MPI_Comm_size(left, &size);
  MPI_Comm_get_errhandler(left, &inherited);
  sprintf(text + strlen(text), "%d: handler %s\n", rank, inherited == MPI_ERRORS_RETURN ? "kept" : "lost");
  note("allreduce", MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, left));
  sprintf(text + strlen(text), "%d: size %d sum %d\n", rank, size, sum);
  MPI_Comm_free(&left);
}

// Makes a communicator while a member fails.
void making(void) {
  MPI_Comm made;
  if (rank == 2) work();
  if (rank == 1) picoseconds(100);
  note("dup", MPI_Comm_dup(MPI_COMM_WORLD, &made));
  if (rank == 1) picoseconds(200);
  note("split", MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &made));
}

// Ranks 0 and 1, and 2 and 3, connected by an intercommunicator. Rank 2 works until it fails.
static MPI_Comm half;

static int connect_to_others(int tag, MPI_Comm* made) {
  return MPI_Intercomm_create(half, rank < 2 ? 0 : 1, MPI_COMM_WORLD, rank < 2 ? 3 : 0, tag, made);
}

static void connect(MPI_Comm* bridge) {
  MPI_Comm_split(MPI_COMM_WORLD, rank / 2, 0, &half);
  connect_to_others(0, bridge);
  if (rank == 2) work();
}

void connects(void) {
  MPI_Comm bridge, made;
  connect(&bridge);
  note("create", connect_to_others(1, &made));
  note("dup", MPI_Comm_dup(bridge, &made));
}

void copies_connected(void) {
  MPI_Comm bridge, made;
  connect(&bridge);
  note("dup", MPI_Comm_dup(bridge, &made));
}

void merges(void) {
  MPI_Comm bridge, made;
  connect(&bridge);
  note("merge", MPI_Intercomm_merge(bridge, rank < 2, &made));
}

// Each rank has edges to rank 2, which fails before it has received them all.
void graphs(void) {
  int edges = 20, to[20];
  MPI_Comm made;
  for (int i = 0; i < edges; ++i) to[i] = 2;
  note("graph",
       MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &edges, to, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made));
}

// No rank fails.
void shrinks(void) {
  int flag = 1, size;
  MPI_Comm copy;
  note("agree", MPIX_Comm_agree(MPI_COMM_WORLD, &flag));
  note("shrink", MPIX_Comm_shrink(MPI_COMM_WORLD, &copy));
  MPI_Comm_size(copy, &size);
  sprintf(text + strlen(text), "%d: size %d\n", rank, size);
}

// Rank 3 waits for the others until it fails, much later than rank 2, and rank 0 polls until it knows of both failures.
void polls(void) {
  char buffers[2][200];
  MPI_Request requests[2];
  MPI_Status statuses[2];
  int flag = 0, agreed = 1, code = MPI_SUCCESS;
  if (rank == 2) work();
  if (rank == 0) {
    MPI_Irecv(buffers[0], 200, MPI_CHAR, 2, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(buffers[1], 200, MPI_CHAR, 3, 0, MPI_COMM_WORLD, &requests[1]);
    while (!flag) code = MPI_Testall(2, requests, &flag, statuses);
    note("all", code);
  }
  note("agree", MPIX_Comm_agree(MPI_COMM_WORLD, &agreed));
}

// Rank 1's request arrives at rank 2 at 4750, when rank 2 waits to shrink. The answer takes 300.
void shrinks_before(void) {
  char buffer[200];
  int size = 0;
  MPI_Comm left;
  MPI_Request request = MPI_REQUEST_NULL;
  if (rank == 2) MPI_Irecv(buffer, 200, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &request);
  if (rank == 1) {
    picoseconds(3650);
    MPI_Isend(long_message, 200, MPI_CHAR, 2, 0, MPI_COMM_WORLD, &request);
    picoseconds(1150);
  }
  note("shrink", MPIX_Comm_shrink(MPI_COMM_WORLD, &left));
  MPI_Comm_size(left, &size);
  sprintf(text + strlen(text), "%d: size %d\n", rank, size);
  if (rank == 1) note("wait", MPI_Wait(&request, MPI_STATUS_IGNORE));
}
