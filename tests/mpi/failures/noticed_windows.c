// One-sided operations on rank 2, which fails at F, a millisecond; the others know of the failure 1000 ps later, at N.
#include <emu/emu.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "noticed.h"

enum { failure = 1000000000 };  // picoseconds

static void until(long long at) { picoseconds((double)(at - emu_picoseconds())); }

// The request arrives just before F, and is answered, although rank 2 has been computing for a long time.
static void in_time(MPI_Win win) {
  int one = 1, value = -1;
  MPI_Win_lock(MPI_LOCK_SHARED, 2, 0, win);
  until(failure - 1500);
  MPI_Fetch_and_op(&one, &value, MPI_INT, 2, 0, MPI_SUM, win);
  note("flush", MPI_Win_flush(2, win));
  sprintf(text + strlen(text), "%d: value %d\n", rank, value);
  note("put", MPI_Put(&one, 1, MPI_INT, 2, 0, 1, MPI_INT, win));
  note("flush again", MPI_Win_flush(2, win));
  note("unlock", MPI_Win_unlock(2, win));
  note("lock", MPI_Win_lock(MPI_LOCK_SHARED, 2, 0, win));
}

// The request arrives after F.
static void too_late(MPI_Win win) {
  int one = 1, values[2];
  MPI_Request request;
  MPI_Win_lock_all(0, win);
  until(failure - 500);
  MPI_Get(&values[0], 1, MPI_INT, 2, 0, 1, MPI_INT, win);
  MPI_Rget(&values[1], 1, MPI_INT, 2, 0, 1, MPI_INT, win, &request);
  note("rget", MPI_Wait(&request, MPI_STATUS_IGNORE));
  note("flush", MPI_Win_flush(2, win));
  MPI_Put(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
  note("unlock-all", MPI_Win_unlock_all(win));
  MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
  note("put", MPI_Put(&one, 1, MPI_INT, 2, 0, 1, MPI_INT, win));
  MPI_Win_unlock_all(win);
}

static MPI_Win opened(int* mine) {
  MPI_Win win;
  MPI_Win_create(mine, sizeof *mine, sizeof *mine, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  return win;
}

static void closed(MPI_Win win, int mine) {
  MPI_Win_free(&win);
  sprintf(text + strlen(text), "%d: mine %d\n", rank, mine);
}

// Reads rank 0's memory as soon as it gets rank 0's lock.
static void fetch(MPI_Win win, int kind) {
  int one = 1, value = -1;
  note("lock", MPI_Win_lock(kind, 0, 0, win));
  MPI_Fetch_and_op(&one, &value, MPI_INT, 0, 0, MPI_SUM, win);
  note("unlock", MPI_Win_unlock(0, win));
  sprintf(text + strlen(text), "%d: value %d\n", rank, value);
}

// Rank 2 fails while it has a lock of rank 0's memory, for which the other ranks wait.
void locks(void) {
  int mine = 5, one = 1;
  const MPI_Win win = opened(&mine);
  if (rank == 2) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Accumulate(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win);
    picoseconds(2e9);
  }
  until(rank == 1 ? failure / 2 : failure - 100000);
  fetch(win, MPI_LOCK_EXCLUSIVE);
  until(2 * failure);
  fetch(win, MPI_LOCK_EXCLUSIVE);  // a failed rank keeps no lock
  closed(win, mine);
}

// Rank 2 fails while it waits for a lock that rank 1 has, and rank 0 waits behind it. Rank 1 releases the lock
// afterwards.
void waits_for_lock(void) {
  int mine = 5, one = 1;
  const MPI_Win win = opened(&mine);
  if (rank == 2) {
    until(failure / 2);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Accumulate(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win);
    picoseconds(2e9);
  }
  if (rank == 1) {
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
    until(2 * failure);
    note("unlock", MPI_Win_unlock(0, win));
  } else {
    until(failure - 100000);
    fetch(win, MPI_LOCK_SHARED);  // together with rank 1, once rank 2 is out of the queue
  }
  closed(win, mine);
}

void windows(void) {
  int mine = 5;
  MPI_Win win;
  MPI_Win_create(&mine, sizeof mine, sizeof mine, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  if (rank == 0) in_time(win);
  if (rank == 1) too_late(win);
  if (rank == 2) picoseconds(2e9);
  note("fence", MPI_Win_fence(0, win));
  note("free", MPI_Win_free(&win));
  sprintf(text + strlen(text), "%d: mine %d\n", rank, mine);
}
