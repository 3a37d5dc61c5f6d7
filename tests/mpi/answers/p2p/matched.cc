// Matched probes: no other receive gets a matched message; it is received in any order, blocking or not.
#include "answers.h"

namespace {

const std::vector<int> sizes{0, 1, 300, 20000};

void send_all(int to) {
  std::vector<std::vector<int>> out;
  std::vector<MPI_Request> requests(sizes.size());
  for (const int n : sizes) out.push_back(counting(static_cast<std::size_t>(n), n));
  for (std::size_t i = 0; i < sizes.size(); ++i)
    MPI_Isend(out[i].data(), sizes[i], MPI_INT, to, 6, MPI_COMM_WORLD, &requests[i]);
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
}

std::vector<int> room_for(const MPI_Status& status) {
  int n = 0;
  MPI_Get_count(&status, MPI_INT, &n);
  return std::vector<int>(static_cast<std::size_t>(n), -1);
}

int class_of(int code) {
  int result = -1;
  MPI_Error_class(code, &result);
  return result;
}

// Four messages from every other rank, received in the reverse order of their handles.
void backwards(const Answers& me) {
  for (int from = 1; from < me.size; ++from) {
    std::vector<MPI_Message> messages(sizes.size());
    std::vector<std::vector<int>> in;
    for (MPI_Message& message : messages) {
      MPI_Status status{};  // MPICH does not set whether it was cancelled
      MPI_Mprobe(from, MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status);
      show("found", status, MPI_INT);
      in.push_back(room_for(status));
    }
    for (std::size_t i = messages.size(); i-- > 0;) {
      MPI_Status status;
      MPI_Request request;
      const int n = static_cast<int>(in[i].size());
      if (i % 2 == 0) {
        MPI_Mrecv(in[i].data(), n, MPI_INT, &messages[i], &status);
      } else {
        MPI_Imrecv(in[i].data(), n, MPI_INT, &messages[i], &request);
        MPI_Wait(&request, &status);
      }
      show("received", in[i]);
      show("received", status, MPI_INT);
      show("null", messages[i] == MPI_MESSAGE_NULL);
    }
  }
}

// The first message is matched by a handle, so a plain receive gets the second.
void behind(const Answers& me) {
  for (int from = 1; from < me.size; ++from) {
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    int flag = 0;
    while (!flag) MPI_Improbe(from, 6, MPI_COMM_WORLD, &flag, &message, &status);
    std::vector<int> first = room_for(status), other(20000, -1);
    for (std::size_t i = 1; i < sizes.size(); ++i) {
      MPI_Recv(other.data(), 20000, MPI_INT, from, 6, MPI_COMM_WORLD, &status);
      show("behind it", status, MPI_INT);
      show("behind it", other);
    }
    MPI_Mrecv_c(first.data(), static_cast<MPI_Count>(first.size()), MPI_INT, &message, &status);
    show("the first", status, MPI_INT);
    show("the first", first);
  }
}

// A server that does not know which rank sends next.
void from_anyone(const Answers& me) {
  std::vector<long long> sums(static_cast<std::size_t>(me.size));
  for (int i = 0; i < (me.size - 1) * static_cast<int>(sizes.size()); ++i) {
    MPI_Message message;
    MPI_Status status;
    MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status);
    std::vector<int> in = room_for(status);
    MPI_Request request;
    MPI_Imrecv_c(in.data(), static_cast<MPI_Count>(in.size()), MPI_INT, &message, &request);
    MPI_Wait(&request, &status);
    for (const int value : in) sums[static_cast<std::size_t>(status.MPI_SOURCE)] += value;
  }
  show("sums", sums);
}

void nobody() {
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Status status{};
  MPI_Request request;
  int in = 5, flag = -1;
  MPI_Mprobe(MPI_PROC_NULL, 3, MPI_COMM_WORLD, &message, &status);
  show("nobody", status, MPI_INT);
  show("nobody's message", message == MPI_MESSAGE_NO_PROC);
  MPI_Mrecv(&in, 1, MPI_INT, &message, &status);
  show("nobody", status, MPI_INT);
  show("null", message == MPI_MESSAGE_NULL);
  MPI_Improbe(MPI_PROC_NULL, 3, MPI_COMM_WORLD, &flag, &message, &status);
  show("flag", flag);
  MPI_Imrecv(&in, 1, MPI_INT, &message, &request);
  MPI_Wait(&request, &status);
  show("nobody", status, MPI_INT);
  show("untouched", in);
  MPI_Improbe(MPI_ANY_SOURCE, 999, MPI_COMM_WORLD, &flag, &message, &status);
  show("nothing there", flag);
}

void too_long(const Answers& me) {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (me.rank != 0) {
    MPI_Send(counting(4).data(), 4, MPI_INT, 0, 9, MPI_COMM_WORLD);
    return;
  }
  for (int from = 1; from < me.size; ++from) {
    MPI_Message message;
    MPI_Mprobe(from, 9, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    int in[2] = {-1, -1};
    show("too long", class_of(MPI_Mrecv(in, 2, MPI_INT, &message, MPI_STATUS_IGNORE)));
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Answers me(&argc, &argv);
  for (int round = 0; round < 3; ++round) {
    if (me.rank != 0)
      send_all(0);
    else if (round == 0)
      backwards(me);
    else if (round == 1)
      behind(me);
    else
      from_anyone(me);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  nobody();
  too_long(me);
}
