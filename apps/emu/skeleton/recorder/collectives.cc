// Records of collective operations.
#include "skeleton/recorder/entries.h"
#include "skeleton/recorder/recorder.h"

namespace emu::skeleton::recorded {

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

std::int64_t bytes(const Elements& e) { return bytes_of(e.count, e.type); }

Call reduction(Function function, const Elements& result, MPI_Comm comm) {
  Call call = collective(function, comm, bytes(result));
  call.unit = unit_of(result.type);
  return call;
}

bool is_root(int root, MPI_Comm comm) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  return rank == root;
}

void append(Call& to, const Blocks& blocks, MPI_Comm comm) {
  int size = 1;
  PMPI_Comm_size(comm, &size);
  for (int i = 0; i < size; ++i) to.list.push_back(bytes_of(blocks.counts[i], blocks.type));
}

Call listed(Function function, const Blocks& blocks, MPI_Comm comm) {
  Call call = collective(function, comm);
  append(call, blocks, comm);
  return call;
}

// The root has a block for each rank; other ranks have their own.
Call spread(Function function, const Blocks& all, const Elements& own, int root, MPI_Comm comm) {
  if (!is_root(root, comm)) return rooted(function, root, comm, bytes(own));
  Call call = rooted(function, root, comm, 0);
  append(call, all, comm);
  return call;
}

}  // namespace

Call barrier(MPI_Comm comm) { return collective(Function::barrier, comm); }

Call bcast(const Elements& data, int root, MPI_Comm comm) {
  return rooted(Function::bcast, root, comm, bytes(data));
}

Call reduce(const Elements& result, int root, MPI_Comm comm) {
  Call call = reduction(Function::reduce, result, comm);
  call.peer = root;
  return call;
}

Call allreduce(const Elements& result, MPI_Comm comm) { return reduction(Function::allreduce, result, comm); }

Call scan(const Elements& result, MPI_Comm comm) { return reduction(Function::scan, result, comm); }

Call exscan(const Elements& result, MPI_Comm comm) { return reduction(Function::exscan, result, comm); }

Call reduce_scatter_block(const Elements& result, MPI_Comm comm) {
  return reduction(Function::reduce_scatter_block, result, comm);
}

Call reduce_scatter(const Blocks& result, MPI_Comm comm) {
  Call call = listed(Function::reduce_scatter, result, comm);
  call.unit = unit_of(result.type);
  return call;
}

Call gather(const Elements& out, const Elements& in, int root, MPI_Comm comm) {
  return rooted(Function::gather, root, comm, bytes(is_root(root, comm) ? in : out));
}

Call gatherv(const Elements& out, const Blocks& in, int root, MPI_Comm comm) {
  return spread(Function::gatherv, in, out, root, comm);
}

Call scatter(const Elements& out, const Elements& in, int root, MPI_Comm comm) {
  return rooted(Function::scatter, root, comm, bytes(is_root(root, comm) ? out : in));
}

Call scatterv(const Blocks& out, const Elements& in, int root, MPI_Comm comm) {
  return spread(Function::scatterv, out, in, root, comm);
}

Call allgather(const Elements&, const Elements& in, MPI_Comm comm) {
  return collective(Function::allgather, comm, bytes(in));
}

Call allgatherv(const Elements&, const Blocks& in, MPI_Comm comm) {
  return listed(Function::allgatherv, in, comm);
}

Call alltoall(const Elements&, const Elements& in, MPI_Comm comm) {
  return collective(Function::alltoall, comm, bytes(in));
}

Call alltoallv(const Blocks& out, const Blocks& in, MPI_Comm comm) {
  Call call = listed(Function::alltoallv, out.address == MPI_IN_PLACE ? in : out, comm);
  append(call, in, comm);
  return call;
}

}  // namespace emu::skeleton::recorded
