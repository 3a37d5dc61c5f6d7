// Entry points of collectives among neighbours whose counts are of type MPI_Count.

#include <mpi.h>

#include "mpi/collective_entry.h"
#include "mpi/prepare.h"

using emu::mpi::background;
using emu::mpi::blocking;
using emu::mpi::CollectiveCall;
using emu::mpi::Entry;
using emu::mpi::persistent;
namespace prepare = emu::mpi::prepare;

extern "C" int MPI_Neighbor_allgather_c(const void* send, MPI_Count send_count, MPI_Datatype send_type,
                                        void* recv, MPI_Count recv_count, MPI_Datatype recv_type,
                                        MPI_Comm comm) {
  const Entry entry(__func__);
  if (entry.native())
    return PMPI_Neighbor_allgather_c(send, send_count, send_type, recv, recv_count, recv_type, comm);
  return blocking(entry, comm, [&](CollectiveCall& call) {
    prepare::neighbor_allgather(call, send, send_count, send_type, recv, recv_count, recv_type);
  });
}

extern "C" int MPI_Neighbor_allgatherv_c(const void* send, MPI_Count send_count, MPI_Datatype send_type,
                                         void* recv, const MPI_Count counts[], const MPI_Aint displacements[],
                                         MPI_Datatype recv_type, MPI_Comm comm) {
  const Entry entry(__func__);
  if (entry.native())
    return PMPI_Neighbor_allgatherv_c(send, send_count, send_type, recv, counts, displacements, recv_type,
                                      comm);
  return blocking(entry, comm, [&](CollectiveCall& call) {
    prepare::neighbor_allgatherv(call, send, send_count, send_type, recv, counts, displacements, recv_type);
  });
}

extern "C" int MPI_Neighbor_alltoall_c(const void* send, MPI_Count send_count, MPI_Datatype send_type,
                                       void* recv, MPI_Count recv_count, MPI_Datatype recv_type,
                                       MPI_Comm comm) {
  const Entry entry(__func__);
  if (entry.native())
    return PMPI_Neighbor_alltoall_c(send, send_count, send_type, recv, recv_count, recv_type, comm);
  return blocking(entry, comm, [&](CollectiveCall& call) {
    prepare::neighbor_alltoall(call, send, send_count, send_type, recv, recv_count, recv_type);
  });
}

extern "C" int MPI_Neighbor_alltoallv_c(const void* send, const MPI_Count send_counts[],
                                        const MPI_Aint send_displacements[], MPI_Datatype send_type,
                                        void* recv, const MPI_Count recv_counts[],
                                        const MPI_Aint recv_displacements[], MPI_Datatype recv_type,
                                        MPI_Comm comm) {
  const Entry entry(__func__);
  if (entry.native())
    return PMPI_Neighbor_alltoallv_c(send, send_counts, send_displacements, send_type, recv, recv_counts,
                                     recv_displacements, recv_type, comm);
  return blocking(entry, comm, [&](CollectiveCall& call) {
    prepare::neighbor_alltoallv(call, send, send_counts, send_displacements, send_type, recv, recv_counts,
                                recv_displacements, recv_type);
  });
}

extern "C" int MPI_Neighbor_alltoallw_c(const void* send, const MPI_Count send_counts[],
                                        const MPI_Aint send_displacements[], const MPI_Datatype send_types[],
                                        void* recv, const MPI_Count recv_counts[],
                                        const MPI_Aint recv_displacements[], const MPI_Datatype recv_types[],
                                        MPI_Comm comm) {
  const Entry entry(__func__);
  if (entry.native())
    return PMPI_Neighbor_alltoallw_c(send, send_counts, send_displacements, send_types, recv, recv_counts,
                                     recv_displacements, recv_types, comm);
  return blocking(entry, comm, [&](CollectiveCall& call) {
    prepare::neighbor_alltoallw(call, send, send_counts, send_displacements, send_types, recv, recv_counts,
                                recv_displacements, recv_types);
  });
}

extern "C" int MPI_Ineighbor_allgather_c(const void* send, MPI_Count send_count, MPI_Datatype send_type,
                                         void* recv, MPI_Count recv_count, MPI_Datatype recv_type,
                                         MPI_Comm comm, MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native())
    return PMPI_Ineighbor_allgather_c(send, send_count, send_type, recv, recv_count, recv_type, comm,
                                      request);
  return background(entry, comm, request, [&](CollectiveCall& call) {
    prepare::neighbor_allgather(call, send, send_count, send_type, recv, recv_count, recv_type);
  });
}

extern "C" int MPI_Ineighbor_allgatherv_c(const void* send, MPI_Count send_count, MPI_Datatype send_type,
                                          void* recv, const MPI_Count counts[],
                                          const MPI_Aint displacements[], MPI_Datatype recv_type,
                                          MPI_Comm comm, MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native())
    return PMPI_Ineighbor_allgatherv_c(send, send_count, send_type, recv, counts, displacements, recv_type,
                                       comm, request);
  return background(entry, comm, request, [&](CollectiveCall& call) {
    prepare::neighbor_allgatherv(call, send, send_count, send_type, recv, counts, displacements, recv_type);
  });
}

