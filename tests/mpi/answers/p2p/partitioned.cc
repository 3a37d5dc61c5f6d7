// Partitioned communication: partitions that become ready in any order, in different numbers
// on both sides, several times; together with other messages of the same tag; and errors.
#include <algorithm>

#include "answers.h"

namespace {

constexpr int count = 12, tag = 5;

int class_of(int code) {
  int found = -1;
  MPI_Error_class(code, &found);
  return found;
}

struct Pair {
  MPI_Request requests[2];  // receive and send
  std::vector<int> mine = std::vector<int>(count), got = std::vector<int>(count);

  // `out`, `in`: number of partitions sent and received.
  Pair(const Answers& me, MPI_Comm comm, int out, int in) {
    const int to = (me.rank + 1) % me.size, from = (me.rank + me.size - 1) % me.size;
    MPI_Precv_init(got.data(), in, count / in, MPI_INT, from, tag, comm, MPI_INFO_NULL, &requests[0]);
    MPI_Psend_init(mine.data(), out, count / out, MPI_INT, to, tag, comm, MPI_INFO_NULL, &requests[1]);
  }
  void change(int first) {
    std::ranges::copy(counting(count, first), mine.begin());
    std::fill(got.begin(), got.end(), -1);
  }
  void finish(const char* what) {
    MPI_Status statuses[2];
    MPI_Waitall(2, requests, statuses);
    show(what, statuses[0], MPI_INT);
    show(what, got);
  }
  ~Pair() {
    for (MPI_Request& request : requests) MPI_Request_free(&request);
  }
};

void in_any_order(const Answers& me) {
  Pair pair(me, MPI_COMM_WORLD, 4, 3);
  for (int time = 0; time < 3; ++time) {
    pair.change(me.rank * 1000 + time * 100);
    MPI_Startall(2, pair.requests);
    int list[] = {3, 0}, there = 0;
    MPI_Pready_list(2, list, pair.requests[1]);
    if (time == 1) {
      MPI_Pready(2, pair.requests[1]);
      MPI_Pready(1, pair.requests[1]);
    } else {
      MPI_Pready_range(1, 2, pair.requests[1]);
    }
    for (int part = 0; time < 2 && part < 3; ++part)
      for (there = 0; !there;) MPI_Parrived(pair.requests[0], part, &there);
    pair.finish("in any order");
  }
}

// More requests of one tag than any fixed table could hold: they match in the order of their creation, whichever starts
// first.
void many(const Answers& me) {
  constexpr int pairs = 100;
  const int to = (me.rank + 1) % me.size, from = (me.rank + me.size - 1) % me.size;
  std::vector<int> mine = counting(pairs, 1000 * me.rank), got(pairs, -1);
  std::vector<MPI_Request> sends(pairs), receives(pairs);
  for (std::size_t i = 0; i < pairs; ++i) {
    MPI_Psend_init(&mine[i], 1, 1, MPI_INT, to, tag, MPI_COMM_WORLD, MPI_INFO_NULL, &sends[i]);
    MPI_Precv_init(&got[i], 1, 1, MPI_INT, from, tag, MPI_COMM_WORLD, MPI_INFO_NULL, &receives[i]);
  }
  MPI_Startall(pairs, receives.data());
  for (std::size_t i = pairs; i-- > 0;) {
    MPI_Start(&sends[i]);
    MPI_Pready(0, sends[i]);
  }
  MPI_Waitall(pairs, sends.data(), MPI_STATUSES_IGNORE);
  MPI_Waitall(pairs, receives.data(), MPI_STATUSES_IGNORE);
  show("many", got);
  for (auto* requests : {&sends, &receives})
    for (MPI_Request& request : *requests) MPI_Request_free(&request);
}

// Two partitioned messages with equal tags, and a message of another kind, which an ordinary receive gets.
void several(const Answers& me) {
  Pair first(me, MPI_COMM_WORLD, 1, 2), second(me, MPI_COMM_WORLD, 2, 1);
  first.change(me.rank * 1000);
  second.change(me.rank * 1000 + 500);
  const int to = (me.rank + 1) % me.size;
  int plain = me.rank, told = -1;
  MPI_Request request;
  MPI_Startall(2, second.requests);
  MPI_Startall(2, first.requests);
  MPI_Pready_range(0, 1, second.requests[1]);
  MPI_Pready(0, first.requests[1]);
  MPI_Isend(&plain, 1, MPI_INT, to, tag, MPI_COMM_WORLD, &request);
  MPI_Recv(&told, 1, MPI_INT, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  first.finish("first");
  second.finish("second");
  show("plain", told);
}

void wrong(const Answers& me) {
  int there = -1, none[1] = {};
  MPI_Request other;
  Pair pair(me, MPI_COMM_WORLD, 2, 2);
  show("not started", class_of(MPI_Pready(0, pair.requests[1])));
  show("receive not started", class_of(MPI_Parrived(pair.requests[0], 0, &there)));
  pair.change(0);
  MPI_Startall(2, pair.requests);
  show("no such part", class_of(MPI_Pready(2, pair.requests[1])));
  show("no such part of a receive", class_of(MPI_Parrived(pair.requests[0], 7, &there)));
  show("range", class_of(MPI_Pready_range(1, 0, pair.requests[1])));
  show("list", class_of(MPI_Pready_list(-1, none, pair.requests[1])));
  show("receive ready", class_of(MPI_Pready(0, pair.requests[0])));
  show("send arrived", class_of(MPI_Parrived(pair.requests[1], 0, &there)));
  MPI_Pready_range(0, 1, pair.requests[1]);
  pair.finish("after errors");
  int* const data = pair.mine.data();
  show("parts",
       class_of(MPI_Psend_init(data, -1, 1, MPI_INT, 0, tag, MPI_COMM_WORLD, MPI_INFO_NULL, &other)));
  show("count",
       class_of(MPI_Psend_init(data, 1, -1, MPI_INT, 0, tag, MPI_COMM_WORLD, MPI_INFO_NULL, &other)));
  show("tag", class_of(MPI_Psend_init(data, 1, 1, MPI_INT, 0, -7, MPI_COMM_WORLD, MPI_INFO_NULL, &other)));
  show("any source", class_of(MPI_Precv_init(data, 1, 1, MPI_INT, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD,
                                             MPI_INFO_NULL, &other)));
  show("any tag",
       class_of(MPI_Precv_init(data, 1, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_INFO_NULL, &other)));
}

}  // namespace

int main(int argc, char** argv) {
  const Answers me(&argc, &argv);
  in_any_order(me);
  several(me);
  many(me);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  wrong(me);
}
