// Wrong calls: each returns an error of the same class natively and emulated, and the program continues.
#include <emu/emu.h>

#include <functional>
#include <utility>

#include "answers.h"

namespace {

using Call = std::function<int()>;
using Table = std::vector<std::pair<const char*, Call>>;

int class_of(int code) {
  int found = -1;
  MPI_Error_class(code, &found);
  return found;
}

void run(const Table& table) {
  for (const auto& [name, call] : table) {
    show(name, class_of(call()));
    std::fflush(stdout);
  }
}

const MPI_Comm world = MPI_COMM_WORLD;

// The objects and buffers for the wrong calls.
struct Scene {
  explicit Scene(const Answers& me) : me(me) {
    MPI_Type_contiguous(2, MPI_INT, &uncommitted);
    MPI_Type_contiguous(2, MPI_INT, &committed);
    MPI_Type_commit(&committed);
    MPI_Comm_dup(world, &freed);
    MPI_Comm_set_errhandler(freed, MPI_ERRORS_RETURN);
    MPI_Comm copy = freed;
    MPI_Comm_free(&copy);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  }
  ~Scene() {
    MPI_Type_free(&uncommitted);
    MPI_Type_free(&committed);
  }

  const Answers& me;
  MPI_Datatype uncommitted = MPI_DATATYPE_NULL, committed = MPI_DATATYPE_NULL;
  MPI_Comm freed = MPI_COMM_NULL;
  int a[64] = {}, b[64] = {}, counts[16] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  int negative[16] = {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};
  int places[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  int flag = 0, index = 0;
  MPI_Status status;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Group group = MPI_GROUP_NULL;
};

Table sends(Scene& s) {
  int* const a = s.a;
  return {
      {"send, null communicator", [=] { return MPI_Send(a, 1, MPI_INT, 0, 0, MPI_COMM_NULL); }},
      {"send, freed communicator", [=, &s] { return MPI_Send(a, 1, MPI_INT, 0, 0, s.freed); }},
      {"send, negative count", [=] { return MPI_Send(a, -1, MPI_INT, 0, 0, world); }},
      {"send, null type", [=] { return MPI_Send(a, 1, MPI_DATATYPE_NULL, 0, 0, world); }},
      {"send, uncommitted type", [=, &s] { return MPI_Send(a, 1, s.uncommitted, 0, 0, world); }},
      {"send, rank too high", [=, &s] { return MPI_Send(a, 1, MPI_INT, s.me.size, 0, world); }},
      {"send, rank too low", [=] { return MPI_Send(a, 1, MPI_INT, -7, 0, world); }},
      {"send, any source", [=] { return MPI_Send(a, 1, MPI_INT, MPI_ANY_SOURCE, 0, world); }},
      {"send, negative tag", [=] { return MPI_Send(a, 1, MPI_INT, 0, -3, world); }},
      {"send, any tag", [=] { return MPI_Send(a, 1, MPI_INT, 0, MPI_ANY_TAG, world); }},
      {"send, null buffer", [=] { return MPI_Send(nullptr, 1, MPI_INT, 0, 0, world); }},
      {"isend, null communicator",
       [=, &s] { return MPI_Isend(a, 1, MPI_INT, 0, 0, MPI_COMM_NULL, &s.request); }},
      {"isend, null request", [=] { return MPI_Isend(a, 1, MPI_INT, 0, 0, world, nullptr); }},
      {"isend, uncommitted type",
       [=, &s] { return MPI_Isend(a, 1, s.uncommitted, 0, 0, world, &s.request); }},
      {"ssend, negative count", [=] { return MPI_Ssend(a, -1, MPI_INT, 0, 0, world); }},
      {"rsend, negative tag", [=] { return MPI_Rsend(a, 1, MPI_INT, 0, -3, world); }},
      {"bsend, no buffer", [=] { return MPI_Bsend(a, 1, MPI_INT, MPI_PROC_NULL, 0, world); }},
      {"bsend, no buffer, to itself", [=, &s] { return MPI_Bsend(a, 1, MPI_INT, s.me.rank, 0, world); }},
      {"ibsend, no buffer", [=, &s] { return MPI_Ibsend(a, 1, MPI_INT, s.me.rank, 0, world, &s.request); }},
      {"send_init, negative count",
       [=, &s] { return MPI_Send_init(a, -1, MPI_INT, 0, 0, world, &s.request); }},
      {"send_init, null request", [=] { return MPI_Send_init(a, 1, MPI_INT, 0, 0, world, nullptr); }},
      {"recv, null communicator",
       [=, &s] { return MPI_Recv(a, 1, MPI_INT, 0, 0, MPI_COMM_NULL, &s.status); }},
      {"recv, negative count", [=, &s] { return MPI_Recv(a, -1, MPI_INT, 0, 0, world, &s.status); }},
      {"recv, rank too high", [=, &s] { return MPI_Recv(a, 1, MPI_INT, s.me.size, 0, world, &s.status); }},
      {"recv, negative tag", [=, &s] { return MPI_Recv(a, 1, MPI_INT, 0, -3, world, &s.status); }},
      {"recv, null status", [=] { return MPI_Recv(a, 1, MPI_INT, MPI_PROC_NULL, 0, world, nullptr); }},
      {"recv, null buffer", [=, &s] { return MPI_Recv(nullptr, 1, MPI_INT, 0, 0, world, &s.status); }},
      {"recv, uncommitted type", [=, &s] { return MPI_Recv(a, 1, s.uncommitted, 0, 0, world, &s.status); }},
      {"irecv, null request", [=] { return MPI_Irecv(a, 1, MPI_INT, 0, 0, world, nullptr); }},
      {"recv_init, bad rank",
       [=, &s] { return MPI_Recv_init(a, 1, MPI_INT, s.me.size, 0, world, &s.request); }},
      {"sendrecv, bad destination",
       [=, &s] {
         return MPI_Sendrecv(a, 1, MPI_INT, s.me.size, 0, s.b, 1, MPI_INT, 0, 0, world, &s.status);
       }},
      {"sendrecv, bad source",
       [=, &s] {
         return MPI_Sendrecv(a, 1, MPI_INT, 0, 0, s.b, 1, MPI_INT, s.me.size, 0, world, &s.status);
       }},
      {"sendrecv_replace, negative count",
       [=, &s] { return MPI_Sendrecv_replace(a, -1, MPI_INT, 0, 0, 0, 0, world, &s.status); }},
      {"probe, bad source", [=, &s] { return MPI_Probe(s.me.size, 0, world, &s.status); }},
      {"probe, bad tag", [=, &s] { return MPI_Probe(0, -3, world, &s.status); }},
      {"iprobe, null flag", [=, &s] { return MPI_Iprobe(0, 0, world, nullptr, &s.status); }},
      {"iprobe, null communicator", [=, &s] { return MPI_Iprobe(0, 0, MPI_COMM_NULL, &s.flag, &s.status); }},
      {"mprobe, bad source", [=, &s] { return MPI_Mprobe(s.me.size, 0, world, &s.message, &s.status); }},
      {"mprobe, null message", [=, &s] { return MPI_Mprobe(MPI_PROC_NULL, 0, world, nullptr, &s.status); }},
      {"mrecv, null message", [=, &s] { return MPI_Mrecv(a, 1, MPI_INT, &s.message, &s.status); }},
  };
}

Table requests(Scene& s) {
  return {
      {"wait, null request pointer", [&] { return MPI_Wait(nullptr, &s.status); }},
      {"wait, null status", [&] { return MPI_Wait(&s.request, nullptr); }},
      {"test, null flag", [&] { return MPI_Test(&s.request, nullptr, &s.status); }},
      {"waitall, negative count", [&] { return MPI_Waitall(-1, &s.request, MPI_STATUSES_IGNORE); }},
      {"waitall, null requests", [] { return MPI_Waitall(1, nullptr, MPI_STATUSES_IGNORE); }},
      {"waitany, null index", [&] { return MPI_Waitany(1, &s.request, nullptr, &s.status); }},
      {"testall, null flag", [&] { return MPI_Testall(1, &s.request, nullptr, MPI_STATUSES_IGNORE); }},
      {"waitsome, null indices",
       [&] { return MPI_Waitsome(1, &s.request, &s.index, nullptr, MPI_STATUSES_IGNORE); }},
      {"testany, null flag", [&] { return MPI_Testany(1, &s.request, &s.index, nullptr, &s.status); }},
      {"testany, null index", [&] { return MPI_Testany(1, &s.request, nullptr, &s.flag, &s.status); }},
      {"testsome, null count",
       [&] { return MPI_Testsome(1, &s.request, nullptr, s.a, MPI_STATUSES_IGNORE); }},
      {"waitall, null statuses", [&] { return MPI_Waitall(1, &s.request, nullptr); }},
      {"test_cancelled, null flag", [&] { return MPI_Test_cancelled(&s.status, nullptr); }},
      {"get_count, null status", [&] { return MPI_Get_count(nullptr, MPI_INT, &s.index); }},
      {"get_count, null count", [&] { return MPI_Get_count(&s.status, MPI_INT, nullptr); }},
      {"improbe, null flag", [&] { return MPI_Improbe(0, 0, world, nullptr, &s.message, &s.status); }},
      {"probe, null status", [&] { return MPI_Probe(MPI_PROC_NULL, 0, world, nullptr); }},
      {"start, null request", [&] { return MPI_Start(&s.request); }},
      {"startall, negative count", [&] { return MPI_Startall(-1, &s.request); }},
      {"startall, null request", [&] { return MPI_Startall(1, &s.request); }},
      {"free, null request", [&] { return MPI_Request_free(&s.request); }},
      {"cancel, null request", [&] { return MPI_Cancel(&s.request); }},
      {"get_status, null flag", [&] { return MPI_Request_get_status(MPI_REQUEST_NULL, nullptr, &s.status); }},
      {"buffer, negative size", [&] { return MPI_Buffer_attach(s.a, -1); }},
  };
}

// A null status is an error also of a call that finds nothing. The call leaves the request and the message.
void null_statuses(const Answers& me) {
  const MPI_Comm self = MPI_COMM_SELF;
  int got = 0, sent = me.rank + 7, flag = 0, index = 0, count = 0;
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Request request;
  MPI_Irecv(&got, 1, MPI_INT, 0, 1, self, &request);
  run({
      {"test, null status", [&] { return MPI_Test(&request, &flag, nullptr); }},
      {"testany, null status", [&] { return MPI_Testany(1, &request, &index, &flag, nullptr); }},
      {"testall, null statuses", [&] { return MPI_Testall(1, &request, &flag, nullptr); }},
      {"testsome, null statuses", [&] { return MPI_Testsome(1, &request, &count, &index, nullptr); }},
      {"get_status, null status", [&] { return MPI_Request_get_status(request, &flag, nullptr); }},
      {"wait, null status, pending", [&] { return MPI_Wait(&request, nullptr); }},
      {"waitany, null status, pending", [&] { return MPI_Waitany(1, &request, &index, nullptr); }},
      {"waitall, null statuses, pending", [&] { return MPI_Waitall(1, &request, nullptr); }},
      {"waitsome, null statuses, pending",
       [&] { return MPI_Waitsome(1, &request, &count, &index, nullptr); }},
      {"iprobe, null status", [&] { return MPI_Iprobe(0, 2, self, &flag, nullptr); }},
      {"improbe, null status", [&] { return MPI_Improbe(0, 2, self, &flag, &message, nullptr); }},
  });
  MPI_Send(&sent, 1, MPI_INT, 0, 1, self);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  show("received", got);

  got = 0;
  MPI_Isend(&sent, 1, MPI_INT, 0, 2, self, &request);
  run({{"recv, null status, a message", [&] { return MPI_Recv(&got, 1, MPI_INT, 0, 2, self, nullptr); }}});
  show("nothing yet", got);
  MPI_Recv(&got, 1, MPI_INT, 0, 2, self, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  show("received", got);
}

// MPICH 4.0.2 treats a negative count in MPI_Allreduce and MPI_Reduce_scatter_block as 0, and MPI_Scan fails after its
// checks.
Table collectives(Scene& s) {
  int *const a = s.a, *const b = s.b;
  return {
      {"barrier, null communicator", [] { return MPI_Barrier(MPI_COMM_NULL); }},
      {"barrier, freed communicator", [&] { return MPI_Barrier(s.freed); }},
      {"ibarrier, null communicator", [&] { return MPI_Ibarrier(MPI_COMM_NULL, &s.request); }},
      {"bcast, null communicator", [=] { return MPI_Bcast(a, 1, MPI_INT, 0, MPI_COMM_NULL); }},
      {"bcast, negative count", [=] { return MPI_Bcast(a, -1, MPI_INT, 0, world); }},
      {"bcast, root too high", [=, &s] { return MPI_Bcast(a, 1, MPI_INT, s.me.size, world); }},
      {"bcast, root too low", [=] { return MPI_Bcast(a, 1, MPI_INT, -1, world); }},
      {"bcast, null type", [=] { return MPI_Bcast(a, 1, MPI_DATATYPE_NULL, 0, world); }},
      {"bcast, uncommitted type", [=, &s] { return MPI_Bcast(a, 1, s.uncommitted, 0, world); }},
      {"bcast, null buffer", [=] { return MPI_Bcast(nullptr, 1, MPI_INT, 0, world); }},
      {"gather, bad root", [=, &s] { return MPI_Gather(a, 1, MPI_INT, b, 1, MPI_INT, s.me.size, world); }},
      {"gather, negative count", [=] { return MPI_Gather(a, -1, MPI_INT, b, 1, MPI_INT, 0, world); }},
      {"gather, aliased",
       [=, &s] { return MPI_Gather(a, 1, MPI_INT, a, 1, MPI_INT, s.me.rank, MPI_COMM_SELF); }},
      {"gatherv, negative count",
       [=, &s] { return MPI_Gatherv(a, -1, MPI_INT, b, s.counts, s.places, MPI_INT, 0, world); }},
      {"scatter, bad root", [=, &s] { return MPI_Scatter(a, 1, MPI_INT, b, 1, MPI_INT, s.me.size, world); }},
      {"scatter, null type", [=] { return MPI_Scatter(a, 1, MPI_INT, b, 1, MPI_DATATYPE_NULL, 0, world); }},
      {"allgather, negative count", [=] { return MPI_Allgather(a, 1, MPI_INT, b, -1, MPI_INT, world); }},
      {"allgather, aliased", [=] { return MPI_Allgather(a, 1, MPI_INT, a, 1, MPI_INT, MPI_COMM_SELF); }},
      {"allgather, uncommitted type",
       [=, &s] { return MPI_Allgather(a, 1, s.uncommitted, b, 1, s.uncommitted, world); }},
      {"allgatherv, negative count",
       [=, &s] { return MPI_Allgatherv(a, 1, MPI_INT, b, s.negative, s.places, MPI_INT, world); }},
      {"alltoall, negative count", [=] { return MPI_Alltoall(a, -1, MPI_INT, b, -1, MPI_INT, world); }},
      {"alltoall, aliased", [=] { return MPI_Alltoall(a, 1, MPI_INT, a, 1, MPI_INT, MPI_COMM_SELF); }},
      {"alltoallv, negative count",
       [=, &s] {
         return MPI_Alltoallv(a, s.negative, s.places, MPI_INT, b, s.negative, s.places, MPI_INT, world);
       }},
      {"reduce, bad root", [=, &s] { return MPI_Reduce(a, b, 1, MPI_INT, MPI_SUM, s.me.size, world); }},
      {"reduce, null operation", [=] { return MPI_Reduce(a, b, 1, MPI_INT, MPI_OP_NULL, 0, world); }},
      {"reduce, aliased", [=] { return MPI_Reduce(a, a, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_SELF); }},
      {"allreduce, aliased", [=] { return MPI_Allreduce(a, a, 1, MPI_INT, MPI_SUM, world); }},
      {"allreduce, operation of other types",
       [=] { return MPI_Allreduce(a, b, 1, MPI_DOUBLE, MPI_BAND, world); }},
      {"allreduce, pairs' operation", [=] { return MPI_Allreduce(a, b, 1, MPI_INT, MPI_MAXLOC, world); }},
      {"allreduce, sum of bytes", [=] { return MPI_Allreduce(a, b, 1, MPI_BYTE, MPI_SUM, world); }},
      {"allreduce, derived type", [=, &s] { return MPI_Allreduce(a, b, 1, s.committed, MPI_SUM, world); }},
      {"allreduce, replace", [=] { return MPI_Allreduce(a, b, 1, MPI_INT, MPI_REPLACE, world); }},
      {"iallreduce, null request", [=] { return MPI_Iallreduce(a, b, 1, MPI_INT, MPI_SUM, world, nullptr); }},
      {"reduce_scatter, negative count",
       [=, &s] { return MPI_Reduce_scatter(a, b, s.negative, MPI_INT, MPI_SUM, world); }},
      {"scan, aliased", [=] { return MPI_Scan(a, a, 1, MPI_INT, MPI_SUM, world); }},
      {"exscan, null operation", [=] { return MPI_Exscan(a, b, 1, MPI_INT, MPI_OP_NULL, world); }},
      {"reduce, operation of other types",
       [=] { return MPI_Reduce(a, b, 1, MPI_DOUBLE, MPI_BOR, 0, world); }},
      {"reduce_scatter, operation of other types",
       [=, &s] { return MPI_Reduce_scatter(a, b, s.counts, MPI_DOUBLE, MPI_BXOR, world); }},
      {"reduce_scatter_block, operation of other types",
       [=] { return MPI_Reduce_scatter_block(a, b, 1, MPI_DOUBLE, MPI_BAND, world); }},
      {"scan, operation of other types", [=] { return MPI_Scan(a, b, 1, MPI_DOUBLE, MPI_BAND, world); }},
      {"exscan, pairs' operation", [=] { return MPI_Exscan(a, b, 1, MPI_DOUBLE, MPI_MINLOC, world); }},
      {"ireduce, operation of other types",
       [=, &s] { return MPI_Ireduce(a, b, 1, MPI_DOUBLE, MPI_BAND, 0, world, &s.request); }},
      {"neighbours without topology",
       [=] { return MPI_Neighbor_allgather(a, 1, MPI_INT, b, 1, MPI_INT, world); }},
      {"reduce_local, operation of other types",
       [=] { return MPI_Reduce_local(a, b, 1, MPI_DOUBLE, MPI_BAND); }},
  };
}

Table communicators(Scene& s) {
  return {
      {"rank, null communicator", [&] { return MPI_Comm_rank(MPI_COMM_NULL, &s.index); }},
      {"rank, null pointer", [] { return MPI_Comm_rank(world, nullptr); }},
      {"size, freed communicator", [&] { return MPI_Comm_size(s.freed, &s.index); }},
      {"dup, null communicator", [&] { return MPI_Comm_dup(MPI_COMM_NULL, &s.comm); }},
      {"dup, null pointer", [] { return MPI_Comm_dup(world, nullptr); }},
      {"idup, null communicator", [&] { return MPI_Comm_idup(MPI_COMM_NULL, &s.comm, &s.request); }},
      {"split, negative colour", [&] { return MPI_Comm_split(world, -5, 0, &s.comm); }},
      {"split, colour below undefined", [&] { return MPI_Comm_split(world, -40000, 0, &s.comm); }},
      {"split, null communicator", [&] { return MPI_Comm_split(MPI_COMM_NULL, 0, 0, &s.comm); }},
      {"create, null group", [&] { return MPI_Comm_create(world, MPI_GROUP_NULL, &s.comm); }},
      {"free, null communicator",
       [&] {
         MPI_Comm null = MPI_COMM_NULL;
         return MPI_Comm_free(&null);
       }},
      {"remote size of no intercommunicator", [&] { return MPI_Comm_remote_size(world, &s.index); }},
      {"group, null communicator", [&] { return MPI_Comm_group(MPI_COMM_NULL, &s.group); }},
      {"group size, null group", [&] { return MPI_Group_size(MPI_GROUP_NULL, &s.index); }},
      {"cart, too few ranks",
       [&] {
         const int dims[] = {1000}, periods[] = {0};
         return MPI_Cart_create(world, 1, dims, periods, 0, &s.comm);
       }},
      // More points than an int can count. MPICH 4.0.2 treats it as an empty grid.
      {"cart of 65536 x 65536",
       [&s] {
         const int dims[] = {65536, 65536}, periods[] = {0, 0};
         return emu_active() ? MPI_Cart_create(world, 2, dims, periods, 0, &s.comm) : MPI_ERR_ARG;
       }},
      {"coordinates without topology", [&] { return MPI_Cart_coords(world, 0, 1, s.a); }},
      {"compare, null communicator", [&] { return MPI_Comm_compare(world, MPI_COMM_NULL, &s.index); }},
      {"abort-free errhandler, null communicator",
       [] { return MPI_Comm_set_errhandler(MPI_COMM_NULL, MPI_ERRORS_RETURN); }},
  };
}

Table sessions(Scene& s) {
  return {
      {"group from no session",
       [&s] { return MPI_Group_from_session_pset(MPI_SESSION_NULL, "mpi://WORLD", &s.group); }},
      {"process set of no session",
       [] {
         MPI_Info info;
         return MPI_Session_get_pset_info(MPI_SESSION_NULL, "mpi://WORLD", &info);
       }},
      {"number of process sets of no session",
       [&s] { return MPI_Session_get_num_psets(MPI_SESSION_NULL, MPI_INFO_NULL, &s.flag); }},
  };
}

// A message that ends inside an element, and one that does not fit.
Table of_other_lengths(Scene& s) {
  const auto to_itself = [&s](int sent, MPI_Datatype as, int room, MPI_Datatype type) {
    MPI_Request request;
    MPI_Isend(s.a, sent, as, s.me.rank, 9, world, &request);
    const int code = MPI_Recv(s.b, room, type, s.me.rank, 9, world, &s.status);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return code;
  };
  return {
      {"3 bytes into an int", [=] { return to_itself(3, MPI_BYTE, 1, MPI_INT); }},
      {"5 bytes into two ints", [=] { return to_itself(5, MPI_BYTE, 2, MPI_INT); }},
      {"2 ints into one", [=] { return to_itself(2, MPI_INT, 1, MPI_INT); }},
      {"an int into 3 bytes", [=] { return to_itself(1, MPI_INT, 3, MPI_BYTE); }},
      {"gather of more than there is room for",
       [&s] { return MPI_Gather(s.a, 2, MPI_INT, s.b, 1, MPI_INT, 0, MPI_COMM_SELF); }},
      {"allgather of more than there is room for",
       [&s] { return MPI_Allgather(s.a, 2, MPI_INT, s.b, 1, MPI_INT, MPI_COMM_SELF); }},
      {"alltoall of more than there is room for",
       [&s] { return MPI_Alltoall(s.a, 2, MPI_INT, s.b, 1, MPI_INT, MPI_COMM_SELF); }},
      {"scatter of more than there is room for",
       [&s] { return MPI_Scatter(s.a, 2, MPI_INT, s.b, 1, MPI_INT, 0, MPI_COMM_SELF); }},
  };
}

// A message longer than its buffer, in collectives of several ranks. Each rank reports its error.
void of_other_lengths(const Answers& me) {
  int data[8] = {};
  const int n = me.rank == 0 ? 8 : 4;
  show("bcast of 8 into 4", class_of(MPI_Bcast(data, n, MPI_INT, 0, world)));
  MPI_Barrier(world);
}

}  // namespace

int main(int argc, char** argv) {
  const Answers me(&argc, &argv);
  MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
  Scene scene(me);
  run(sends(scene));
  run(requests(scene));
  null_statuses(me);
  run(collectives(scene));
  run(communicators(scene));
  run(sessions(scene));
  run(of_other_lengths(scene));
  of_other_lengths(me);
}
