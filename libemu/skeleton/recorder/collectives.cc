// Collective operations. What is recorded is how many bytes each rank gives or gets.
#include <cstdio>
#include <cstdlib>

#include "skeleton/recorder/recorder.h"

using namespace emu::skeleton;

namespace {

Call collective(Function function, MPI_Comm comm, std::int64_t bytes = 0) {
  Call call;
  call.function = function;
  call.comm = recorder.number(comm);
  call.bytes = bytes;
  return call;
}

Call rooted(Function function, int root, MPI_Comm comm, std::int64_t bytes) {
  Call call = collective(function, comm, bytes);
  call.peer = root;
  return call;
}

Call reduction(Function function, int count, MPI_Datatype type, MPI_Comm comm) {
  Call call = collective(function, comm, bytes_of(count, type));
  call.unit = unit_of(type);
  return call;
}

int size_of(MPI_Comm comm) {
  int size = 1;
  PMPI_Comm_size(comm, &size);
  return size;
}

bool is_root(int root, MPI_Comm comm) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  return rank == root;
}

void append(Call& to, const int counts[], MPI_Datatype type, MPI_Comm comm) {
  for (int i = 0, size = size_of(comm); i < size; ++i) to.list.push_back(bytes_of(counts[i], type));
}

int leave_with(int code, bool recorded, const Call& call) {
  recorded ? recorder.leave(call) : recorder.leave();
  return code;
}

}  // namespace

// Calls what is next with the arguments that follow, and records `CALL`.
#define EMU_RECORD(CALL, ...)             \
  const bool recorded = recorder.enter(); \
  const int code = next(__VA_ARGS__);     \
  if (!recorded) {                        \
    recorder.leave();                     \
    return code;                          \
  }                                       \
  return leave_with(code, recorded, CALL)

extern "C" {

int MPI_Barrier(MPI_Comm comm) {
  EMU_NEXT(Barrier);
  EMU_RECORD(collective(Function::barrier, comm), comm);
}

int MPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  EMU_NEXT(Bcast);
  EMU_RECORD(rooted(Function::bcast, root, comm, bytes_of(count, type)), buffer, count, type, root, comm);
}

int MPI_Reduce(const void* out, void* in, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
  EMU_NEXT(Reduce);
  Call call = reduction(Function::reduce, count, type, comm);
  call.peer = root;
  EMU_RECORD(call, out, in, count, type, op, root, comm);
}

int MPI_Allreduce(const void* out, void* in, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  EMU_NEXT(Allreduce);
  EMU_RECORD(reduction(Function::allreduce, count, type, comm), out, in, count, type, op, comm);
}

int MPI_Scan(const void* out, void* in, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  EMU_NEXT(Scan);
  EMU_RECORD(reduction(Function::scan, count, type, comm), out, in, count, type, op, comm);
}

int MPI_Exscan(const void* out, void* in, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  EMU_NEXT(Exscan);
  EMU_RECORD(reduction(Function::exscan, count, type, comm), out, in, count, type, op, comm);
}

int MPI_Reduce_scatter_block(const void* out, void* in, int count, MPI_Datatype type, MPI_Op op,
                             MPI_Comm comm) {
  EMU_NEXT(Reduce_scatter_block);
  EMU_RECORD(reduction(Function::reduce_scatter_block, count, type, comm), out, in, count, type, op, comm);
}

int MPI_Reduce_scatter(const void* out, void* in, const int counts[], MPI_Datatype type, MPI_Op op,
                       MPI_Comm comm) {
  EMU_NEXT(Reduce_scatter);
  Call call = reduction(Function::reduce_scatter, 0, type, comm);
  if (recorder.active()) append(call, counts, type, comm);
  EMU_RECORD(call, out, in, counts, type, op, comm);
}

