// Entry points of collectives that go on in the background.

#include <mpi.h>

#include "mpi/collective_entry.h"
#include "mpi/prepare.h"

using emu::mpi::CollectiveCall;
using emu::mpi::Entry;
namespace prepare = emu::mpi::prepare;
using emu::mpi::background;

extern "C" int MPI_Ibarrier(MPI_Comm comm, MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Ibarrier(comm, request);
  return background(entry, comm, request, [&](CollectiveCall& call) { prepare::barrier(call); });
}

extern "C" int MPI_Ibcast(void* buf, int count, MPI_Datatype type, int root, MPI_Comm comm,
                          MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Ibcast(buf, count, type, root, comm, request);
  return background(entry, comm, request,
                    [&](CollectiveCall& call) { prepare::bcast(call, buf, count, type, root); });
}

extern "C" int MPI_Igather(const void* send, int send_count, MPI_Datatype send_type, void* recv,
                           int recv_count, MPI_Datatype recv_type, int root, MPI_Comm comm,
                           MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native())
    return PMPI_Igather(send, send_count, send_type, recv, recv_count, recv_type, root, comm, request);
  return background(entry, comm, request, [&](CollectiveCall& call) {
    prepare::gather(call, send, send_count, send_type, recv, recv_count, recv_type, root);
  });
}

extern "C" int MPI_Igatherv(const void* send, int send_count, MPI_Datatype send_type, void* recv,
                            const int counts[], const int displacements[], MPI_Datatype recv_type, int root,
                            MPI_Comm comm, MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native())
    return PMPI_Igatherv(send, send_count, send_type, recv, counts, displacements, recv_type, root, comm,
                         request);
  return background(entry, comm, request, [&](CollectiveCall& call) {
    prepare::gatherv(call, send, send_count, send_type, recv, counts, displacements, recv_type, root);
  });
}

extern "C" int MPI_Iscatter(const void* send, int send_count, MPI_Datatype send_type, void* recv,
                            int recv_count, MPI_Datatype recv_type, int root, MPI_Comm comm,
                            MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native())
    return PMPI_Iscatter(send, send_count, send_type, recv, recv_count, recv_type, root, comm, request);
  return background(entry, comm, request, [&](CollectiveCall& call) {
    prepare::scatter(call, send, send_count, send_type, recv, recv_count, recv_type, root);
  });
}

extern "C" int MPI_Iscatterv(const void* send, const int counts[], const int displacements[],
                             MPI_Datatype send_type, void* recv, int recv_count, MPI_Datatype recv_type,
                             int root, MPI_Comm comm, MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native())
    return PMPI_Iscatterv(send, counts, displacements, send_type, recv, recv_count, recv_type, root, comm,
                          request);
  return background(entry, comm, request, [&](CollectiveCall& call) {
    prepare::scatterv(call, send, counts, displacements, send_type, recv, recv_count, recv_type, root);
  });
}

extern "C" int MPI_Iallgather(const void* send, int send_count, MPI_Datatype send_type, void* recv,
                              int recv_count, MPI_Datatype recv_type, MPI_Comm comm, MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native())
    return PMPI_Iallgather(send, send_count, send_type, recv, recv_count, recv_type, comm, request);
  return background(entry, comm, request, [&](CollectiveCall& call) {
    prepare::allgather(call, send, send_count, send_type, recv, recv_count, recv_type);
  });
}

extern "C" int MPI_Iallgatherv(const void* send, int send_count, MPI_Datatype send_type, void* recv,
                               const int counts[], const int displacements[], MPI_Datatype recv_type,
                               MPI_Comm comm, MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native())
    return PMPI_Iallgatherv(send, send_count, send_type, recv, counts, displacements, recv_type, comm,
                            request);
  return background(entry, comm, request, [&](CollectiveCall& call) {
    prepare::allgatherv(call, send, send_count, send_type, recv, counts, displacements, recv_type);
  });
}

extern "C" int MPI_Ialltoall(const void* send, int send_count, MPI_Datatype send_type, void* recv,
                             int recv_count, MPI_Datatype recv_type, MPI_Comm comm, MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native())
    return PMPI_Ialltoall(send, send_count, send_type, recv, recv_count, recv_type, comm, request);
  return background(entry, comm, request, [&](CollectiveCall& call) {
    prepare::alltoall(call, send, send_count, send_type, recv, recv_count, recv_type);
  });
}

extern "C" int MPI_Ialltoallv(const void* send, const int send_counts[], const int send_displacements[],
                              MPI_Datatype send_type, void* recv, const int recv_counts[],
                              const int recv_displacements[], MPI_Datatype recv_type, MPI_Comm comm,
                              MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native())
    return PMPI_Ialltoallv(send, send_counts, send_displacements, send_type, recv, recv_counts,
                           recv_displacements, recv_type, comm, request);
  return background(entry, comm, request, [&](CollectiveCall& call) {
    prepare::alltoallv(call, send, send_counts, send_displacements, send_type, recv, recv_counts,
                       recv_displacements, recv_type);
  });
}

extern "C" int MPI_Ialltoallw(const void* send, const int send_counts[], const int send_displacements[],
                              const MPI_Datatype send_types[], void* recv, const int recv_counts[],
                              const int recv_displacements[], const MPI_Datatype recv_types[], MPI_Comm comm,
                              MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native())
    return PMPI_Ialltoallw(send, send_counts, send_displacements, send_types, recv, recv_counts,
                           recv_displacements, recv_types, comm, request);
  return background(entry, comm, request, [&](CollectiveCall& call) {
    prepare::alltoallw(call, send, send_counts, send_displacements, send_types, recv, recv_counts,
                       recv_displacements, recv_types);
  });
}

extern "C" int MPI_Ireduce(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op, int root,
                           MPI_Comm comm, MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Ireduce(send, recv, count, type, op, root, comm, request);
  return background(entry, comm, request,
                    [&](CollectiveCall& call) { prepare::reduce(call, send, recv, count, type, op, root); });
}

extern "C" int MPI_Iallreduce(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op,
                              MPI_Comm comm, MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Iallreduce(send, recv, count, type, op, comm, request);
  return background(entry, comm, request,
                    [&](CollectiveCall& call) { prepare::allreduce(call, send, recv, count, type, op); });
}

extern "C" int MPI_Ireduce_scatter_block(const void* send, void* recv, int count, MPI_Datatype type,
                                         MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Ireduce_scatter_block(send, recv, count, type, op, comm, request);
  return background(entry, comm, request, [&](CollectiveCall& call) {
    prepare::reduce_scatter_block(call, send, recv, count, type, op);
  });
}

extern "C" int MPI_Ireduce_scatter(const void* send, void* recv, const int counts[], MPI_Datatype type,
                                   MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Ireduce_scatter(send, recv, counts, type, op, comm, request);
  return background(entry, comm, request, [&](CollectiveCall& call) {
    prepare::reduce_scatter(call, send, recv, counts, type, op);
  });
}

extern "C" int MPI_Iscan(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                         MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Iscan(send, recv, count, type, op, comm, request);
  return background(entry, comm, request,
                    [&](CollectiveCall& call) { prepare::scan(call, send, recv, count, type, op); });
}

extern "C" int MPI_Iexscan(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op,
                           MPI_Comm comm, MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Iexscan(send, recv, count, type, op, comm, request);
  return background(entry, comm, request,
                    [&](CollectiveCall& call) { prepare::exscan(call, send, recv, count, type, op); });
}
