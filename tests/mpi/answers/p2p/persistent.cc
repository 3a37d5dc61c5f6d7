// Persistent requests: started repeatedly with different data, their state in between, and objects that may be freed
// meanwhile. Also queries of a request's status that do not complete it.
#include <numeric>

#include "answers.h"

namespace {

constexpr int rounds = 4;

template <class Init>
void around(const Answers& me, const char* name, Init init) {
  for (const int n : {0, 1, 300, 20000}) {
    const int right = (me.rank + 1) % me.size, left = (me.rank + me.size - 1) % me.size;
    std::vector<int> out(static_cast<std::size_t>(n)), in(out.size() + 1, -1);
    MPI_Request requests[2];
    MPI_Status statuses[2];
    MPI_Recv_init(in.data(), n + 1, MPI_INT, left, 3, MPI_COMM_WORLD, &requests[0]);
    init(out.data(), n, MPI_INT, right, 3, MPI_COMM_WORLD, &requests[1]);
    for (int round = 0; round < rounds; ++round) {
      std::iota(out.begin(), out.end(), me.rank * 10 + round);
      MPI_Start(&requests[0]);
      MPI_Barrier(MPI_COMM_WORLD);  // the receive is posted: ready mode is allowed
      MPI_Start(&requests[1]);
      MPI_Waitall(2, requests, statuses);
      show(name, in);
      show(name, statuses[0], MPI_INT);
      show("they stay", requests[0] != MPI_REQUEST_NULL && requests[1] != MPI_REQUEST_NULL);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    show("freed", requests[0] == MPI_REQUEST_NULL && requests[1] == MPI_REQUEST_NULL);
  }
}

void modes(const Answers& me) {
  around(me, "send", MPI_Send_init);
  around(me, "ssend", MPI_Ssend_init);
  around(me, "rsend", MPI_Rsend_init);
  around(me, "send, large count", MPI_Send_init_c);
  around(me, "ssend, large count", MPI_Ssend_init_c);
  around(me, "rsend, large count", MPI_Rsend_init_c);
  std::vector<char> buffer(2 * (80000 + MPI_BSEND_OVERHEAD));
  MPI_Buffer_attach_c(buffer.data(), static_cast<MPI_Count>(buffer.size()));
  around(me, "bsend", MPI_Bsend_init);
  around(me, "bsend, large count", MPI_Bsend_init_c);
  void* back = nullptr;
  MPI_Count size = 0;
  MPI_Buffer_detach_c(&back, &size);
  show("the buffer comes back", back == buffer.data() && size == static_cast<MPI_Count>(buffer.size()));
}

void show_all_ways_to_end_nothing(MPI_Request request) {
  int flag = -1, index = -1, count = -1;
  MPI_Status status;
  MPI_Test(&request, &flag, &status);
  show("test", flag);
  show("test", status, MPI_INT);
  MPI_Wait(&request, &status);
  show("wait", status, MPI_INT);
  MPI_Testany(1, &request, &index, &flag, &status);
  show("testany", flag * 10 + (index == MPI_UNDEFINED));
  MPI_Waitany(1, &request, &index, &status);
  show("waitany", index == MPI_UNDEFINED);
  MPI_Waitsome(1, &request, &count, &index, &status);
  show("waitsome", count == MPI_UNDEFINED);
  MPI_Testall(1, &request, &flag, &status);
  show("testall", flag);
  MPI_Request_get_status(request, &flag, &status);
  show("get_status", flag);
  show("get_status", status, MPI_INT);
  show("null", request == MPI_REQUEST_NULL);
}

// Between two starts the request is inactive.
void inactive(const Answers& me) {
  int out = me.rank, in[2] = {-1, -1};
  MPI_Request requests[3];
  MPI_Recv_init(&in[0], 1, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &requests[0]);
  MPI_Send_init(&out, 1, MPI_INT, MPI_PROC_NULL, 5, MPI_COMM_WORLD, &requests[1]);
  show_all_ways_to_end_nothing(requests[0]);
  show_all_ways_to_end_nothing(MPI_REQUEST_NULL);
  MPI_Startall(2, requests);
  MPI_Send(&out, 1, MPI_INT, (me.rank + 1) % me.size, 5, MPI_COMM_WORLD);
  MPI_Irecv(&in[1], 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[2]);
  for (int ended = 0; ended < 3;) {
    int count = 0, indices[3];
    MPI_Waitsome(3, requests, &count, indices, MPI_STATUSES_IGNORE);
    ended += count;
  }
  show("in", in, 2);
  show("waits for nobody", requests[2] == MPI_REQUEST_NULL);
  show_all_ways_to_end_nothing(requests[0]);
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
}

// The request keeps the datatype and the communicator.
void what_is_freed(const Answers& me) {
  const int right = (me.rank + 1) % me.size, left = (me.rank + me.size - 1) % me.size;
  // Static, because the end of a receive that is freed while in progress is unknown.
  static std::vector<int> out(300), in(300, -1);
  MPI_Datatype every_third;
  MPI_Comm comm;
  MPI_Request requests[2];
  MPI_Type_vector(100, 1, 3, MPI_INT, &every_third);
  MPI_Type_commit(&every_third);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Recv_init(in.data(), 1, every_third, left, 1, comm, &requests[0]);
  MPI_Ssend_init(out.data(), 1, every_third, right, 1, comm, &requests[1]);
  MPI_Type_free(&every_third);
  MPI_Comm_free(&comm);
  for (int round = 0; round < rounds; ++round) {
    std::iota(out.begin(), out.end(), me.rank + round);
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    show("every third", in);
  }
  // Freed while in progress, they complete nevertheless.
  MPI_Startall(2, requests);
  MPI_Request_free(&requests[0]);
  MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
  MPI_Request_free(&requests[1]);
  MPI_Barrier(MPI_COMM_WORLD);
}

void looking(const Answers& me) {
  int in = -1, flag = 0;
  MPI_Request request;
  MPI_Status status;
  MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
  MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Send(&me.rank, 1, MPI_INT, (me.rank + 1) % me.size, 40 + me.rank, MPI_COMM_WORLD);
  while (!flag) MPI_Request_get_status(request, &flag, &status);
  show("seen", in);
  show("seen", status, MPI_INT);
  show("it stays", request != MPI_REQUEST_NULL);
  MPI_Wait(&request, &status);
  show("waited for", status, MPI_INT);
}

int class_of(int code) {
  int result = -1;
  MPI_Error_class(code, &result);
  return result;
}

void wrong() {
  int in = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  show("start of null", class_of(MPI_Start(&request)));
  show("free of null", class_of(MPI_Request_free(&request)));
  show("peer", class_of(MPI_Send_init(&in, 1, MPI_INT, 1000, 0, MPI_COMM_WORLD, &request)));
  show("count", class_of(MPI_Recv_init(&in, -1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request)));
  show("tag", class_of(MPI_Recv_init(&in, 1, MPI_INT, 0, -5, MPI_COMM_WORLD, &request)));
  MPI_Irecv(&in, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request);
  show("start of one that is not persistent", class_of(MPI_Start(&request)));
}

}  // namespace

int main(int argc, char** argv) {
  const Answers me(&argc, &argv);
  modes(me);
  inactive(me);
  what_is_freed(me);
  looking(me);
  wrong();
}
