// Point-to-point: every send mode, sends to itself and to MPI_PROC_NULL, any tag, probes, and the contents of the
// status.
#include "answers.h"

namespace {

const std::vector<int> sizes{0, 1, 3, 257, 20000};

template <class Send>
void pass_on(const Answers& me, const char* name, Send send) {
  for (const int n : sizes) {
    const std::vector<int> out = counting(static_cast<std::size_t>(n), me.rank * 7);
    std::vector<int> in(static_cast<std::size_t>(n) + 2, -1);
    MPI_Request request;
    MPI_Status status;
    const int right = (me.rank + 1) % me.size, left = (me.rank + me.size - 1) % me.size;
    MPI_Irecv(in.data(), n + 2, MPI_INT, left, n, MPI_COMM_WORLD, &request);
    MPI_Barrier(MPI_COMM_WORLD);  // the receive is posted: ready mode is allowed
    send(out.data(), n, MPI_INT, right, n, MPI_COMM_WORLD);
    MPI_Wait(&request, &status);
    show(name, in);
    show(name, status, MPI_INT);
  }
}

template <class Isend>
auto finished(Isend isend) {
  return [isend](const void* data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
    MPI_Request request;
    isend(data, n, type, to, tag, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    show("null when complete", request == MPI_REQUEST_NULL);
  };
}

void modes(const Answers& me) {
  pass_on(me, "send", MPI_Send);
  pass_on(me, "ssend", MPI_Ssend);
  pass_on(me, "rsend", MPI_Rsend);
  pass_on(me, "isend", finished(MPI_Isend));
  pass_on(me, "issend", finished(MPI_Issend));
  pass_on(me, "irsend", finished(MPI_Irsend));
  pass_on(me, "send, large count", MPI_Send_c);
  pass_on(me, "ssend, large count", MPI_Ssend_c);
  pass_on(me, "rsend, large count", MPI_Rsend_c);
  pass_on(me, "isend, large count", finished(MPI_Isend_c));
  pass_on(me, "issend, large count", finished(MPI_Issend_c));
  pass_on(me, "irsend, large count", finished(MPI_Irsend_c));
  std::vector<char> buffer(2 * (80000 + MPI_BSEND_OVERHEAD));
  MPI_Buffer_attach(buffer.data(), static_cast<int>(buffer.size()));
  void* back = nullptr;
  int size = 0;
  const auto bsend = [&](const void* data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
    std::vector<int> copy(static_cast<const int*>(data), static_cast<const int*>(data) + n);
    MPI_Bsend(copy.data(), n, type, to, tag, comm);
    copy.assign(copy.size(), -5);     // the buffer may be reused at once
    MPI_Buffer_detach(&back, &size);  // waits until all messages are sent
    MPI_Buffer_attach(back, size);
  };
  pass_on(me, "bsend", bsend);
  pass_on(me, "ibsend", finished(MPI_Ibsend));
  pass_on(me, "ibsend, large count", finished(MPI_Ibsend_c));
  MPI_Buffer_detach(&back, &size);
  show("the buffer comes back", back == buffer.data() && size == static_cast<int>(buffer.size()));
}

// All ranks send before any receives, which only buffered sends make safe.
void buffered_by_all(const Answers& me) {
  std::vector<char> buffer(static_cast<std::size_t>(me.size) * (40000 + MPI_BSEND_OVERHEAD));
  MPI_Buffer_attach(buffer.data(), static_cast<int>(buffer.size()));
  for (int to = 0; to < me.size; ++to)
    MPI_Bsend(counting(10000, me.rank + to).data(), 10000, MPI_INT, to, 4, MPI_COMM_WORLD);
  for (int from = me.size - 1; from >= 0; --from) {
    std::vector<int> in(10000);
    MPI_Recv(in.data(), 10000, MPI_INT, from, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    show(numbered("buffered from", from), in);
  }
  void* back;
  int size;
  MPI_Buffer_detach(&back, &size);
}

void to_oneself(const Answers& me) {
  for (const MPI_Comm comm : {MPI_COMM_WORLD, MPI_COMM_SELF}) {
    const int self = comm == MPI_COMM_SELF ? 0 : me.rank;
    for (const int n : sizes) {
      const std::vector<int> out = counting(static_cast<std::size_t>(n), me.rank);
      std::vector<int> in(out.size(), -1), both = out;
      MPI_Request request;
      MPI_Status status;
      MPI_Isend(out.data(), n, MPI_INT, self, 1, comm, &request);
      MPI_Recv(in.data(), n, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &status);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      show("self", in);
      show("self", status, MPI_INT);
      MPI_Irecv(in.data(), n, MPI_INT, self, 2, comm, &request);
      MPI_Ssend(out.data(), n, MPI_INT, self, 2, comm);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      MPI_Sendrecv_replace(both.data(), n, MPI_INT, self, 3, self, 3, comm, &status);
      show("self, replaced", both);
    }
  }
}

void to_nobody(const Answers&) {
  int in[] = {41, 42}, flag = 0;
  MPI_Status status;
  MPI_Request request;
  MPI_Send(in, 2, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
  MPI_Ssend(in, 2, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
  MPI_Recv(in, 2, MPI_INT, MPI_PROC_NULL, 7, MPI_COMM_WORLD, &status);
  show("nobody, recv", status, MPI_INT);
  MPI_Irecv(in, 2, MPI_INT, MPI_PROC_NULL, 7, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, &status);
  status.MPI_SOURCE = status.MPI_TAG = 0;  // MPICH 4.0.2 does not set them here
  show("nobody, irecv", status, MPI_INT);
  MPI_Isend(in, 2, MPI_INT, MPI_PROC_NULL, 7, MPI_COMM_WORLD, &request);
  MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  show("nobody, isend complete", flag);
  MPI_Probe(MPI_PROC_NULL, 7, MPI_COMM_WORLD, &status);
  show("nobody, probe", status, MPI_INT);
  MPI_Iprobe(MPI_PROC_NULL, 7, MPI_COMM_WORLD, &flag, &status);
  show("nobody, iprobe", status, MPI_INT);
  MPI_Sendrecv(in, 1, MPI_INT, MPI_PROC_NULL, 0, in + 1, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD,
               &status);
  show("nobody, sendrecv", status, MPI_INT);
  MPI_Sendrecv_replace(in, 2, MPI_INT, MPI_PROC_NULL, 0, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &status);
  show("nobody, replace", status, MPI_INT);
  show("nobody, untouched", in, 2);
}

// Order by tag, by any tag, and probes that find length and tag.
void tags(const Answers& me) {
  const std::vector<int> out = counting(6, 1);
  MPI_Request requests[6];
  if (me.rank == 0) {
    for (int tag = 1; tag <= 6; ++tag)
      MPI_Isend(out.data(), tag, MPI_INT, 1, tag, MPI_COMM_WORLD, &requests[tag - 1]);
    MPI_Waitall(6, requests, MPI_STATUSES_IGNORE);
  }
  if (me.rank != 1) return;
  int in[6] = {}, flag = 0;
  MPI_Status status;
  const auto receive = [&](int tag) {
    MPI_Recv(in, 6, MPI_INT, 0, tag, MPI_COMM_WORLD, &status);
    show("tag", status, MPI_INT);
    show("tag", status, MPI_DOUBLE);  // not always a whole number of doubles
  };
  receive(4);
  receive(MPI_ANY_TAG);
  MPI_Probe(0, 5, MPI_COMM_WORLD, &status);
  show("probed", status, MPI_INT);
  MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
  show("probed any", status, MPI_INT);
  while (!flag) MPI_Iprobe(0, 6, MPI_COMM_WORLD, &flag, &status);
  show("iprobed", status, MPI_INT);
  MPI_Iprobe(0, 4, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
  show("iprobe of what is gone", flag);
  for (int i = 0; i < 4; ++i) receive(MPI_ANY_TAG);
}

}  // namespace

int main(int argc, char** argv) {
  const Answers me(&argc, &argv);
  modes(me);
  buffered_by_all(me);
  to_oneself(me);
  to_nobody(me);
  if (me.size > 1) tags(me);
}
