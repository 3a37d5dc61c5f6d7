// Errors that are returned: their class; the program continues.
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

// An error goes to the handler of the message's communicator, even if a wait finds it.
void truncated(const Answers& me, MPI_Comm comm) {
  const std::vector<int> out = counting(100);
  std::vector<int> in(100, -1);
  const int right = (me.rank + 1) % me.size, left = (me.rank + me.size - 1) % me.size;
  MPI_Request requests[3];
  MPI_Status statuses[2];
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);  // MPICH uses this handler in some waits
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

  MPI_Irecv(in.data(), 50, MPI_INT, left, 0, comm, &requests[0]);
  MPI_Isend(out.data(), 100, MPI_INT, right, 0, comm, &requests[2]);
  int flag = 0, code = MPI_SUCCESS;
  while (code == MPI_SUCCESS && !flag) code = MPI_Request_get_status(requests[0], &flag, &statuses[0]);
  show_error("truncated, get_status", code);
  show("its flag", flag);
  show("its source", statuses[0].MPI_SOURCE == left);
  show_error("truncated, wait after get_status", MPI_Wait(&requests[0], &statuses[0]));
  MPI_Wait(&requests[2], MPI_STATUS_IGNORE);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

// Every function with a communicator argument, and its error for an invalid one. After a communicator is freed, a
// copy of its handle is invalid as well.
void no_communicator(const Answers& me, const std::string& kind, MPI_Comm comm) {
  int data[64] = {}, other[64] = {}, flag = 0, sizes[1] = {me.size}, periodic[1] = {0}, zeros[64] = {};
  MPI_Request request;
  MPI_Comm out;
  MPI_Group all;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  const std::vector<int> ones(static_cast<std::size_t>(me.size), 1);
  const auto ignore = MPI_STATUS_IGNORE;
  const struct {
    const char* name;
    int code;
  } found[] = {{"send", MPI_Send(data, 1, MPI_INT, 0, 0, comm)},
               {"rsend", MPI_Rsend(data, 1, MPI_INT, 0, 0, comm)},
               {"ssend", MPI_Ssend(data, 1, MPI_INT, 0, 0, comm)},
               {"bsend", MPI_Bsend(data, 1, MPI_INT, 0, 0, comm)},
               {"isend", MPI_Isend(data, 1, MPI_INT, 0, 0, comm, &request)},
               {"irsend", MPI_Irsend(data, 1, MPI_INT, 0, 0, comm, &request)},
               {"issend", MPI_Issend(data, 1, MPI_INT, 0, 0, comm, &request)},
               {"ibsend", MPI_Ibsend(data, 1, MPI_INT, 0, 0, comm, &request)},
               {"recv", MPI_Recv(data, 1, MPI_INT, 0, 0, comm, ignore)},
               {"irecv", MPI_Irecv(data, 1, MPI_INT, 0, 0, comm, &request)},
               {"sendrecv", MPI_Sendrecv(data, 1, MPI_INT, 0, 0, other, 1, MPI_INT, 0, 0, comm, ignore)},
               {"sendrecv_replace", MPI_Sendrecv_replace(data, 1, MPI_INT, 0, 0, 0, 0, comm, ignore)},
               {"probe", MPI_Probe(0, 0, comm, ignore)},
               {"iprobe", MPI_Iprobe(0, 0, comm, &flag, ignore)},
               {"barrier", MPI_Barrier(comm)},
               {"bcast", MPI_Bcast(data, 1, MPI_INT, 0, comm)},
               {"gather", MPI_Gather(data, 1, MPI_INT, other, 1, MPI_INT, 0, comm)},
               {"gatherv", MPI_Gatherv(data, 1, MPI_INT, other, ones.data(), zeros, MPI_INT, 0, comm)},
               {"scatter", MPI_Scatter(data, 1, MPI_INT, other, 1, MPI_INT, 0, comm)},
               {"scatterv", MPI_Scatterv(data, ones.data(), zeros, MPI_INT, other, 1, MPI_INT, 0, comm)},
               {"allgather", MPI_Allgather(data, 1, MPI_INT, other, 1, MPI_INT, comm)},
               {"allgatherv", MPI_Allgatherv(data, 1, MPI_INT, other, ones.data(), zeros, MPI_INT, comm)},
               {"alltoall", MPI_Alltoall(data, 1, MPI_INT, other, 1, MPI_INT, comm)},
               {"alltoallv",
                MPI_Alltoallv(data, ones.data(), zeros, MPI_INT, other, ones.data(), zeros, MPI_INT, comm)},
               {"reduce", MPI_Reduce(data, other, 1, MPI_INT, MPI_SUM, 0, comm)},
               {"allreduce", MPI_Allreduce(data, other, 1, MPI_INT, MPI_SUM, comm)},
               {"reduce_scatter", MPI_Reduce_scatter(data, other, ones.data(), MPI_INT, MPI_SUM, comm)},
               {"reduce_scatter_block", MPI_Reduce_scatter_block(data, other, 1, MPI_INT, MPI_SUM, comm)},
               {"scan", MPI_Scan(data, other, 1, MPI_INT, MPI_SUM, comm)},
               {"exscan", MPI_Exscan(data, other, 1, MPI_INT, MPI_SUM, comm)},
               {"dup", MPI_Comm_dup(comm, &out)},
               {"dup_with_info", MPI_Comm_dup_with_info(comm, MPI_INFO_NULL, &out)},
               {"create", MPI_Comm_create(comm, all, &out)},
               {"create_group", MPI_Comm_create_group(comm, all, 0, &out)},
               {"split", MPI_Comm_split(comm, 0, 0, &out)},
               {"split_type", MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &out)},
               {"cart_create", MPI_Cart_create(comm, 1, sizes, periodic, 0, &out)},
               {"cart_sub", MPI_Cart_sub(comm, periodic, &out)},
               {"graph_create", MPI_Graph_create(comm, 1, zeros, zeros, 0, &out)},
               {"dist_graph_create",
                MPI_Dist_graph_create(comm, 0, zeros, zeros, zeros, zeros, MPI_INFO_NULL, 0, &out)},
               {"dist_graph_create_adjacent", MPI_Dist_graph_create_adjacent(comm, 0, zeros, zeros, 0, zeros,
                                                                             zeros, MPI_INFO_NULL, 0, &out)},
               {"failure_ack", MPIX_Comm_failure_ack(comm)},
               {"failure_get_acked", MPIX_Comm_failure_get_acked(comm, &all)},
               {"agree", MPIX_Comm_agree(comm, &flag)},
               {"shrink", MPIX_Comm_shrink(comm, &out)},
               {"free", MPI_Comm_free(&comm)}};
  for (const auto& [name, code] : found) show_error((kind + ", " + name).c_str(), code);
}

