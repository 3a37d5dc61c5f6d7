// Entry points of collectives among neighbours in a topology.

#include <mpi.h>

#include <algorithm>
#include <vector>

#include "mpi/collective_entry.h"
#include "mpi/prepare.h"

using emu::mpi::background;
using emu::mpi::blocking;
using emu::mpi::CollectiveCall;
using emu::mpi::Entry;
using emu::mpi::persistent;
namespace prepare = emu::mpi::prepare;

namespace emu::mpi::prepare {

namespace {

using model::Block;
using model::Bytes;

// Ranks, or MPI_PROC_NULL: in a grid the ones before and behind in each dimension.
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

// Equal parts, one behind the other.
std::vector<Block> equal(std::size_t count, Bytes bytes) {
  std::vector<Block> blocks;
  for (std::size_t i = 0; i < count; ++i) blocks.push_back({static_cast<Bytes>(i) * bytes, bytes});
  return blocks;
}

// What has no sender stays as it is.
void finish(CollectiveCall& call, const Neighbors& near, std::span<const Block> sends,
            std::span<const Block> receives, bool backwards = false) {
  call.given_in_output = std::count(near.sources.begin(), near.sources.end(), MPI_PROC_NULL) > 0;
  call.schedule = model::neighborhood(near.destinations, sends, near.sources, receives, backwards);
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
  finish(call, near, sends, equal(in, in ? call.output.size() / static_cast<Bytes>(in) : 0));
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
  finish(call, near, equal(out, out ? call.input.size() / static_cast<Bytes>(out) : 0),
         equal(in, in ? call.output.size() / static_cast<Bytes>(in) : 0), true);
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

extern "C" int MPI_Neighbor_allgather(const void* send, int send_count, MPI_Datatype send_type, void* recv,
                                      int recv_count, MPI_Datatype recv_type, MPI_Comm comm) {
  const Entry entry(__func__);
  if (entry.native())
    return PMPI_Neighbor_allgather(send, send_count, send_type, recv, recv_count, recv_type, comm);
  return blocking(entry, comm, [&](CollectiveCall& call) {
    prepare::neighbor_allgather(call, send, send_count, send_type, recv, recv_count, recv_type);
  });
}

extern "C" int MPI_Neighbor_allgatherv(const void* send, int send_count, MPI_Datatype send_type, void* recv,
                                       const int counts[], const int displacements[], MPI_Datatype recv_type,
                                       MPI_Comm comm) {
  const Entry entry(__func__);
  if (entry.native())
    return PMPI_Neighbor_allgatherv(send, send_count, send_type, recv, counts, displacements, recv_type,
                                    comm);
  return blocking(entry, comm, [&](CollectiveCall& call) {
    prepare::neighbor_allgatherv(call, send, send_count, send_type, recv, counts, displacements, recv_type);
  });
}

extern "C" int MPI_Neighbor_alltoall(const void* send, int send_count, MPI_Datatype send_type, void* recv,
                                     int recv_count, MPI_Datatype recv_type, MPI_Comm comm) {
  const Entry entry(__func__);
  if (entry.native())
    return PMPI_Neighbor_alltoall(send, send_count, send_type, recv, recv_count, recv_type, comm);
  return blocking(entry, comm, [&](CollectiveCall& call) {
    prepare::neighbor_alltoall(call, send, send_count, send_type, recv, recv_count, recv_type);
  });
}

extern "C" int MPI_Neighbor_alltoallv(const void* send, const int send_counts[],
                                      const int send_displacements[], MPI_Datatype send_type, void* recv,
                                      const int recv_counts[], const int recv_displacements[],
                                      MPI_Datatype recv_type, MPI_Comm comm) {
  const Entry entry(__func__);
  if (entry.native())
    return PMPI_Neighbor_alltoallv(send, send_counts, send_displacements, send_type, recv, recv_counts,
                                   recv_displacements, recv_type, comm);
  return blocking(entry, comm, [&](CollectiveCall& call) {
    prepare::neighbor_alltoallv(call, send, send_counts, send_displacements, send_type, recv, recv_counts,
                                recv_displacements, recv_type);
  });
}

extern "C" int MPI_Neighbor_alltoallw(const void* send, const int send_counts[],
                                      const MPI_Aint send_displacements[], const MPI_Datatype send_types[],
                                      void* recv, const int recv_counts[],
                                      const MPI_Aint recv_displacements[], const MPI_Datatype recv_types[],
                                      MPI_Comm comm) {
  const Entry entry(__func__);
  if (entry.native())
    return PMPI_Neighbor_alltoallw(send, send_counts, send_displacements, send_types, recv, recv_counts,
                                   recv_displacements, recv_types, comm);
  return blocking(entry, comm, [&](CollectiveCall& call) {
    prepare::neighbor_alltoallw(call, send, send_counts, send_displacements, send_types, recv, recv_counts,
                                recv_displacements, recv_types);
  });
}

extern "C" int MPI_Ineighbor_allgather(const void* send, int send_count, MPI_Datatype send_type, void* recv,
                                       int recv_count, MPI_Datatype recv_type, MPI_Comm comm,
                                       MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native())
    return PMPI_Ineighbor_allgather(send, send_count, send_type, recv, recv_count, recv_type, comm, request);
  return background(entry, comm, request, [&](CollectiveCall& call) {
    prepare::neighbor_allgather(call, send, send_count, send_type, recv, recv_count, recv_type);
  });
}

extern "C" int MPI_Ineighbor_allgatherv(const void* send, int send_count, MPI_Datatype send_type, void* recv,
                                        const int counts[], const int displacements[], MPI_Datatype recv_type,
                                        MPI_Comm comm, MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native())
    return PMPI_Ineighbor_allgatherv(send, send_count, send_type, recv, counts, displacements, recv_type,
                                     comm, request);
  return background(entry, comm, request, [&](CollectiveCall& call) {
    prepare::neighbor_allgatherv(call, send, send_count, send_type, recv, counts, displacements, recv_type);
  });
}

extern "C" int MPI_Ineighbor_alltoall(const void* send, int send_count, MPI_Datatype send_type, void* recv,
                                      int recv_count, MPI_Datatype recv_type, MPI_Comm comm,
                                      MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native())
    return PMPI_Ineighbor_alltoall(send, send_count, send_type, recv, recv_count, recv_type, comm, request);
  return background(entry, comm, request, [&](CollectiveCall& call) {
    prepare::neighbor_alltoall(call, send, send_count, send_type, recv, recv_count, recv_type);
  });
}

