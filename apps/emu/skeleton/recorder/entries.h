// Records of calls, made from their arguments at their ends. The entry points around these functions are generated
// (skeleton/recorder/entries.cc.in).
#pragma once

#include <mpi.h>

#include "skeleton/recording/call.h"

namespace emu::skeleton::recorded {

struct Elements {
  const void* address;
  int count;
  MPI_Datatype type;
};
// Blocks of each rank, or for each rank.
struct Blocks {
  const void* address;
  const int* counts;
  MPI_Datatype type;
};

Call message(Function function, const Elements& data, int peer, int tag, MPI_Comm comm);
// The request of the call is `request`.
Call begun(Function function, const Elements& data, int peer, int tag, MPI_Comm comm, MPI_Request request);
Call sendrecv(const Elements& out, int to, int out_tag, const Elements& in, int from, int in_tag,
              MPI_Comm comm);
Call sendrecv_replace(const Elements& data, int to, int out_tag, int from, int in_tag, MPI_Comm comm);

// Collectives: the bytes that each rank gives or gets.
Call barrier(MPI_Comm comm);
Call bcast(const Elements& data, int root, MPI_Comm comm);
Call reduce(const Elements& result, int root, MPI_Comm comm);
Call allreduce(const Elements& result, MPI_Comm comm);
Call scan(const Elements& result, MPI_Comm comm);
Call exscan(const Elements& result, MPI_Comm comm);
Call reduce_scatter_block(const Elements& result, MPI_Comm comm);
Call reduce_scatter(const Blocks& result, MPI_Comm comm);
Call gather(const Elements& out, const Elements& in, int root, MPI_Comm comm);
Call gatherv(const Elements& out, const Blocks& in, int root, MPI_Comm comm);
Call scatter(const Elements& out, const Elements& in, int root, MPI_Comm comm);
Call scatterv(const Blocks& out, const Elements& in, int root, MPI_Comm comm);
Call allgather(const Elements& out, const Elements& in, MPI_Comm comm);
Call allgatherv(const Elements& out, const Blocks& in, MPI_Comm comm);
Call alltoall(const Elements& out, const Elements& in, MPI_Comm comm);
Call alltoallv(const Blocks& out, const Blocks& in, MPI_Comm comm);

// A communicator that all ranks of `parent` have created in any way: as if by MPI_Comm_split,
// with the world rank of its first member as colour, and each member's position as key.
Call communicator(MPI_Comm parent, MPI_Comm child);

}  // namespace emu::skeleton::recorded
