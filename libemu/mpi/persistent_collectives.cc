// Entry points of collectives that are made once and started any number of times.

#include <mpi.h>

#include "mpi/collective_entry.h"
#include "mpi/prepare.h"

using emu::mpi::CollectiveCall;
using emu::mpi::Entry;
namespace prepare = emu::mpi::prepare;
using emu::mpi::persistent;

extern "C" int MPI_Barrier_init(MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Barrier_init(comm, info, request);
  return persistent(entry, comm, request, [&](CollectiveCall& call) { prepare::barrier(call); });
}

extern "C" int MPI_Bcast_init(void* buf, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Info info,
                              MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Bcast_init(buf, count, type, root, comm, info, request);
  return persistent(entry, comm, request,
                    [&](CollectiveCall& call) { prepare::bcast(call, buf, count, type, root); });
}

extern "C" int MPI_Gather_init(const void* send, int send_count, MPI_Datatype send_type, void* recv,
                               int recv_count, MPI_Datatype recv_type, int root, MPI_Comm comm, MPI_Info info,
                               MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native())
    return PMPI_Gather_init(send, send_count, send_type, recv, recv_count, recv_type, root, comm, info,
                            request);
  return persistent(entry, comm, request, [&](CollectiveCall& call) {
    prepare::gather(call, send, send_count, send_type, recv, recv_count, recv_type, root);
  });
}

extern "C" int MPI_Gatherv_init(const void* send, int send_count, MPI_Datatype send_type, void* recv,
                                const int counts[], const int displacements[], MPI_Datatype recv_type,
                                int root, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native())
    return PMPI_Gatherv_init(send, send_count, send_type, recv, counts, displacements, recv_type, root, comm,
                             info, request);
  return persistent(entry, comm, request, [&](CollectiveCall& call) {
    prepare::gatherv(call, send, send_count, send_type, recv, counts, displacements, recv_type, root);
  });
}

extern "C" int MPI_Scatter_init(const void* send, int send_count, MPI_Datatype send_type, void* recv,
                                int recv_count, MPI_Datatype recv_type, int root, MPI_Comm comm,
                                MPI_Info info, MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native())
    return PMPI_Scatter_init(send, send_count, send_type, recv, recv_count, recv_type, root, comm, info,
                             request);
  return persistent(entry, comm, request, [&](CollectiveCall& call) {
    prepare::scatter(call, send, send_count, send_type, recv, recv_count, recv_type, root);
  });
}

extern "C" int MPI_Scatterv_init(const void* send, const int counts[], const int displacements[],
                                 MPI_Datatype send_type, void* recv, int recv_count, MPI_Datatype recv_type,
                                 int root, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native())
    return PMPI_Scatterv_init(send, counts, displacements, send_type, recv, recv_count, recv_type, root, comm,
                              info, request);
  return persistent(entry, comm, request, [&](CollectiveCall& call) {
    prepare::scatterv(call, send, counts, displacements, send_type, recv, recv_count, recv_type, root);
  });
}

extern "C" int MPI_Allgather_init(const void* send, int send_count, MPI_Datatype send_type, void* recv,
                                  int recv_count, MPI_Datatype recv_type, MPI_Comm comm, MPI_Info info,
                                  MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native())
    return PMPI_Allgather_init(send, send_count, send_type, recv, recv_count, recv_type, comm, info, request);
  return persistent(entry, comm, request, [&](CollectiveCall& call) {
    prepare::allgather(call, send, send_count, send_type, recv, recv_count, recv_type);
  });
}

extern "C" int MPI_Allgatherv_init(const void* send, int send_count, MPI_Datatype send_type, void* recv,
                                   const int counts[], const int displacements[], MPI_Datatype recv_type,
                                   MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native())
    return PMPI_Allgatherv_init(send, send_count, send_type, recv, counts, displacements, recv_type, comm,
                                info, request);
  return persistent(entry, comm, request, [&](CollectiveCall& call) {
    prepare::allgatherv(call, send, send_count, send_type, recv, counts, displacements, recv_type);
  });
}

