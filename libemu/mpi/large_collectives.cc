// Entry points of collectives whose counts are of type MPI_Count.

#include <mpi.h>

#include "mpi/collective_entry.h"
#include "mpi/prepare.h"

using emu::mpi::CollectiveCall;
using emu::mpi::Entry;
namespace prepare = emu::mpi::prepare;
using emu::mpi::blocking;

extern "C" int MPI_Bcast_c(void* buf, MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Bcast_c(buf, count, type, root, comm);
  return blocking(entry, comm, [&](CollectiveCall& call) { prepare::bcast(call, buf, count, type, root); });
}

extern "C" int MPI_Gather_c(const void* send, MPI_Count send_count, MPI_Datatype send_type, void* recv,
                            MPI_Count recv_count, MPI_Datatype recv_type, int root, MPI_Comm comm) {
  const Entry entry(__func__);
  if (entry.native())
    return PMPI_Gather_c(send, send_count, send_type, recv, recv_count, recv_type, root, comm);
  return blocking(entry, comm, [&](CollectiveCall& call) {
    prepare::gather(call, send, send_count, send_type, recv, recv_count, recv_type, root);
  });
}

extern "C" int MPI_Gatherv_c(const void* send, MPI_Count send_count, MPI_Datatype send_type, void* recv,
                             const MPI_Count counts[], const MPI_Aint displacements[], MPI_Datatype recv_type,
                             int root, MPI_Comm comm) {
  const Entry entry(__func__);
  if (entry.native())
    return PMPI_Gatherv_c(send, send_count, send_type, recv, counts, displacements, recv_type, root, comm);
  return blocking(entry, comm, [&](CollectiveCall& call) {
    prepare::gatherv(call, send, send_count, send_type, recv, counts, displacements, recv_type, root);
  });
}

extern "C" int MPI_Scatter_c(const void* send, MPI_Count send_count, MPI_Datatype send_type, void* recv,
                             MPI_Count recv_count, MPI_Datatype recv_type, int root, MPI_Comm comm) {
  const Entry entry(__func__);
  if (entry.native())
    return PMPI_Scatter_c(send, send_count, send_type, recv, recv_count, recv_type, root, comm);
  return blocking(entry, comm, [&](CollectiveCall& call) {
    prepare::scatter(call, send, send_count, send_type, recv, recv_count, recv_type, root);
  });
}

extern "C" int MPI_Scatterv_c(const void* send, const MPI_Count counts[], const MPI_Aint displacements[],
                              MPI_Datatype send_type, void* recv, MPI_Count recv_count,
                              MPI_Datatype recv_type, int root, MPI_Comm comm) {
  const Entry entry(__func__);
  if (entry.native())
    return PMPI_Scatterv_c(send, counts, displacements, send_type, recv, recv_count, recv_type, root, comm);
  return blocking(entry, comm, [&](CollectiveCall& call) {
    prepare::scatterv(call, send, counts, displacements, send_type, recv, recv_count, recv_type, root);
  });
}

extern "C" int MPI_Allgather_c(const void* send, MPI_Count send_count, MPI_Datatype send_type, void* recv,
                               MPI_Count recv_count, MPI_Datatype recv_type, MPI_Comm comm) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Allgather_c(send, send_count, send_type, recv, recv_count, recv_type, comm);
  return blocking(entry, comm, [&](CollectiveCall& call) {
    prepare::allgather(call, send, send_count, send_type, recv, recv_count, recv_type);
  });
}

extern "C" int MPI_Allgatherv_c(const void* send, MPI_Count send_count, MPI_Datatype send_type, void* recv,
                                const MPI_Count counts[], const MPI_Aint displacements[],
                                MPI_Datatype recv_type, MPI_Comm comm) {
  const Entry entry(__func__);
  if (entry.native())
    return PMPI_Allgatherv_c(send, send_count, send_type, recv, counts, displacements, recv_type, comm);
  return blocking(entry, comm, [&](CollectiveCall& call) {
    prepare::allgatherv(call, send, send_count, send_type, recv, counts, displacements, recv_type);
  });
}

