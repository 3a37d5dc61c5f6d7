// Messages with the functions whose counts have type MPI_Count; sends.cc and persistent.cc test those with int.
#include <algorithm>

#include "answers.h"

namespace {

const std::vector<MPI_Count> sizes{0, 1, 257, 20000};

struct Ring {
  explicit Ring(const Answers& me)
      : right((me.rank + 1) % me.size), left((me.rank + me.size - 1) % me.size) {}
  int right, left;
};

void received(const Answers& me) {
  const Ring at(me);
  for (const MPI_Count n : sizes) {
    const std::vector<int> out = counting(static_cast<std::size_t>(n), me.rank * 7);
    std::vector<int> in(out.size() + 2, -1);
    MPI_Request request;
    MPI_Status status;
    MPI_Isend_c(out.data(), n, MPI_INT, at.right, 1, MPI_COMM_WORLD, &request);
    MPI_Recv_c(in.data(), n + 2, MPI_INT, at.left, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    show("recv", in);
    show("recv", status, MPI_INT);
    in.assign(in.size(), -1);
    MPI_Irecv_c(in.data(), n + 2, MPI_INT, at.left, 2, MPI_COMM_WORLD, &request);
    MPI_Send_c(out.data(), n, MPI_INT, at.right, 2, MPI_COMM_WORLD);
    MPI_Wait(&request, &status);
    show("irecv", in);
    show("irecv", status, MPI_INT);
  }
}

void exchanged(const Answers& me) {
  const Ring at(me);
  for (const MPI_Count n : sizes) {
    const std::vector<int> out = counting(static_cast<std::size_t>(n), me.rank * 11);
    std::vector<int> in(out.size() + 1, -1), both = out;
    MPI_Status status;
    MPI_Sendrecv_c(out.data(), n, MPI_INT, at.right, 3, in.data(), n + 1, MPI_INT, at.left, 3, MPI_COMM_WORLD,
                   &status);
    show("sendrecv", in);
    show("sendrecv", status, MPI_INT);
    MPI_Sendrecv_replace_c(both.data(), n, MPI_INT, at.left, 4, at.right, 4, MPI_COMM_WORLD, &status);
    show("replaced", both);
    show("replaced", status, MPI_INT);
    MPI_Request request;
    MPI_Isendrecv_replace_c(both.data(), n, MPI_INT, at.right, 5, at.left, 5, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    show("and back", both == out);
  }
}

// All ranks send before any receives.
void buffered(const Answers& me) {
  const Ring at(me);
  const MPI_Count bytes = 2 * (80000 + MPI_BSEND_OVERHEAD);
  std::vector<char> buffer(static_cast<std::size_t>(bytes));
  MPI_Buffer_attach_c(buffer.data(), bytes);
  for (const MPI_Count n : sizes) {
    std::vector<int> out = counting(static_cast<std::size_t>(n), me.rank);
    std::vector<int> in(out.size(), -1);
    MPI_Bsend_c(out.data(), n, MPI_INT, at.right, 6, MPI_COMM_WORLD);
    out.assign(out.size(), -5);  // the buffer may be reused at once
    MPI_Recv_c(in.data(), n, MPI_INT, at.left, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    show("bsend", in);
  }
  void* back = nullptr;
  MPI_Count size = 0;
  MPI_Buffer_detach_c(&back, &size);
  show("the buffer comes back", back == buffer.data() && size == bytes);
}

void started_again(const Answers& me) {
  const Ring at(me);
  std::vector<int> out(500), in(501, -1);
  MPI_Request requests[2];
  MPI_Send_init_c(out.data(), 500, MPI_INT, at.right, 7, MPI_COMM_WORLD, &requests[0]);
  MPI_Recv_init_c(in.data(), 501, MPI_INT, at.left, 7, MPI_COMM_WORLD, &requests[1]);
  for (int round = 0; round < 3; ++round) {
    const std::vector<int> values = counting(out.size(), 100 * me.rank + round);
    std::copy(values.begin(), values.end(), out.begin());
    MPI_Status statuses[2];
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, statuses);
    show("persistent", in);
    show("persistent", statuses[1], MPI_INT);
  }
  for (MPI_Request& request : requests) MPI_Request_free(&request);
}

}  // namespace

int main(int argc, char** argv) {
  const Answers me(&argc, &argv);
  received(me);
  exchanged(me);
  buffered(me);
  started_again(me);
}
