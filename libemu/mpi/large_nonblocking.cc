// Entry points of collectives in the background whose counts are of type MPI_Count.

#include <mpi.h>

#include "mpi/collective_entry.h"
#include "mpi/prepare.h"

using emu::mpi::CollectiveCall;
using emu::mpi::Entry;
namespace prepare = emu::mpi::prepare;
using emu::mpi::background;

extern "C" int MPI_Ibcast_c(void* buf, MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm,
                            MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Ibcast_c(buf, count, type, root, comm, request);
  return background(entry, comm, request,
                    [&](CollectiveCall& call) { prepare::bcast(call, buf, count, type, root); });
}

extern "C" int MPI_Igather_c(const void* send, MPI_Count send_count, MPI_Datatype send_type, void* recv,
                             MPI_Count recv_count, MPI_Datatype recv_type, int root, MPI_Comm comm,
                             MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native())
    return PMPI_Igather_c(send, send_count, send_type, recv, recv_count, recv_type, root, comm, request);
  return background(entry, comm, request, [&](CollectiveCall& call) {
    prepare::gather(call, send, send_count, send_type, recv, recv_count, recv_type, root);
  });
}

extern "C" int MPI_Igatherv_c(const void* send, MPI_Count send_count, MPI_Datatype send_type, void* recv,
                              const MPI_Count counts[], const MPI_Aint displacements[],
                              MPI_Datatype recv_type, int root, MPI_Comm comm, MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native())
    return PMPI_Igatherv_c(send, send_count, send_type, recv, counts, displacements, recv_type, root, comm,
                           request);
  return background(entry, comm, request, [&](CollectiveCall& call) {
    prepare::gatherv(call, send, send_count, send_type, recv, counts, displacements, recv_type, root);
  });
}

extern "C" int MPI_Iscatter_c(const void* send, MPI_Count send_count, MPI_Datatype send_type, void* recv,
                              MPI_Count recv_count, MPI_Datatype recv_type, int root, MPI_Comm comm,
                              MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native())
    return PMPI_Iscatter_c(send, send_count, send_type, recv, recv_count, recv_type, root, comm, request);
  return background(entry, comm, request, [&](CollectiveCall& call) {
    prepare::scatter(call, send, send_count, send_type, recv, recv_count, recv_type, root);
  });
}

extern "C" int MPI_Iscatterv_c(const void* send, const MPI_Count counts[], const MPI_Aint displacements[],
                               MPI_Datatype send_type, void* recv, MPI_Count recv_count,
                               MPI_Datatype recv_type, int root, MPI_Comm comm, MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native())
    return PMPI_Iscatterv_c(send, counts, displacements, send_type, recv, recv_count, recv_type, root, comm,
                            request);
  return background(entry, comm, request, [&](CollectiveCall& call) {
    prepare::scatterv(call, send, counts, displacements, send_type, recv, recv_count, recv_type, root);
  });
}

extern "C" int MPI_Iallgather_c(const void* send, MPI_Count send_count, MPI_Datatype send_type, void* recv,
                                MPI_Count recv_count, MPI_Datatype recv_type, MPI_Comm comm,
                                MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native())
    return PMPI_Iallgather_c(send, send_count, send_type, recv, recv_count, recv_type, comm, request);
  return background(entry, comm, request, [&](CollectiveCall& call) {
    prepare::allgather(call, send, send_count, send_type, recv, recv_count, recv_type);
  });
}

extern "C" int MPI_Iallgatherv_c(const void* send, MPI_Count send_count, MPI_Datatype send_type, void* recv,
                                 const MPI_Count counts[], const MPI_Aint displacements[],
                                 MPI_Datatype recv_type, MPI_Comm comm, MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native())
    return PMPI_Iallgatherv_c(send, send_count, send_type, recv, counts, displacements, recv_type, comm,
                              request);
  return background(entry, comm, request, [&](CollectiveCall& call) {
    prepare::allgatherv(call, send, send_count, send_type, recv, counts, displacements, recv_type);
  });
}