extern "C" int MPI_Alltoall_init(const void* send, int send_count, MPI_Datatype send_type, void* recv,
                                 int recv_count, MPI_Datatype recv_type, MPI_Comm comm, MPI_Info info,
                                 MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native())
    return PMPI_Alltoall_init(send, send_count, send_type, recv, recv_count, recv_type, comm, info, request);
  return persistent(entry, comm, request, [&](CollectiveCall& call) {
    prepare::alltoall(call, send, send_count, send_type, recv, recv_count, recv_type);
  });
}

extern "C" int MPI_Alltoallv_init(const void* send, const int send_counts[], const int send_displacements[],
                                  MPI_Datatype send_type, void* recv, const int recv_counts[],
                                  const int recv_displacements[], MPI_Datatype recv_type, MPI_Comm comm,
                                  MPI_Info info, MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native())
    return PMPI_Alltoallv_init(send, send_counts, send_displacements, send_type, recv, recv_counts,
                               recv_displacements, recv_type, comm, info, request);
  return persistent(entry, comm, request, [&](CollectiveCall& call) {
    prepare::alltoallv(call, send, send_counts, send_displacements, send_type, recv, recv_counts,
                       recv_displacements, recv_type);
  });
}

extern "C" int MPI_Alltoallw_init(const void* send, const int send_counts[], const int send_displacements[],
                                  const MPI_Datatype send_types[], void* recv, const int recv_counts[],
                                  const int recv_displacements[], const MPI_Datatype recv_types[],
                                  MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native())
    return PMPI_Alltoallw_init(send, send_counts, send_displacements, send_types, recv, recv_counts,
                               recv_displacements, recv_types, comm, info, request);
  return persistent(entry, comm, request, [&](CollectiveCall& call) {
    prepare::alltoallw(call, send, send_counts, send_displacements, send_types, recv, recv_counts,
                       recv_displacements, recv_types);
  });
}

extern "C" int MPI_Reduce_init(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op,
                               int root, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Reduce_init(send, recv, count, type, op, root, comm, info, request);
  return persistent(entry, comm, request,
                    [&](CollectiveCall& call) { prepare::reduce(call, send, recv, count, type, op, root); });
}

extern "C" int MPI_Allreduce_init(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op,
                                  MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Allreduce_init(send, recv, count, type, op, comm, info, request);
  return persistent(entry, comm, request,
                    [&](CollectiveCall& call) { prepare::allreduce(call, send, recv, count, type, op); });
}

extern "C" int MPI_Reduce_scatter_block_init(const void* send, void* recv, int count, MPI_Datatype type,
                                             MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Reduce_scatter_block_init(send, recv, count, type, op, comm, info, request);
  return persistent(entry, comm, request, [&](CollectiveCall& call) {
    prepare::reduce_scatter_block(call, send, recv, count, type, op);
  });
}

extern "C" int MPI_Reduce_scatter_init(const void* send, void* recv, const int counts[], MPI_Datatype type,
                                       MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Reduce_scatter_init(send, recv, counts, type, op, comm, info, request);
  return persistent(entry, comm, request, [&](CollectiveCall& call) {
    prepare::reduce_scatter(call, send, recv, counts, type, op);
  });
}

extern "C" int MPI_Scan_init(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op,
                             MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Scan_init(send, recv, count, type, op, comm, info, request);
  return persistent(entry, comm, request,
                    [&](CollectiveCall& call) { prepare::scan(call, send, recv, count, type, op); });
}

extern "C" int MPI_Exscan_init(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op,
                               MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Exscan_init(send, recv, count, type, op, comm, info, request);
  return persistent(entry, comm, request,
                    [&](CollectiveCall& call) { prepare::exscan(call, send, recv, count, type, op); });
}
