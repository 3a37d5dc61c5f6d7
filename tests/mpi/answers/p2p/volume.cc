// Large messages, and many unexpected messages.
#include "answers.h"

namespace {

void large(const Answers& me) {
  const int n = 700'001;  // 5.6 MB
  std::vector<double> out = counting<double>(static_cast<std::size_t>(n), me.rank), in(out.size(), -1);
  const int right = (me.rank + 1) % me.size, left = (me.rank + me.size - 1) % me.size;
  MPI_Sendrecv(out.data(), n, MPI_DOUBLE, right, 0, in.data(), n, MPI_DOUBLE, left, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  show("sendrecv", in);
  MPI_Bcast(in.data(), n, MPI_DOUBLE, me.size - 1, MPI_COMM_WORLD);
  show("bcast", in);
  MPI_Allreduce(MPI_IN_PLACE, out.data(), n, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  show("allreduce", out);
  MPI_Datatype every_other;
  MPI_Type_vector(n / 2, 1, 2, MPI_DOUBLE, &every_other);
  MPI_Type_commit(&every_other);
  MPI_Sendrecv(out.data(), 1, every_other, right, 0, in.data() + 1, 1, every_other, left, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  show("every other", in);
  MPI_Type_free(&every_other);
}

// The last messages are received first, then the others in order from any source.
void unexpected(const Answers& me) {
  const int messages = 10'000;
  if (me.rank == 0) {
    std::vector<MPI_Request> requests(messages);
    std::vector<int> data = counting(messages);
    for (std::size_t i = 0; i < messages; ++i)
      MPI_Isend(&data[i], 1, MPI_INT, 1, static_cast<int>(i), MPI_COMM_WORLD, &requests[i]);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Waitall(messages, requests.data(), MPI_STATUSES_IGNORE);
    return;
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (me.rank != 1) return;
  std::vector<int> in;
  for (int i = 0; i < messages; ++i) {
    in.push_back(-1);
    const bool by_tag = i < messages / 2;
    MPI_Status status;
    MPI_Recv(&in.back(), 1, MPI_INT, by_tag ? 0 : MPI_ANY_SOURCE, by_tag ? messages - 1 - i : MPI_ANY_TAG,
             MPI_COMM_WORLD, &status);
    in.back() = in.back() * 10 + status.MPI_TAG;
  }
  show("unexpected", in);
}

void posted_before(const Answers& me) {
  const int messages = 3'000;
  std::vector<int> data = counting(messages, me.rank);
  std::vector<MPI_Request> requests;
  const int right = (me.rank + 1) % me.size, left = (me.rank + me.size - 1) % me.size;
  std::vector<int> in(messages, -1);
  for (std::size_t i = 0; i < messages; ++i) {
    requests.emplace_back();
    MPI_Irecv(&in[i], 1, MPI_INT, left, static_cast<int>(i) % 7, MPI_COMM_WORLD, &requests.back());
  }
  for (std::size_t i = 0; i < messages; ++i) {
    requests.emplace_back();
    MPI_Isend(&data[i], 1, MPI_INT, right, static_cast<int>(i) % 7, MPI_COMM_WORLD, &requests.back());
  }
  MPI_Waitall(2 * messages, requests.data(), MPI_STATUSES_IGNORE);
  show("posted before", in);
}

}  // namespace

int main(int argc, char** argv) {
  const Answers me(&argc, &argv);
  large(me);
  if (me.size > 1) unexpected(me);
  posted_before(me);
}
