#include "collective/prepare_inter.h"

#include <vector>

#include "model/intercollectives.h"

namespace emu::mpi::prepare::inter {

namespace {

using model::Block;
using model::Bytes;
using Side = model::InterRoot::Side;

model::Sides sides_of(const CollectiveCall& call) { return mpi::sides_of(call.communicator()); }

model::InterRoot root_of(const CollectiveCall& call, int root) {
  if (root == MPI_ROOT) return {Side::self, 0};
  if (root == MPI_PROC_NULL) return {Side::own, 0};
  const int others = call.communicator().world.size();
  if (root < 0 || root >= others)
    throw Error{MPI_ERR_ROOT, "invalid root " + std::to_string(root) + ", the other group has " +
                                  std::to_string(others) + " ranks"};
  return {Side::other, root};
}

// Sets this rank's contribution, or its result.
void give(CollectiveCall& call, const void* send, MPI_Count count, MPI_Datatype type) {
  if (send == MPI_IN_PLACE) throw Error{MPI_ERR_BUFFER, "MPI_IN_PLACE on an intercommunicator"};
  call.input = elements(send, count, type);
}
void take(CollectiveCall& call, void* recv, MPI_Count count, MPI_Datatype type) {
  if (recv == MPI_IN_PLACE) throw Error{MPI_ERR_BUFFER, "MPI_IN_PLACE on an intercommunicator"};
  call.output = elements(recv, call.stored = count, type);
}

int others(const CollectiveCall& call) { return call.communicator().world.size(); }

std::vector<Block> divided(int count, Bytes all) {
  std::vector<Block> blocks;
  for (int i = 0; i < count; ++i) blocks.push_back({all / count * i, all / count});
  return blocks;
}

}  // namespace

void barrier(CollectiveCall& call) { call.schedule = model::inter_barrier(sides_of(call)); }

void bcast(CollectiveCall& call, void* buf, MPI_Count count, MPI_Datatype type, int root) {
  const auto at = root_of(call, root);
  if (at.side == Side::own) return;
  take(call, buf, count, type);
  if (at.side == Side::self) {
    call.given_in_output = true;
    call.stored = 0;
  }
  call.schedule = model::inter_bcast(sides_of(call), at, call.output.size());
}

void gather(CollectiveCall& call, const void* send, MPI_Count send_count, MPI_Datatype send_type, void* recv,
            MPI_Count recv_count, MPI_Datatype recv_type, int root) {
  const auto at = root_of(call, root);
  Bytes block = 0;
  if (at.side == Side::other) {
    give(call, send, send_count, send_type);
    block = call.input.size();
  } else if (at.side == Side::self) {
    take(call, recv, recv_count * others(call), recv_type);
    block = call.output.size() / others(call);
  }
  call.schedule = model::inter_gather(sides_of(call), at, block);
}

void scatter(CollectiveCall& call, const void* send, MPI_Count send_count, MPI_Datatype send_type, void* recv,
             MPI_Count recv_count, MPI_Datatype recv_type, int root) {
  const auto at = root_of(call, root);
  Bytes block = 0;
  if (at.side == Side::other) {
    take(call, recv, recv_count, recv_type);
    block = call.output.size();
  } else if (at.side == Side::self) {
    give(call, send, send_count * others(call), send_type);
    block = call.input.size() / others(call);
  }
  call.schedule = model::inter_scatter(sides_of(call), at, block);
}

void gatherv(CollectiveCall& call, const void* send, MPI_Count send_count, MPI_Datatype send_type, void* recv,
             const Numbers& counts, const Numbers& displacements, MPI_Datatype recv_type, int root) {
  const auto at = root_of(call, root);
  if (at.side == Side::other) give(call, send, send_count, send_type);
  if (at.side == Side::self)
    call.outputs = Parts(recv, counts, displacements, others(call), type_of(recv_type));
  call.schedule = model::inter_gatherv(sides_of(call), at, call.input.size(), call.outputs.blocks());
}

void scatterv(CollectiveCall& call, const void* send, const Numbers& counts, const Numbers& displacements,
              MPI_Datatype send_type, void* recv, MPI_Count recv_count, MPI_Datatype recv_type, int root) {
  const auto at = root_of(call, root);
  if (at.side == Side::other) take(call, recv, recv_count, recv_type);
  if (at.side == Side::self)
    call.inputs = Parts(send, counts, displacements, others(call), type_of(send_type));
  call.schedule = model::inter_scatterv(sides_of(call), at, call.inputs.blocks(), call.output.size());
}

void allgather(CollectiveCall& call, const void* send, MPI_Count send_count, MPI_Datatype send_type,
               void* recv, MPI_Count recv_count, MPI_Datatype recv_type) {
  give(call, send, send_count, send_type);
  take(call, recv, recv_count * others(call), recv_type);
  call.schedule =
      model::inter_allgather(sides_of(call), call.input.size(), call.output.size() / others(call));
}

void allgatherv(CollectiveCall& call, const void* send, MPI_Count send_count, MPI_Datatype send_type,
                void* recv, const Numbers& counts, const Numbers& displacements, MPI_Datatype recv_type) {
  give(call, send, send_count, send_type);
  call.outputs = Parts(recv, counts, displacements, others(call), type_of(recv_type));
  call.schedule = model::inter_allgatherv(sides_of(call), call.input.size(), call.outputs.blocks());
}

void alltoall(CollectiveCall& call, const void* send, MPI_Count send_count, MPI_Datatype send_type,
              void* recv, MPI_Count recv_count, MPI_Datatype recv_type) {
  const int n = others(call);
  give(call, send, send_count * n, send_type);
  take(call, recv, recv_count * n, recv_type);
  call.schedule =
      model::inter_alltoallv(sides_of(call), divided(n, call.input.size()), divided(n, call.output.size()));
}

void alltoallv(CollectiveCall& call) {
  if (call.given_in_output) throw Error{MPI_ERR_BUFFER, "MPI_IN_PLACE on an intercommunicator"};
  call.schedule = model::inter_alltoallv(sides_of(call), call.inputs.blocks(), call.outputs.blocks());
}

void reduce(CollectiveCall& call, const void* send, void* recv, MPI_Count count, MPI_Datatype type, MPI_Op op,
            int root) {
  const auto at = root_of(call, root);
  if (at.side == Side::own) return;
  call.combine_with(op, type_of(type));
  if (at.side == Side::other)
    give(call, send, count, type);
  else
    take(call, recv, count, type);
  call.schedule = model::inter_reduce(sides_of(call), at, call.with->reduction(count));
}

void allreduce(CollectiveCall& call, const void* send, void* recv, MPI_Count count, MPI_Datatype type,
               MPI_Op op) {
  call.combine_with(op, type_of(type));
  give(call, send, count, type);
  take(call, recv, count, type);
  call.schedule = model::inter_allreduce(sides_of(call), call.with->reduction(count));
}

void reduce_scatter(CollectiveCall& call, const void* send, void* recv, const Numbers& counts,
                    MPI_Datatype type, MPI_Op op) {
  const Communicator& c = call.communicator();
  std::vector<Bytes> parts;
  Bytes all = 0;
  for (int i = 0; i < c.group.size(); ++i) {
    if (counts[i] < 0) throw Error{MPI_ERR_COUNT, "negative count " + std::to_string(counts[i])};
    parts.push_back(counts[i]);
    all += counts[i];
  }
  call.combine_with(op, type_of(type));
  give(call, send, all, type);
  take(call, recv, counts[c.rank], type);
  call.schedule = model::inter_reduce_scatter(sides_of(call), parts, call.with->reduction(0));
}

void reduce_scatter_block(CollectiveCall& call, const void* send, void* recv, MPI_Count count,
                          MPI_Datatype type, MPI_Op op) {
  call.combine_with(op, type_of(type));
  give(call, send, count * call.communicator().group.size(), type);
  take(call, recv, count, type);
  call.schedule = model::inter_reduce_scatter_block(sides_of(call), call.with->reduction(count));
}

}  // namespace emu::mpi::prepare::inter