int MPI_Gather(const void* out, int out_count, MPI_Datatype out_type, void* in, int in_count,
               MPI_Datatype in_type, int root, MPI_Comm comm) {
  EMU_NEXT(Gather);
  EMU_RECORD(rooted(Function::gather, root, comm,
                    is_root(root, comm) ? bytes_of(in_count, in_type) : bytes_of(out_count, out_type)),
             out, out_count, out_type, in, in_count, in_type, root, comm);
}

int MPI_Gatherv(const void* out, int out_count, MPI_Datatype out_type, void* in, const int counts[],
                const int displacements[], MPI_Datatype in_type, int root, MPI_Comm comm) {
  EMU_NEXT(Gatherv);
  Call call;
  if (recorder.active()) {
    const bool here = is_root(root, comm);
    call = rooted(Function::gatherv, root, comm, here ? 0 : bytes_of(out_count, out_type));
    if (here) append(call, counts, in_type, comm);
  }
  EMU_RECORD(call, out, out_count, out_type, in, counts, displacements, in_type, root, comm);
}

int MPI_Scatter(const void* out, int out_count, MPI_Datatype out_type, void* in, int in_count,
                MPI_Datatype in_type, int root, MPI_Comm comm) {
  EMU_NEXT(Scatter);
  EMU_RECORD(rooted(Function::scatter, root, comm,
                    is_root(root, comm) ? bytes_of(out_count, out_type) : bytes_of(in_count, in_type)),
             out, out_count, out_type, in, in_count, in_type, root, comm);
}

int MPI_Scatterv(const void* out, const int counts[], const int displacements[], MPI_Datatype out_type,
                 void* in, int in_count, MPI_Datatype in_type, int root, MPI_Comm comm) {
  EMU_NEXT(Scatterv);
  Call call;
  if (recorder.active()) {
    const bool here = is_root(root, comm);
    call = rooted(Function::scatterv, root, comm, here ? 0 : bytes_of(in_count, in_type));
    if (here) append(call, counts, out_type, comm);
  }
  EMU_RECORD(call, out, counts, displacements, out_type, in, in_count, in_type, root, comm);
}

int MPI_Allgather(const void* out, int out_count, MPI_Datatype out_type, void* in, int in_count,
                  MPI_Datatype in_type, MPI_Comm comm) {
  EMU_NEXT(Allgather);
  EMU_RECORD(collective(Function::allgather, comm, bytes_of(in_count, in_type)), out, out_count, out_type, in,
             in_count, in_type, comm);
}

int MPI_Allgatherv(const void* out, int out_count, MPI_Datatype out_type, void* in, const int counts[],
                   const int displacements[], MPI_Datatype in_type, MPI_Comm comm) {
  EMU_NEXT(Allgatherv);
  Call call = collective(Function::allgatherv, comm);
  if (recorder.active()) append(call, counts, in_type, comm);
  EMU_RECORD(call, out, out_count, out_type, in, counts, displacements, in_type, comm);
}

int MPI_Alltoall(const void* out, int out_count, MPI_Datatype out_type, void* in, int in_count,
                 MPI_Datatype in_type, MPI_Comm comm) {
  EMU_NEXT(Alltoall);
  EMU_RECORD(collective(Function::alltoall, comm, bytes_of(in_count, in_type)), out, out_count, out_type, in,
             in_count, in_type, comm);
}

int MPI_Alltoallv(const void* out, const int out_counts[], const int out_displacements[],
                  MPI_Datatype out_type, void* in, const int in_counts[], const int in_displacements[],
                  MPI_Datatype in_type, MPI_Comm comm) {
  EMU_NEXT(Alltoallv);
  Call call = collective(Function::alltoallv, comm);
  if (recorder.active()) {
    append(call, out == MPI_IN_PLACE ? in_counts : out_counts, out == MPI_IN_PLACE ? in_type : out_type,
           comm);
    append(call, in_counts, in_type, comm);
  }
  EMU_RECORD(call, out, out_counts, out_displacements, out_type, in, in_counts, in_displacements, in_type,
             comm);
}

}  // extern "C"