void no_communicators(const Answers& me) {
  MPI_Comm freed;
  MPI_Comm_dup(MPI_COMM_WORLD, &freed);
  const MPI_Comm copy = freed;
  MPI_Barrier(freed);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_free(&freed);
  no_communicator(me, "null communicator", freed);
  no_communicator(me, "freed communicator", copy);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

// A request outlives its communicator, and keeps its error handler.
void freed_meanwhile(const Answers& me) {
  const std::vector<int> out = counting(100);
  std::vector<int> in(100, -1);
  MPI_Comm comm, next;
  MPI_Request requests[2];
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Irecv(in.data(), 50, MPI_INT, (me.rank + me.size - 1) % me.size, 0, comm, &requests[0]);
  MPI_Isend(out.data(), 100, MPI_INT, (me.rank + 1) % me.size, 0, comm, &requests[1]);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);  // MPICH uses this handler
  MPI_Comm_free(&comm);
  show("freed", comm == MPI_COMM_NULL);
  MPI_Comm_dup(MPI_COMM_WORLD, &next);  // may get the number of the freed one
  show_error("truncated, communicator freed", MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
  MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_free(&next);
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
  // One for the receive, each wait for one request, and the test by MPI_Request_get_status. Natively the number depends
  // on the transport of the message.
  if (emu_active() && called != before + 4) show("calls for truncated messages", called - before);
  MPI_Comm_free(&counted);
  no_communicators(me);
  freed_meanwhile(me);
  MPI_Comm_free(&returning);
  int sum = 0;  // the program continues
  MPI_Allreduce(&me.rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  show("sum", sum);
}
