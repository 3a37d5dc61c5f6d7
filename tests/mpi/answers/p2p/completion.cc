// Wait and test in all forms: indices, statuses, null requests, empty arrays, requests that are freed.
#include "answers.h"

namespace {

void show_indices(const char* name, int count, const int* indices) {
  if (count == MPI_UNDEFINED)
    show(std::string(name) + ", undefined", 1);
  else
    show(name, indices, static_cast<std::size_t>(count));
}

void nothing_to_wait_for() {
  MPI_Request none[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Status status, statuses[3];
  int index = 5, flag = 5, count = 5, indices[3];
  for (const int n : {0, 3}) {
    MPI_Waitany(n, none, &index, &status);
    show(numbered("waitany undefined", n), index == MPI_UNDEFINED);
    show("waitany empty", status, MPI_INT);
    index = 5;
    MPI_Testany(n, none, &index, &flag, &status);
    show(numbered("testany undefined", n), index == MPI_UNDEFINED);
    show("testany flag", flag);
    show("testany empty", status, MPI_INT);
    MPI_Waitsome(n, none, &count, indices, statuses);
    show_indices("waitsome", count, indices);
    MPI_Testsome(n, none, &count, indices, MPI_STATUSES_IGNORE);
    show_indices("testsome", count, indices);
    MPI_Waitall(n, none, n ? statuses : MPI_STATUSES_IGNORE);
    if (n) show("waitall empty", statuses[2], MPI_INT);
    flag = 5;
    MPI_Testall(n, none, &flag, n ? statuses : MPI_STATUSES_IGNORE);
    show("testall flag", flag);
  }
  MPI_Wait(none, &status);
  show("wait empty", status, MPI_INT);
  flag = 5;
  MPI_Test(none, &flag, &status);
  show("test flag", flag);
  show("test empty", status, MPI_INT);
  flag = 5;
  status.MPI_ERROR = 5;
  MPI_Request_get_status(MPI_REQUEST_NULL, &flag, &status);
  show("get_status empty", status, MPI_INT);
  show("its flag and error", std::vector<int>{flag, status.MPI_ERROR});
  MPI_Request_get_status(MPI_REQUEST_NULL, &flag, MPI_STATUS_IGNORE);
  // Indices may be null if there are no requests.
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  show("waitsome of none", MPI_Waitsome(0, nullptr, &count, nullptr, nullptr));
  show_indices("indices", count, nullptr);
  show("testsome of none", MPI_Testsome(0, nullptr, &count, nullptr, nullptr));
  show_indices("indices", count, nullptr);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

// Rank 0 orders rank 1's messages one by one, so that indices do not depend on time.
void one_by_one(const Answers& me) {
  const int order[] = {3, 0, 2, 1};
  for (const int n : {1, 5, 3000}) {
    std::vector<int> in[4];
    MPI_Request requests[6];
    for (MPI_Request& r : requests) r = MPI_REQUEST_NULL;
    if (me.rank == 1)
      for (int i = 0; i < 4; ++i) {
        in[i].assign(static_cast<std::size_t>(n), -1);
        MPI_Irecv(in[i].data(), n, MPI_INT, 0, i, MPI_COMM_WORLD, &requests[i + 1]);
      }
    for (int step = 0; step < 4; ++step) {
      MPI_Barrier(MPI_COMM_WORLD);
      const int tag = order[step];
      if (me.rank == 0)
        MPI_Send(counting(static_cast<std::size_t>(n), tag).data(), n, MPI_INT, 1, tag, MPI_COMM_WORLD);
      if (me.rank != 1) continue;
      int index = -1, flag = 0, count = 0, indices[6];
      MPI_Status status;
      if (step == 0) MPI_Waitany(6, requests, &index, &status);
      if (step == 1)
        while (!flag) MPI_Testany(6, requests, &index, &flag, &status);
      if (step == 2) MPI_Waitsome(6, requests, &count, indices, &status);
      if (step == 3)
        while (count == 0) MPI_Testsome(6, requests, &count, indices, &status);
      if (step < 2)
        show("index", index);
      else
        show_indices("indices", count, indices);
      show("its status", status, MPI_INT);
      show("its data", in[tag]);
      show("null now", requests[tag + 1] == MPI_REQUEST_NULL);
    }
  }
}

void all_at_once(const Answers& me) {
  for (const int n : {1, 5, 3000}) {
    const auto length = static_cast<std::size_t>(n);
    std::vector<MPI_Request> requests;
    std::vector<std::vector<int>> in(static_cast<std::size_t>(me.size)), out(in);
    for (int peer = 0; peer < me.size; ++peer) {
      const auto p = static_cast<std::size_t>(peer);
      in[p].assign(length, -1);
      out[p] = counting(length, me.rank * 10 + peer);
      requests.emplace_back();
      MPI_Irecv(in[p].data(), n, MPI_INT, peer, MPI_ANY_TAG, MPI_COMM_WORLD, &requests.back());
      requests.push_back(MPI_REQUEST_NULL);
      requests.emplace_back();
      MPI_Isend(out[p].data(), n, MPI_INT, peer, me.rank, MPI_COMM_WORLD, &requests.back());
    }
    std::vector<MPI_Status> statuses(requests.size());
    int flag = 0;
    const int count = static_cast<int>(requests.size());
    if (n == 5)
      MPI_Waitall(count, requests.data(), statuses.data());
    else
      while (!flag) MPI_Testall(count, requests.data(), &flag, statuses.data());
    for (std::size_t i = 0; i < requests.size(); i += 3) {
      show("all", statuses[i], MPI_INT);
      show("null request among them", statuses[i + 1], MPI_INT);
      show("all", in[i / 3]);
    }
  }
}

// A request that is never waited for still does its work.
void freed(const Answers& me) {
  const int right = (me.rank + 1) % me.size, left = (me.rank + me.size - 1) % me.size;
  for (const int n : {1, 3000}) {
    const std::vector<int> out = counting(static_cast<std::size_t>(n), me.rank);
    std::vector<int> in(out.size(), -1), late(out.size(), -1), early(out.size(), -1);
    MPI_Request request;
    MPI_Irecv(early.data(), n, MPI_INT, left, 4, MPI_COMM_WORLD, &request);
    MPI_Send(out.data(), n, MPI_INT, right, 4, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Request_free(&request);
    MPI_Barrier(MPI_COMM_WORLD);
    show("into a receive that was freed later", early);
    MPI_Irecv(late.data(), n, MPI_INT, left, 2, MPI_COMM_WORLD, &request);
    MPI_Request_free(&request);
    show("null when freed", request == MPI_REQUEST_NULL);
    for (const auto isend : {MPI_Isend, MPI_Issend}) {
      isend(out.data(), n, MPI_INT, right, 1, MPI_COMM_WORLD, &request);
      MPI_Request_free(&request);
      MPI_Recv(in.data(), n, MPI_INT, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      show("from a freed send", in);
    }
    MPI_Send(out.data(), n, MPI_INT, right, 2, MPI_COMM_WORLD);
    MPI_Sendrecv(nullptr, 0, MPI_INT, right, 3, nullptr, 0, MPI_INT, left, 3, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    show("into a freed receive", late);
  }
}

// A wait for messages that end inside an element: only some of its numbers are written.
void within_an_element(const Answers& me) {
  MPI_Datatype type;
  MPI_Type_vector(3, 1, 2, MPI_INT, &type);
  MPI_Type_commit(&type);
  if (me.rank == 0) MPI_Send(counting(5, 1).data(), 5, MPI_INT, 1, 0, MPI_COMM_WORLD);
  if (me.rank == 1) {
    std::vector<int> in(20, -1);
    MPI_Request request;
    MPI_Status status;
    MPI_Irecv(in.data(), 3, type, 0, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, &status);
    show("within an element", in);
    show("within an element", status, type);
  }
  MPI_Type_free(&type);
}

// Lost handles: the data have arrived when a later message of the same source has.
void overwritten(const Answers& me) {
  constexpr int count = 20;
  if (me.rank == 0)
    for (int i = 0; i < 3; ++i)
      MPI_Send(counting(count, 10 * i).data(), count, MPI_INT, 1, i, MPI_COMM_WORLD);
  if (me.rank != 1) return;
  std::vector<int> in[3];
  MPI_Request request = MPI_REQUEST_NULL;
  for (int i = 0; i < 3; ++i) {
    in[i].assign(count, -1);
    MPI_Irecv(in[i].data(), count, MPI_INT, 0, i, MPI_COMM_WORLD, &request);
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int i = 0; i < 3; ++i) show(numbered("overwritten", i), in[i]);
}

// Copied handles: they can be waited for in any order.
void copied(const Answers& me) {
  constexpr int count = 20;
  const int right = (me.rank + 1) % me.size, left = (me.rank + me.size - 1) % me.size;
  std::vector<int> in[3];
  std::vector<MPI_Request> requests;
  MPI_Request request = MPI_REQUEST_NULL;
  for (int i = 0; i < 3; ++i) {
    in[i].assign(count, -1);
    MPI_Irecv(in[i].data(), i == 1 ? count : count - 5, MPI_INT, left, i, MPI_COMM_WORLD, &request);
    requests.push_back(request);
  }
  for (int i = 0; i < 3; ++i) {
    const std::vector<int> out = counting(count, 100 * me.rank + 10 * i);
    MPI_Isend(out.data(), count - 6 - i, MPI_INT, right, i, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  for (int i = 2; i >= 0; --i) {
    MPI_Status status;
    MPI_Wait(&requests[static_cast<std::size_t>(i)], &status);
    show(numbered("copied", i), status, MPI_INT);
    show(numbered("copied", i), in[i]);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Answers me(&argc, &argv);
  nothing_to_wait_for();
  if (me.size > 1) one_by_one(me);
  all_at_once(me);
  freed(me);
  if (me.size > 1) within_an_element(me);
  if (me.size > 1) overwritten(me);
  copied(me);
}