extern "C" int MPI_Alltoall_c(const void* send, MPI_Count send_count, MPI_Datatype send_type, void* recv,
                              MPI_Count recv_count, MPI_Datatype recv_type, MPI_Comm comm) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Alltoall_c(send, send_count, send_type, recv, recv_count, recv_type, comm);
  return blocking(entry, comm, [&](CollectiveCall& call) {
    prepare::alltoall(call, send, send_count, send_type, recv, recv_count, recv_type);
  });
}

extern "C" int MPI_Alltoallv_c(const void* send, const MPI_Count send_counts[],
                               const MPI_Aint send_displacements[], MPI_Datatype send_type, void* recv,
                               const MPI_Count recv_counts[], const MPI_Aint recv_displacements[],
                               MPI_Datatype recv_type, MPI_Comm comm) {
  const Entry entry(__func__);
  if (entry.native())
    return PMPI_Alltoallv_c(send, send_counts, send_displacements, send_type, recv, recv_counts,
                            recv_displacements, recv_type, comm);
  return blocking(entry, comm, [&](CollectiveCall& call) {
    prepare::alltoallv(call, send, send_counts, send_displacements, send_type, recv, recv_counts,
                       recv_displacements, recv_type);
  });
}

extern "C" int MPI_Alltoallw_c(const void* send, const MPI_Count send_counts[],
                               const MPI_Aint send_displacements[], const MPI_Datatype send_types[],
                               void* recv, const MPI_Count recv_counts[], const MPI_Aint recv_displacements[],
                               const MPI_Datatype recv_types[], MPI_Comm comm) {
  const Entry entry(__func__);
  if (entry.native())
    return PMPI_Alltoallw_c(send, send_counts, send_displacements, send_types, recv, recv_counts,
                            recv_displacements, recv_types, comm);
  return blocking(entry, comm, [&](CollectiveCall& call) {
    prepare::alltoallw(call, send, send_counts, send_displacements, send_types, recv, recv_counts,
                       recv_displacements, recv_types);
  });
}

extern "C" int MPI_Reduce_c(const void* send, void* recv, MPI_Count count, MPI_Datatype type, MPI_Op op,
                            int root, MPI_Comm comm) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Reduce_c(send, recv, count, type, op, root, comm);
  return blocking(entry, comm,
                  [&](CollectiveCall& call) { prepare::reduce(call, send, recv, count, type, op, root); });
}

extern "C" int MPI_Allreduce_c(const void* send, void* recv, MPI_Count count, MPI_Datatype type, MPI_Op op,
                               MPI_Comm comm) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Allreduce_c(send, recv, count, type, op, comm);
  return blocking(entry, comm,
                  [&](CollectiveCall& call) { prepare::allreduce(call, send, recv, count, type, op); });
}

extern "C" int MPI_Reduce_scatter_block_c(const void* send, void* recv, MPI_Count count, MPI_Datatype type,
                                          MPI_Op op, MPI_Comm comm) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Reduce_scatter_block_c(send, recv, count, type, op, comm);
  return blocking(entry, comm, [&](CollectiveCall& call) {
    prepare::reduce_scatter_block(call, send, recv, count, type, op);
  });
}

extern "C" int MPI_Reduce_scatter_c(const void* send, void* recv, const MPI_Count counts[], MPI_Datatype type,
                                    MPI_Op op, MPI_Comm comm) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Reduce_scatter_c(send, recv, counts, type, op, comm);
  return blocking(entry, comm,
                  [&](CollectiveCall& call) { prepare::reduce_scatter(call, send, recv, counts, type, op); });
}

extern "C" int MPI_Scan_c(const void* send, void* recv, MPI_Count count, MPI_Datatype type, MPI_Op op,
                          MPI_Comm comm) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Scan_c(send, recv, count, type, op, comm);
  return blocking(entry, comm,
                  [&](CollectiveCall& call) { prepare::scan(call, send, recv, count, type, op); });
}

extern "C" int MPI_Exscan_c(const void* send, void* recv, MPI_Count count, MPI_Datatype type, MPI_Op op,
                            MPI_Comm comm) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Exscan_c(send, recv, count, type, op, comm);
  return blocking(entry, comm,
                  [&](CollectiveCall& call) { prepare::exscan(call, send, recv, count, type, op); });
}
