// Wrong one-sided calls return MPICH's classes of errors, and right calls still work afterwards.

#include <array>

#include "answers.h"

namespace {

std::array<int, 10> memory{};
int x = 1, y = 0;

void said(const char* what, int code) {
  int kind = -1;
  MPI_Error_class(code, &kind);
  std::printf("%s: %d\n", what, kind);
}

void without_epoch(MPI_Win win) {
  said("put", MPI_Put(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, win));
  said("lock of no rank", MPI_Win_lock(MPI_LOCK_SHARED, 99, 0, win));
  said("no such lock", MPI_Win_lock(77, 0, 0, win));
  said("no such assertion", MPI_Win_lock(MPI_LOCK_SHARED, 0, 1 << 20, win));
  said("unlock", MPI_Win_unlock(0, win));
  said("unlock all", MPI_Win_unlock_all(win));
  said("flush", MPI_Win_flush(0, win));
  said("flush all", MPI_Win_flush_all(win));
  said("flush local", MPI_Win_flush_local(0, win));
  said("complete", MPI_Win_complete(win));
  said("wait", MPI_Win_wait(win));
  said("test", MPI_Win_test(win, &y));
  said("sync", MPI_Win_sync(win));
}

void locked(MPI_Win win) {
  said("lock", MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
  said("lock again", MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
  said("lock all", MPI_Win_lock_all(0, win));
  said("fence", MPI_Win_fence(0, win));
  said("negative displacement", MPI_Put(&x, 1, MPI_INT, 0, -1, 1, MPI_INT, win));
  said("negative count", MPI_Put(&x, -1, MPI_INT, 0, 0, 1, MPI_INT, win));
  said("no such rank", MPI_Put(&x, 1, MPI_INT, 99, 0, 1, MPI_INT, win));
  said("no datatype", MPI_Put(&x, 1, MPI_DATATYPE_NULL, 0, 0, 1, MPI_INT, win));
  said("no operation", MPI_Accumulate(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_OP_NULL, win));
  said("not an operation here", MPI_Accumulate(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_NO_OP, win));
  said("swap of doubles", MPI_Compare_and_swap(&x, &x, &y, MPI_DOUBLE, 0, 0, win));
  MPI_Datatype bytes;
  MPI_Type_contiguous(sizeof(int), MPI_BYTE, &bytes);
  MPI_Type_commit(&bytes);
  said("swap of a derived type", MPI_Compare_and_swap(&x, &x, &y, bytes, 0, 0, win));
  said("fetch a derived type", MPI_Fetch_and_op(&x, &y, bytes, 0, 0, MPI_REPLACE, win));
  MPI_Type_free(&bytes);
  said("sync", MPI_Win_sync(win));
  said("free", MPI_Win_free(&win));
  said("right", MPI_Put(&x, 1, MPI_INT, 0, 3, 1, MPI_INT, win));
  said("flush", MPI_Win_flush(0, win));
  said("unlock", MPI_Win_unlock(0, win));
  said("unlock again", MPI_Win_unlock(0, win));
}

void locked_all(MPI_Win win) {
  said("lock all", MPI_Win_lock_all(0, win));
  said("lock all again", MPI_Win_lock_all(0, win));
  said("lock", MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
  said("unlock", MPI_Win_unlock(0, win));
  said("flush", MPI_Win_flush(0, win));
  said("unlock all", MPI_Win_unlock_all(win));
  said("unlock all again", MPI_Win_unlock_all(win));
}

void in_group(MPI_Win win) {
  MPI_Group world, own;
  const int self = 0;
  MPI_Comm_group(MPI_COMM_SELF, &world);
  MPI_Group_incl(world, 1, &self, &own);
  said("post", MPI_Win_post(own, 0, win));
  said("post again", MPI_Win_post(own, 0, win));
  said("start", MPI_Win_start(own, 0, win));
  said("start again", MPI_Win_start(own, 0, win));
  said("lock in a group", MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
  said("lock all in a group", MPI_Win_lock_all(0, win));
  MPI_Request request = MPI_REQUEST_NULL;
  said("request in a group", MPI_Rput(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, win, &request));
  said("complete", MPI_Win_complete(win));
  said("complete again", MPI_Win_complete(win));
  said("wait", MPI_Win_wait(win));
  said("wait again", MPI_Win_wait(win));
  MPI_Group_free(&world);
  MPI_Group_free(&own);
}

void fenced(MPI_Win win) {
  said("first fence", MPI_Win_fence(0, win));
  said("put in a fence", MPI_Put(&x, 1, MPI_INT, 0, 5, 1, MPI_INT, win));
  MPI_Request request = MPI_REQUEST_NULL;
  said("request in a fence", MPI_Rput(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, win, &request));
  said("lock in a fence", MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
  said("last fence", MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
  said("put behind the last", MPI_Put(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, win));
}

void other_windows() {
  MPI_Comm self;
  MPI_Comm_dup(MPI_COMM_SELF, &self);
  MPI_Comm_set_errhandler(self, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Win win = MPI_WIN_NULL;
  said("fence of none", MPI_Win_fence(0, win));
  said("negative size", MPI_Win_create(memory.data(), -1, 4, MPI_INFO_NULL, self, &win));
  said("no unit", MPI_Win_create(memory.data(), 4, 0, MPI_INFO_NULL, self, &win));
  MPI_Win_create_dynamic(MPI_INFO_NULL, self, &win);
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  said("attach", MPI_Win_attach(win, memory.data(), 8));
  said("detach", MPI_Win_detach(win, memory.data()));
  MPI_Win_free(&win);
  MPI_Comm_free(&self);
}

int handled = 0;
void handle(MPI_Win*, int* code, ...) { MPI_Error_class(*code, &handled); }

}  // namespace

int main(int argc, char** argv) {
  const Answers a(&argc, &argv);
  // Each rank has a window of its own: an error does not stop other ranks.
  MPI_Win win;
  MPI_Comm self;
  MPI_Comm_split(MPI_COMM_WORLD, a.rank, 0, &self);
  MPI_Win_create(memory.data(), sizeof memory, sizeof(int), MPI_INFO_NULL, self, &win);
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  without_epoch(win);
  locked(win);
  locked_all(win);
  in_group(win);
  fenced(win);
  show("memory", memory.data(), memory.size());
  MPI_Errhandler handler;
  MPI_Win_create_errhandler(handle, &handler);
  MPI_Win_set_errhandler(win, handler);
  MPI_Win_unlock(0, win);
  show("handled", handled);
  MPI_Errhandler_free(&handler);
  MPI_Win_free(&win);
  MPI_Comm_free(&self);
  other_windows();
}
