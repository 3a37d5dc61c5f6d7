// Collectives among neighbours in a topology.

#include <mpi.h>

#include <algorithm>
#include <vector>

#include "mpi/prepare.h"

namespace emu::mpi::prepare {

namespace {

using model::Block;
using model::Bytes;

// Ranks, or MPI_PROC_NULL: in a grid the preceding and the following one in each dimension.
Neighbors neighbors_of(const Communicator& c) {
  if (!c.topology)
    throw Error{MPI_ERR_TOPOLOGY, "the communicator has no topology, so no rank has neighbours"};
  if (const auto* own = std::get_if<Neighbors>(c.topology.get())) return *own;
  Neighbors found;
  if (const auto* graph = std::get_if<Graph>(c.topology.get())) {
    found.sources.assign(graph->edges.begin() + graph->first(c.rank),
                         graph->edges.begin() + graph->last(c.rank));
  } else {
    const auto& grid = std::get<Cartesian>(*c.topology);
    for (int direction = 0; direction < grid.dimensions(); ++direction)
      for (const int step : {-1, 1}) found.sources.push_back(grid.shifted(c.rank, direction, step));
  }
  found.destinations = found.sources;
  return found;
}

// Equal parts without gaps.
std::vector<Block> repeated(std::size_t count, Bytes bytes) {
  std::vector<Block> blocks;
  for (std::size_t i = 0; i < count; ++i) blocks.push_back({static_cast<Bytes>(i) * bytes, bytes});
  return blocks;
}

// Parts without a sender are unchanged.
void finish(CollectiveCall& call, const Neighbors& near, std::span<const Block> sends,
            std::span<const Block> receives) {
  const bool grid = std::holds_alternative<Cartesian>(*call.communicator().topology);
  call.given_in_output = std::count(near.sources.begin(), near.sources.end(), MPI_PROC_NULL) > 0;
  call.schedule = model::neighborhood(near.destinations, sends, near.sources, receives, grid);
}

void receive_equal(CollectiveCall& call, std::size_t count, void* recv, MPI_Count recv_count,
                   MPI_Datatype recv_type) {
  call.stored = recv_count * static_cast<Bytes>(count);
  call.output = elements(recv, call.stored, recv_type);
}

}  // namespace

void neighbor_allgather(CollectiveCall& call, const void* send, MPI_Count send_count, MPI_Datatype send_type,
                        void* recv, MPI_Count recv_count, MPI_Datatype recv_type) {
  const Neighbors near = neighbors_of(call.communicator());
  const std::size_t in = near.sources.size(), out = near.destinations.size();
  call.input = elements(send, send_count, send_type);
  receive_equal(call, in, recv, recv_count, recv_type);
  const std::vector<Block> sends(out, Block{0, call.input.size()});
  finish(call, near, sends, repeated(in, in ? call.output.size() / static_cast<Bytes>(in) : 0));
}

void neighbor_allgatherv(CollectiveCall& call, const void* send, MPI_Count send_count, MPI_Datatype send_type,
                         void* recv, const Numbers& counts, const Numbers& displacements,
                         MPI_Datatype recv_type) {
  const Neighbors near = neighbors_of(call.communicator());
  call.input = elements(send, send_count, send_type);
  call.outputs =
      Parts(recv, counts, displacements, static_cast<int>(near.sources.size()), type_of(recv_type));
  const std::vector<Block> sends(near.destinations.size(), Block{0, call.input.size()});
  finish(call, near, sends, call.outputs.blocks());
}

void neighbor_alltoall(CollectiveCall& call, const void* send, MPI_Count send_count, MPI_Datatype send_type,
                       void* recv, MPI_Count recv_count, MPI_Datatype recv_type) {
  const Neighbors near = neighbors_of(call.communicator());
  const std::size_t in = near.sources.size(), out = near.destinations.size();
  call.input = elements(send, send_count * static_cast<Bytes>(out), send_type);
  receive_equal(call, in, recv, recv_count, recv_type);
  finish(call, near, repeated(out, out ? call.input.size() / static_cast<Bytes>(out) : 0),
         repeated(in, in ? call.output.size() / static_cast<Bytes>(in) : 0));
}

void neighbor_alltoallv(CollectiveCall& call, const void* send, const Numbers& send_counts,
                        const Numbers& send_displacements, MPI_Datatype send_type, void* recv,
                        const Numbers& recv_counts, const Numbers& recv_displacements,
                        MPI_Datatype recv_type) {
  const Neighbors near = neighbors_of(call.communicator());
  const int in = static_cast<int>(near.sources.size()), out = static_cast<int>(near.destinations.size());
  call.inputs = Parts(send, send_counts, send_displacements, out, type_of(send_type));
  call.outputs = Parts(recv, recv_counts, recv_displacements, in, type_of(recv_type));
  finish(call, near, call.inputs.blocks(), call.outputs.blocks());
}

void neighbor_alltoallw(CollectiveCall& call, const void* send, const Numbers& send_counts,
                        const Numbers& send_displacements, const MPI_Datatype* send_types, void* recv,
                        const Numbers& recv_counts, const Numbers& recv_displacements,
                        const MPI_Datatype* recv_types) {
  const Neighbors near = neighbors_of(call.communicator());
  const int in = static_cast<int>(near.sources.size()), out = static_cast<int>(near.destinations.size());
  call.inputs = Parts(send, send_counts, send_displacements, out, send_types);
  call.outputs = Parts(recv, recv_counts, recv_displacements, in, recv_types);
  finish(call, near, call.inputs.blocks(), call.outputs.blocks());
}

}  // namespace emu::mpi::prepare