extern "C" int MPI_Ineighbor_alltoall_c(const void* send, MPI_Count send_count, MPI_Datatype send_type,
                                        void* recv, MPI_Count recv_count, MPI_Datatype recv_type,
                                        MPI_Comm comm, MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native())
    return PMPI_Ineighbor_alltoall_c(send, send_count, send_type, recv, recv_count, recv_type, comm, request);
  return background(entry, comm, request, [&](CollectiveCall& call) {
    prepare::neighbor_alltoall(call, send, send_count, send_type, recv, recv_count, recv_type);
  });
}

extern "C" int MPI_Ineighbor_alltoallv_c(const void* send, const MPI_Count send_counts[],
                                         const MPI_Aint send_displacements[], MPI_Datatype send_type,
                                         void* recv, const MPI_Count recv_counts[],
                                         const MPI_Aint recv_displacements[], MPI_Datatype recv_type,
                                         MPI_Comm comm, MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native())
    return PMPI_Ineighbor_alltoallv_c(send, send_counts, send_displacements, send_type, recv, recv_counts,
                                      recv_displacements, recv_type, comm, request);
  return background(entry, comm, request, [&](CollectiveCall& call) {
    prepare::neighbor_alltoallv(call, send, send_counts, send_displacements, send_type, recv, recv_counts,
                                recv_displacements, recv_type);
  });
}

extern "C" int MPI_Ineighbor_alltoallw_c(const void* send, const MPI_Count send_counts[],
                                         const MPI_Aint send_displacements[], const MPI_Datatype send_types[],
                                         void* recv, const MPI_Count recv_counts[],
                                         const MPI_Aint recv_displacements[], const MPI_Datatype recv_types[],
                                         MPI_Comm comm, MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native())
    return PMPI_Ineighbor_alltoallw_c(send, send_counts, send_displacements, send_types, recv, recv_counts,
                                      recv_displacements, recv_types, comm, request);
  return background(entry, comm, request, [&](CollectiveCall& call) {
    prepare::neighbor_alltoallw(call, send, send_counts, send_displacements, send_types, recv, recv_counts,
                                recv_displacements, recv_types);
  });
}

extern "C" int MPI_Neighbor_allgather_init_c(const void* send, MPI_Count send_count, MPI_Datatype send_type,
                                             void* recv, MPI_Count recv_count, MPI_Datatype recv_type,
                                             MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native())
    return PMPI_Neighbor_allgather_init_c(send, send_count, send_type, recv, recv_count, recv_type, comm,
                                          info, request);
  return persistent(entry, comm, request, [&](CollectiveCall& call) {
    prepare::neighbor_allgather(call, send, send_count, send_type, recv, recv_count, recv_type);
  });
}

extern "C" int MPI_Neighbor_allgatherv_init_c(const void* send, MPI_Count send_count, MPI_Datatype send_type,
                                              void* recv, const MPI_Count counts[],
                                              const MPI_Aint displacements[], MPI_Datatype recv_type,
                                              MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native())
    return PMPI_Neighbor_allgatherv_init_c(send, send_count, send_type, recv, counts, displacements,
                                           recv_type, comm, info, request);
  return persistent(entry, comm, request, [&](CollectiveCall& call) {
    prepare::neighbor_allgatherv(call, send, send_count, send_type, recv, counts, displacements, recv_type);
  });
}

extern "C" int MPI_Neighbor_alltoall_init_c(const void* send, MPI_Count send_count, MPI_Datatype send_type,
                                            void* recv, MPI_Count recv_count, MPI_Datatype recv_type,
                                            MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native())
    return PMPI_Neighbor_alltoall_init_c(send, send_count, send_type, recv, recv_count, recv_type, comm, info,
                                         request);
  return persistent(entry, comm, request, [&](CollectiveCall& call) {
    prepare::neighbor_alltoall(call, send, send_count, send_type, recv, recv_count, recv_type);
  });
}

extern "C" int MPI_Neighbor_alltoallv_init_c(const void* send, const MPI_Count send_counts[],
                                             const MPI_Aint send_displacements[], MPI_Datatype send_type,
                                             void* recv, const MPI_Count recv_counts[],
                                             const MPI_Aint recv_displacements[], MPI_Datatype recv_type,
                                             MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native())
    return PMPI_Neighbor_alltoallv_init_c(send, send_counts, send_displacements, send_type, recv, recv_counts,
                                          recv_displacements, recv_type, comm, info, request);
  return persistent(entry, comm, request, [&](CollectiveCall& call) {
    prepare::neighbor_alltoallv(call, send, send_counts, send_displacements, send_type, recv, recv_counts,
                                recv_displacements, recv_type);
  });
}

extern "C" int MPI_Neighbor_alltoallw_init_c(const void* send, const MPI_Count send_counts[],
                                             const MPI_Aint send_displacements[],
                                             const MPI_Datatype send_types[], void* recv,
                                             const MPI_Count recv_counts[],
                                             const MPI_Aint recv_displacements[],
                                             const MPI_Datatype recv_types[], MPI_Comm comm, MPI_Info info,
                                             MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native())
    return PMPI_Neighbor_alltoallw_init_c(send, send_counts, send_displacements, send_types, recv,
                                          recv_counts, recv_displacements, recv_types, comm, info, request);
  return persistent(entry, comm, request, [&](CollectiveCall& call) {
    prepare::neighbor_alltoallw(call, send, send_counts, send_displacements, send_types, recv, recv_counts,
                                recv_displacements, recv_types);
  });
}
