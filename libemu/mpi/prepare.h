// What each collective does with its arguments: fills in the call. Arguments as MPI has them; all throw Error.
#pragma once

#include "mpi/collective_call.h"

namespace emu::mpi::prepare {

void barrier(CollectiveCall& call);
void bcast(CollectiveCall& call, void* buf, MPI_Count count, MPI_Datatype type, int root);
void gather(CollectiveCall& call, const void* send, MPI_Count send_count, MPI_Datatype send_type, void* recv,
            MPI_Count recv_count, MPI_Datatype recv_type, int root);
void scatter(CollectiveCall& call, const void* send, MPI_Count send_count, MPI_Datatype send_type, void* recv,
             MPI_Count recv_count, MPI_Datatype recv_type, int root);
void gatherv(CollectiveCall& call, const void* send, MPI_Count send_count, MPI_Datatype send_type, void* recv,
             const int* counts, const int* displacements, MPI_Datatype recv_type, int root);
void scatterv(CollectiveCall& call, const void* send, const int* counts, const int* displacements,
              MPI_Datatype send_type, void* recv, MPI_Count recv_count, MPI_Datatype recv_type, int root);
void allgather(CollectiveCall& call, const void* send, MPI_Count send_count, MPI_Datatype send_type,
               void* recv, MPI_Count recv_count, MPI_Datatype recv_type);
void allgatherv(CollectiveCall& call, const void* send, MPI_Count send_count, MPI_Datatype send_type,
                void* recv, const int* counts, const int* displacements, MPI_Datatype recv_type);
void alltoall(CollectiveCall& call, const void* send, MPI_Count send_count, MPI_Datatype send_type,
              void* recv, MPI_Count recv_count, MPI_Datatype recv_type);
void alltoallv(CollectiveCall& call, const void* send, const int* send_counts, const int* send_displacements,
               MPI_Datatype send_type, void* recv, const int* recv_counts, const int* recv_displacements,
               MPI_Datatype recv_type);
void reduce(CollectiveCall& call, const void* send, void* recv, MPI_Count count, MPI_Datatype type, MPI_Op op,
            int root);
void allreduce(CollectiveCall& call, const void* send, void* recv, MPI_Count count, MPI_Datatype type,
               MPI_Op op);
void scan(CollectiveCall& call, const void* send, void* recv, MPI_Count count, MPI_Datatype type, MPI_Op op);
void exscan(CollectiveCall& call, const void* send, void* recv, MPI_Count count, MPI_Datatype type,
            MPI_Op op);
void reduce_scatter_block(CollectiveCall& call, const void* send, void* recv, MPI_Count count,
                          MPI_Datatype type, MPI_Op op);
void reduce_scatter(CollectiveCall& call, const void* send, void* recv, const int* counts, MPI_Datatype type,
                    MPI_Op op);

}  // namespace emu::mpi::prepare
