// Arguments of collectives on an intercommunicator, for the functions of equal names in collectives.cc and
// reductions.cc.
#pragma once

#include "collective/collective_call.h"

namespace emu::mpi::prepare::inter {

void barrier(CollectiveCall& call);
void bcast(CollectiveCall& call, void* buf, MPI_Count count, MPI_Datatype type, int root);
void gather(CollectiveCall& call, const void* send, MPI_Count send_count, MPI_Datatype send_type, void* recv,
            MPI_Count recv_count, MPI_Datatype recv_type, int root);
void scatter(CollectiveCall& call, const void* send, MPI_Count send_count, MPI_Datatype send_type, void* recv,
             MPI_Count recv_count, MPI_Datatype recv_type, int root);
void gatherv(CollectiveCall& call, const void* send, MPI_Count send_count, MPI_Datatype send_type, void* recv,
             const Numbers& counts, const Numbers& displacements, MPI_Datatype recv_type, int root);
void scatterv(CollectiveCall& call, const void* send, const Numbers& counts, const Numbers& displacements,
              MPI_Datatype send_type, void* recv, MPI_Count recv_count, MPI_Datatype recv_type, int root);
void allgather(CollectiveCall& call, const void* send, MPI_Count send_count, MPI_Datatype send_type,
               void* recv, MPI_Count recv_count, MPI_Datatype recv_type);
void allgatherv(CollectiveCall& call, const void* send, MPI_Count send_count, MPI_Datatype send_type,
                void* recv, const Numbers& counts, const Numbers& displacements, MPI_Datatype recv_type);
void alltoall(CollectiveCall& call, const void* send, MPI_Count send_count, MPI_Datatype send_type,
              void* recv, MPI_Count recv_count, MPI_Datatype recv_type);
// alltoallv and alltoallw: the inputs and outputs are set.
void alltoallv(CollectiveCall& call);
void reduce(CollectiveCall& call, const void* send, void* recv, MPI_Count count, MPI_Datatype type, MPI_Op op,
            int root);
void allreduce(CollectiveCall& call, const void* send, void* recv, MPI_Count count, MPI_Datatype type,
               MPI_Op op);
void reduce_scatter(CollectiveCall& call, const void* send, void* recv, const Numbers& counts,
                    MPI_Datatype type, MPI_Op op);
void reduce_scatter_block(CollectiveCall& call, const void* send, void* recv, MPI_Count count,
                          MPI_Datatype type, MPI_Op op);

}  // namespace emu::mpi::prepare::inter