extern "C" int MPI_Ialltoall_c(const void* send, MPI_Count send_count, MPI_Datatype send_type, void* recv,
                               MPI_Count recv_count, MPI_Datatype recv_type, MPI_Comm comm,
                               MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native())
    return PMPI_Ialltoall_c(send, send_count, send_type, recv, recv_count, recv_type, comm, request);
  return background(entry, comm, request, [&](CollectiveCall& call) {
    prepare::alltoall(call, send, send_count, send_type, recv, recv_count, recv_type);
  });
}

extern "C" int MPI_Ialltoallv_c(const void* send, const MPI_Count send_counts[],
                                const MPI_Aint send_displacements[], MPI_Datatype send_type, void* recv,
                                const MPI_Count recv_counts[], const MPI_Aint recv_displacements[],
                                MPI_Datatype recv_type, MPI_Comm comm, MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native())
    return PMPI_Ialltoallv_c(send, send_counts, send_displacements, send_type, recv, recv_counts,
                             recv_displacements, recv_type, comm, request);
  return background(entry, comm, request, [&](CollectiveCall& call) {
    prepare::alltoallv(call, send, send_counts, send_displacements, send_type, recv, recv_counts,
                       recv_displacements, recv_type);
  });
}

extern "C" int MPI_Ialltoallw_c(const void* send, const MPI_Count send_counts[],
                                const MPI_Aint send_displacements[], const MPI_Datatype send_types[],
                                void* recv, const MPI_Count recv_counts[],
                                const MPI_Aint recv_displacements[], const MPI_Datatype recv_types[],
                                MPI_Comm comm, MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native())
    return PMPI_Ialltoallw_c(send, send_counts, send_displacements, send_types, recv, recv_counts,
                             recv_displacements, recv_types, comm, request);
  return background(entry, comm, request, [&](CollectiveCall& call) {
    prepare::alltoallw(call, send, send_counts, send_displacements, send_types, recv, recv_counts,
                       recv_displacements, recv_types);
  });
}

extern "C" int MPI_Ireduce_c(const void* send, void* recv, MPI_Count count, MPI_Datatype type, MPI_Op op,
                             int root, MPI_Comm comm, MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Ireduce_c(send, recv, count, type, op, root, comm, request);
  return background(entry, comm, request,
                    [&](CollectiveCall& call) { prepare::reduce(call, send, recv, count, type, op, root); });
}

extern "C" int MPI_Iallreduce_c(const void* send, void* recv, MPI_Count count, MPI_Datatype type, MPI_Op op,
                                MPI_Comm comm, MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Iallreduce_c(send, recv, count, type, op, comm, request);
  return background(entry, comm, request,
                    [&](CollectiveCall& call) { prepare::allreduce(call, send, recv, count, type, op); });
}

extern "C" int MPI_Ireduce_scatter_block_c(const void* send, void* recv, MPI_Count count, MPI_Datatype type,
                                           MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Ireduce_scatter_block_c(send, recv, count, type, op, comm, request);
  return background(entry, comm, request, [&](CollectiveCall& call) {
    prepare::reduce_scatter_block(call, send, recv, count, type, op);
  });
}

extern "C" int MPI_Ireduce_scatter_c(const void* send, void* recv, const MPI_Count counts[],
                                     MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Ireduce_scatter_c(send, recv, counts, type, op, comm, request);
  return background(entry, comm, request, [&](CollectiveCall& call) {
    prepare::reduce_scatter(call, send, recv, counts, type, op);
  });
}

extern "C" int MPI_Iscan_c(const void* send, void* recv, MPI_Count count, MPI_Datatype type, MPI_Op op,
                           MPI_Comm comm, MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Iscan_c(send, recv, count, type, op, comm, request);
  return background(entry, comm, request,
                    [&](CollectiveCall& call) { prepare::scan(call, send, recv, count, type, op); });
}

extern "C" int MPI_Iexscan_c(const void* send, void* recv, MPI_Count count, MPI_Datatype type, MPI_Op op,
                             MPI_Comm comm, MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Iexscan_c(send, recv, count, type, op, comm, request);
  return background(entry, comm, request,
                    [&](CollectiveCall& call) { prepare::exscan(call, send, recv, count, type, op); });
}