extern "C" int MPI_Ineighbor_alltoallv(const void* send, const int send_counts[],
                                       const int send_displacements[], MPI_Datatype send_type, void* recv,
                                       const int recv_counts[], const int recv_displacements[],
                                       MPI_Datatype recv_type, MPI_Comm comm, MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native())
    return PMPI_Ineighbor_alltoallv(send, send_counts, send_displacements, send_type, recv, recv_counts,
                                    recv_displacements, recv_type, comm, request);
  return background(entry, comm, request, [&](CollectiveCall& call) {
    prepare::neighbor_alltoallv(call, send, send_counts, send_displacements, send_type, recv, recv_counts,
                                recv_displacements, recv_type);
  });
}

extern "C" int MPI_Ineighbor_alltoallw(const void* send, const int send_counts[],
                                       const MPI_Aint send_displacements[], const MPI_Datatype send_types[],
                                       void* recv, const int recv_counts[],
                                       const MPI_Aint recv_displacements[], const MPI_Datatype recv_types[],
                                       MPI_Comm comm, MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native())
    return PMPI_Ineighbor_alltoallw(send, send_counts, send_displacements, send_types, recv, recv_counts,
                                    recv_displacements, recv_types, comm, request);
  return background(entry, comm, request, [&](CollectiveCall& call) {
    prepare::neighbor_alltoallw(call, send, send_counts, send_displacements, send_types, recv, recv_counts,
                                recv_displacements, recv_types);
  });
}

extern "C" int MPI_Neighbor_allgather_init(const void* send, int send_count, MPI_Datatype send_type,
                                           void* recv, int recv_count, MPI_Datatype recv_type, MPI_Comm comm,
                                           MPI_Info info, MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native())
    return PMPI_Neighbor_allgather_init(send, send_count, send_type, recv, recv_count, recv_type, comm, info,
                                        request);
  return persistent(entry, comm, request, [&](CollectiveCall& call) {
    prepare::neighbor_allgather(call, send, send_count, send_type, recv, recv_count, recv_type);
  });
}

extern "C" int MPI_Neighbor_allgatherv_init(const void* send, int send_count, MPI_Datatype send_type,
                                            void* recv, const int counts[], const int displacements[],
                                            MPI_Datatype recv_type, MPI_Comm comm, MPI_Info info,
                                            MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native())
    return PMPI_Neighbor_allgatherv_init(send, send_count, send_type, recv, counts, displacements, recv_type,
                                         comm, info, request);
  return persistent(entry, comm, request, [&](CollectiveCall& call) {
    prepare::neighbor_allgatherv(call, send, send_count, send_type, recv, counts, displacements, recv_type);
  });
}

extern "C" int MPI_Neighbor_alltoall_init(const void* send, int send_count, MPI_Datatype send_type,
                                          void* recv, int recv_count, MPI_Datatype recv_type, MPI_Comm comm,
                                          MPI_Info info, MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native())
    return PMPI_Neighbor_alltoall_init(send, send_count, send_type, recv, recv_count, recv_type, comm, info,
                                       request);
  return persistent(entry, comm, request, [&](CollectiveCall& call) {
    prepare::neighbor_alltoall(call, send, send_count, send_type, recv, recv_count, recv_type);
  });
}

extern "C" int MPI_Neighbor_alltoallv_init(const void* send, const int send_counts[],
                                           const int send_displacements[], MPI_Datatype send_type, void* recv,
                                           const int recv_counts[], const int recv_displacements[],
                                           MPI_Datatype recv_type, MPI_Comm comm, MPI_Info info,
                                           MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native())
    return PMPI_Neighbor_alltoallv_init(send, send_counts, send_displacements, send_type, recv, recv_counts,
                                        recv_displacements, recv_type, comm, info, request);
  return persistent(entry, comm, request, [&](CollectiveCall& call) {
    prepare::neighbor_alltoallv(call, send, send_counts, send_displacements, send_type, recv, recv_counts,
                                recv_displacements, recv_type);
  });
}

extern "C" int MPI_Neighbor_alltoallw_init(const void* send, const int send_counts[],
                                           const MPI_Aint send_displacements[],
                                           const MPI_Datatype send_types[], void* recv,
                                           const int recv_counts[], const MPI_Aint recv_displacements[],
                                           const MPI_Datatype recv_types[], MPI_Comm comm, MPI_Info info,
                                           MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native())
    return PMPI_Neighbor_alltoallw_init(send, send_counts, send_displacements, send_types, recv, recv_counts,
                                        recv_displacements, recv_types, comm, info, request);
  return persistent(entry, comm, request, [&](CollectiveCall& call) {
    prepare::neighbor_alltoallw(call, send, send_counts, send_displacements, send_types, recv, recv_counts,
                                recv_displacements, recv_types);
  });
}
