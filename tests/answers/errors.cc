// What comes back where errors return: their class, and that the program goes on.
#include <emu/emu.h>

#include "answers.h"

namespace {

int called = 0;
void count_call(MPI_Comm*, int*, ...) { ++called; }

void show_error(const char* name, int code) {
  int error_class = -1, length = 0;
  char text[MPI_MAX_ERROR_STRING];
  MPI_Error_class(code, &error_class);
  MPI_Error_string(code, text, &length);
  const struct {
    int number;
    const char* name;
  } names[] = {
      {MPI_SUCCESS, "success"},       {MPI_ERR_TAG, "tag"},         {MPI_ERR_RANK, "rank"},
      {MPI_ERR_COUNT, "count"},       {MPI_ERR_TYPE, "type"},       {MPI_ERR_ROOT, "root"},
      {MPI_ERR_TRUNCATE, "truncate"}, {MPI_ERR_COMM, "comm"},       {MPI_ERR_OP, "op"},
      {MPI_ERR_BUFFER, "buffer"},     {MPI_ERR_REQUEST, "request"}, {MPI_ERR_IN_STATUS, "in status"}};
  for (const auto& known : names)
    if (known.number == error_class)
      std::printf("%s: error of class %s, explained: %d\n", name, known.name, length > 0);
}

void wrong_arguments(const Answers& me, MPI_Comm comm) {
  int data[4] = {};
  const int next = (me.rank + 1) % me.size;
  MPI_Request request;
  show_error("tag", MPI_Send(data, 1, MPI_INT, next, -7, comm));
  int* largest = nullptr;
  int found = 0;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &largest, &found);
  show_error("tag beyond the largest", MPI_Send(data, 1, MPI_INT, next, *largest + 1, comm));
  show_error("receive tag beyond the largest", MPI_Irecv(data, 1, MPI_INT, 0, *largest + 1, comm, &request));
  show_error("rank", MPI_Send(data, 1, MPI_INT, me.size, 0, comm));
  show_error("any source to send to", MPI_Send(data, 1, MPI_INT, MPI_ANY_SOURCE, 0, comm));
  show_error("count", MPI_Send(data, -1, MPI_INT, next, 0, comm));
  show_error("type", MPI_Send(data, 1, MPI_DATATYPE_NULL, next, 0, comm));
  show_error("buffer", MPI_Send(nullptr, 1, MPI_INT, next, 0, comm));
  show_error("receive from", MPI_Irecv(data, 1, MPI_INT, me.size + 3, 0, comm, &request));
  show_error("receive tag", MPI_Irecv(data, 1, MPI_INT, 0, -9, comm, &request));
  show_error("root", MPI_Bcast(data, 1, MPI_INT, me.size, comm));
  show_error("reduce root", MPI_Reduce(data, data + 1, 1, MPI_INT, MPI_SUM, -4, comm));
  show_error("operation", MPI_Allreduce(data, data + 1, 1, MPI_INT, MPI_OP_NULL, comm));
  show_error("bcast count", MPI_Bcast(data, -2, MPI_INT, 0, comm));
}

// Errors go to the handler of the communicator that the message belongs to, also when a wait finds them.
void truncated(const Answers& me, MPI_Comm comm) {
  const std::vector<int> out = counting(100);
  std::vector<int> in(100, -1);
  const int right = (me.rank + 1) % me.size, left = (me.rank + me.size - 1) % me.size;
  MPI_Request requests[3];
  MPI_Status statuses[2];
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);  // MPICH asks this one in some waits
  MPI_Isend(out.data(), 100, MPI_INT, right, 0, comm, &requests[2]);
  show_error("truncated", MPI_Recv(in.data(), 50, MPI_INT, left, 0, comm, MPI_STATUS_IGNORE));
  MPI_Wait(&requests[2], MPI_STATUS_IGNORE);
  show("behind the buffer", in.data() + 50, 5);

  MPI_Irecv(in.data(), 50, MPI_INT, left, 0, comm, &requests[0]);
  MPI_Isend(out.data(), 100, MPI_INT, right, 0, comm, &requests[2]);
  show_error("truncated, wait", MPI_Wait(&requests[0], &statuses[0]));
  show("null then", requests[0] == MPI_REQUEST_NULL);
  MPI_Wait(&requests[2], MPI_STATUS_IGNORE);

  MPI_Irecv(in.data(), 50, MPI_INT, left, 0, comm, &requests[0]);
  MPI_Irecv(in.data(), 100, MPI_INT, left, 1, comm, &requests[1]);
  MPI_Isend(out.data(), 100, MPI_INT, right, 1, comm, &requests[2]);
  MPI_Send(out.data(), 30, MPI_INT, right, 0, comm);
  show_error("fits, waitall", MPI_Waitall(2, requests, statuses));
  MPI_Wait(&requests[2], MPI_STATUS_IGNORE);

  MPI_Irecv(in.data(), 50, MPI_INT, left, 0, comm, &requests[0]);
  MPI_Irecv(in.data(), 100, MPI_INT, left, 1, comm, &requests[1]);
  MPI_Isend(out.data(), 100, MPI_INT, right, 0, comm, &requests[2]);
  MPI_Send(out.data(), 1, MPI_INT, right, 1, comm);
  show_error("truncated, waitall", MPI_Waitall(2, requests, statuses));
  show_error("first status", statuses[0].MPI_ERROR);
  MPI_Wait(&requests[2], MPI_STATUS_IGNORE);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

}  // namespace

int main(int argc, char** argv) {
  const Answers me(&argc, &argv);
  MPI_Comm returning, counted;
  MPI_Errhandler handler, found;
  MPI_Comm_dup(MPI_COMM_WORLD, &returning);
  MPI_Comm_set_errhandler(returning, MPI_ERRORS_RETURN);
  wrong_arguments(me, returning);
  truncated(me, returning);
  MPI_Comm_get_errhandler(returning, &found);
  show("handler stays", found == MPI_ERRORS_RETURN);
  MPI_Comm_create_errhandler(&count_call, &handler);
  MPI_Comm_dup(MPI_COMM_WORLD, &counted);
  MPI_Comm_set_errhandler(counted, handler);
  MPI_Errhandler_free(&handler);
  wrong_arguments(me, counted);
  show("calls of the handler", called);
  const int before = called;
  truncated(me, counted);
  // Of the receive and of the wait; natively it depends on how the message travelled.
  if (emu_active() && called != before + 2) show("calls for truncated messages", called - before);
  MPI_Comm_free(&counted);
  MPI_Comm_free(&returning);
  int sum = 0;  // and all goes on
  MPI_Allreduce(&me.rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  show("sum", sum);
}
