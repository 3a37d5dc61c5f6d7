// What each collective does with its arguments: fills in the call. Arguments as MPI has them; all throw Error.
#pragma once

#include "mpi/collective_call.h"

namespace emu::mpi::prepare {

// The one that the target chooses.
inline model::Way algorithm(const model::Asked& asked) { return process->target.algorithms.of(asked); }

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
void alltoallv(CollectiveCall& call, const void* send, const Numbers& send_counts,
               const Numbers& send_displacements, MPI_Datatype send_type, void* recv,
               const Numbers& recv_counts, const Numbers& recv_displacements, MPI_Datatype recv_type);
void alltoallw(CollectiveCall& call, const void* send, const Numbers& send_counts,
               const Numbers& send_displacements, const MPI_Datatype* send_types, void* recv,
               const Numbers& recv_counts, const Numbers& recv_displacements, const MPI_Datatype* recv_types);
void reduce(CollectiveCall& call, const void* send, void* recv, MPI_Count count, MPI_Datatype type, MPI_Op op,
            int root);
void allreduce(CollectiveCall& call, const void* send, void* recv, MPI_Count count, MPI_Datatype type,
               MPI_Op op);
void scan(CollectiveCall& call, const void* send, void* recv, MPI_Count count, MPI_Datatype type, MPI_Op op);
void exscan(CollectiveCall& call, const void* send, void* recv, MPI_Count count, MPI_Datatype type,
            MPI_Op op);
void reduce_scatter_block(CollectiveCall& call, const void* send, void* recv, MPI_Count count,
                          MPI_Datatype type, MPI_Op op);
void reduce_scatter(CollectiveCall& call, const void* send, void* recv, const Numbers& counts,
                    MPI_Datatype type, MPI_Op op);

// Among neighbours; the communicator has a topology.
void neighbor_allgather(CollectiveCall& call, const void* send, MPI_Count send_count, MPI_Datatype send_type,
                        void* recv, MPI_Count recv_count, MPI_Datatype recv_type);
void neighbor_allgatherv(CollectiveCall& call, const void* send, MPI_Count send_count, MPI_Datatype send_type,
                         void* recv, const Numbers& counts, const Numbers& displacements,
                         MPI_Datatype recv_type);
void neighbor_alltoall(CollectiveCall& call, const void* send, MPI_Count send_count, MPI_Datatype send_type,
                       void* recv, MPI_Count recv_count, MPI_Datatype recv_type);
void neighbor_alltoallv(CollectiveCall& call, const void* send, const Numbers& send_counts,
                        const Numbers& send_displacements, MPI_Datatype send_type, void* recv,
                        const Numbers& recv_counts, const Numbers& recv_displacements,
                        MPI_Datatype recv_type);
void neighbor_alltoallw(CollectiveCall& call, const void* send, const Numbers& send_counts,
                        const Numbers& send_displacements, const MPI_Datatype* send_types, void* recv,
                        const Numbers& recv_counts, const Numbers& recv_displacements,
                        const MPI_Datatype* recv_types);

}  // namespace emu::mpi::prepare
