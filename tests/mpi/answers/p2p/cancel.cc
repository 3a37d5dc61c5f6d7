// Receives that are cancelled, by servers and others; and combined sends and receives with one request.
#include <emu/emu.h>

#include <algorithm>

#include "answers.h"

namespace {

int was_cancelled(const MPI_Status& status) {
  int flag = -1;
  MPI_Test_cancelled(&status, &flag);
  return flag;
}

// One receive is always posted; the last one gets no message.
void server(const Answers& me) {
  constexpr int each = 20;
  if (me.rank > 0) {
    for (int i = 0; i < each; ++i) {
      int answer = -1;
      const int question = me.rank * 100 + i;
      MPI_Send(&question, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
      MPI_Recv(&answer, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      show("answer", answer);
    }
    return;
  }
  int question = -1;
  MPI_Request request;
  MPI_Irecv(&question, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &request);
  std::vector<int> all;
  for (int i = 0; i < each * (me.size - 1); ++i) {
    MPI_Status status;
    MPI_Wait(&request, &status);
    const int answer = question + 1000;
    all.push_back(question);
    MPI_Irecv(&question, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &request);
    MPI_Send(&answer, 1, MPI_INT, status.MPI_SOURCE, 2, MPI_COMM_WORLD);
  }
  std::sort(all.begin(), all.end());
  show("questions", all);
  MPI_Status status;
  MPI_Cancel(&request);
  MPI_Wait(&request, &status);
  show("cancelled", was_cancelled(status));
  show("null", request == MPI_REQUEST_NULL);
}

// A message that a cancelled receive would have got goes to the next receive, long messages too.
void next_one_gets_it(const Answers& me, int n) {
  const int next = (me.rank + 1) % me.size, previous = (me.rank + me.size - 1) % me.size;
  const std::vector<int> mine = counting(static_cast<std::size_t>(n), me.rank);
  std::vector<int> first(mine.size(), -1), second(mine.size(), -1);
  MPI_Request requests[3];
  MPI_Status status;
  MPI_Irecv(first.data(), n, MPI_INT, previous, 7, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(second.data(), n, MPI_INT, previous, 7, MPI_COMM_WORLD, &requests[1]);
  MPI_Cancel(&requests[0]);
  MPI_Wait(&requests[0], &status);
  show("cancelled", was_cancelled(status));
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Isend(mine.data(), n, MPI_INT, next, 7, MPI_COMM_WORLD, &requests[2]);
  MPI_Wait(&requests[1], &status);
  show("cancelled", was_cancelled(status));
  show("status", status, MPI_INT);
  show("first", first);
  show("second", second);
  MPI_Wait(&requests[2], MPI_STATUS_IGNORE);
}

// A receive whose message has arrived is not cancelled.
void too_late(const Answers& me) {
  int number = -1, other = me.rank;
  MPI_Request request;
  MPI_Status status;
  MPI_Irecv(&number, 1, MPI_INT, me.rank, 8, MPI_COMM_WORLD, &request);
  MPI_Send(&other, 1, MPI_INT, me.rank, 8, MPI_COMM_WORLD);
  MPI_Request_get_status(request, &other, MPI_STATUS_IGNORE);
  while (!other) MPI_Request_get_status(request, &other, MPI_STATUS_IGNORE);
  MPI_Cancel(&request);
  MPI_Wait(&request, &status);
  show("cancelled", was_cancelled(status));
  show("got", number);
}

void persistent(const Answers& me) {
  int number = -1, sent = me.rank + 50;
  MPI_Request request;
  MPI_Status status;
  MPI_Recv_init(&number, 1, MPI_INT, me.rank, 9, MPI_COMM_WORLD, &request);
  MPI_Start(&request);
  MPI_Cancel(&request);
  MPI_Wait(&request, &status);
  show("cancelled", was_cancelled(status));
  MPI_Start(&request);
  MPI_Send(&sent, 1, MPI_INT, me.rank, 9, MPI_COMM_WORLD);
  MPI_Wait(&request, &status);
  show("cancelled", was_cancelled(status));
  show("got", number);
  MPI_Request_free(&request);
}

// MPICH 4.0.2 leaves the status of such a request unchanged.
void right(const char* name, const MPI_Status& status, int from, int tag, int n) {
  int count = -1;
  MPI_Get_count(&status, MPI_INT, &count);
  show(name, !emu_active() || (status.MPI_SOURCE == from && status.MPI_TAG == tag && count == n));
}

void exchange(const Answers& me, int n) {
  const int next = (me.rank + 1) % me.size, previous = (me.rank + me.size - 1) % me.size;
  std::vector<int> mine = counting(static_cast<std::size_t>(n), me.rank), theirs(mine.size(), -1);
  MPI_Request requests[2];
  MPI_Status statuses[2];
  MPI_Isendrecv(mine.data(), n, MPI_INT, next, 3, theirs.data(), n, MPI_INT, previous, MPI_ANY_TAG,
                MPI_COMM_WORLD, &requests[0]);
  MPI_Wait(&requests[0], &statuses[0]);
  show("exchanged", theirs);
  right("status", statuses[0], previous, 3, n);
  // Two requests at once; one answers messages of other kinds.
  MPI_Isendrecv_replace(mine.data(), n, MPI_INT, next, 4, previous, 4, MPI_COMM_WORLD, &requests[0]);
  MPI_Isendrecv_c(theirs.data(), n, MPI_INT, previous, 5, theirs.data(), 0, MPI_INT, MPI_PROC_NULL, 5,
                  MPI_COMM_WORLD, &requests[1]);
  std::vector<int> plain(mine.size(), -1);
  MPI_Recv(plain.data(), n, MPI_INT, next, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Waitall(2, requests, statuses);
  show("replaced", mine);
  right("status", statuses[0], previous, 4, n);
  show("plain", plain);
  MPI_Datatype every_second;
  MPI_Type_vector(n, 1, 2, MPI_INT, &every_second);
  MPI_Type_commit(&every_second);
  std::vector<int> wide(2 * mine.size(), -1);
  MPI_Isendrecv(mine.data(), n, MPI_INT, next, 6, wide.data(), 1, every_second, previous, 6, MPI_COMM_WORLD,
                &requests[0]);
  MPI_Type_free(&every_second);
  MPI_Wait(&requests[0], &statuses[0]);
  show("wide", wide);
}

}  // namespace

int main(int argc, char** argv) {
  const Answers me(&argc, &argv);
  server(me);
  next_one_gets_it(me, 3);
  next_one_gets_it(me, 50000);
  too_late(me);
  persistent(me);
  exchange(me, 4);
  exchange(me, 50000);
}
