// Entry points that make and free communicators. What the members agree on travels as messages of the target;
// then their clocks join, so that the library's own call, which blocks in real time, keeps nobody from a
// virtual instant it needs.

#include <mpi.h>

#include <vector>

#include "model/collectives.h"
#include "mpi/convert.h"
#include "mpi/entry.h"

using emu::mpi::Entry;
using emu::mpi::Error;
using emu::mpi::process;
using emu::rank::Communicator;
using emu::rank::Rank;
namespace model = emu::model;

namespace {

void ignore(void*, const std::byte*, std::byte*, model::Bytes) {}

void agree(Rank& rank, const Communicator& c, const model::Schedule& schedule) {
  // Only the messages' sizes matter here.
  std::vector<std::byte> input(64), output(std::max<std::size_t>(64, 8 * static_cast<std::size_t>(c.size())));
  emu::mpi::run(rank, c, schedule, Rank::Memory{input.data(), output.data(), &ignore, nullptr});
  emu::mpi::check_failed(rank.join(c));
}

// MPICH agrees on the number of a new communicator by reducing a mask; 64 bytes of it.
void agree_on_context(Rank& rank, MPI_Comm comm) {
  const Communicator& c = process->communicators.find(comm);
  agree(rank, c, model::allreduce(c.rank, c.size(), model::Reduction{8, 8, true, true}));
}

void agree_on_colors(Rank& rank, MPI_Comm comm) {
  const Communicator& c = process->communicators.find(comm);
  agree(rank, c, model::allgather(c.rank, c.size(), 8));
}

int color_of_type(int type) {
  if (type == MPI_UNDEFINED) return MPI_UNDEFINED;
  if (type != MPI_COMM_TYPE_SHARED)
    throw Error{MPI_ERR_ARG, "of the types of communicators only MPI_COMM_TYPE_SHARED is emulated"};
  return process->node;
}

void made(int code, MPI_Comm* comm) {
  if (code != MPI_SUCCESS) throw Error{code, "the library refused to make the communicator"};
  process->communicators.add(*comm);
}

// Only the group's members take part.
void join_group(Rank& rank, MPI_Comm comm, MPI_Group group) {
  const Communicator& c = process->communicators.find(comm);
  Communicator members;
  members.context = c.context;
  int size = 0;
  PMPI_Group_size(group, &size);
  PMPI_Group_rank(group, &members.rank);
  if (members.rank == MPI_UNDEFINED) throw Error{MPI_ERR_GROUP, "this rank is not in the group"};
  MPI_Group all;
  PMPI_Comm_group(MPI_COMM_WORLD, &all);
  std::vector<int> ranks(static_cast<std::size_t>(size));
  for (int i = 0; i < size; ++i) ranks[static_cast<std::size_t>(i)] = i;
  members.world.resize(ranks.size());
  PMPI_Group_translate_ranks(group, size, ranks.data(), all, members.world.data());
  PMPI_Group_free(&all);
  emu::mpi::check_failed(rank.join(members));
}

}  // namespace

extern "C" int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* out) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Comm_dup(comm, out);
  return entry.run(comm, [&](Rank& rank) {
    agree_on_context(rank, comm);
    made(PMPI_Comm_dup(comm, out), out);
  });
}

extern "C" int MPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* out) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Comm_dup_with_info(comm, info, out);
  return entry.run(comm, [&](Rank& rank) {
    agree_on_context(rank, comm);
    made(PMPI_Comm_dup_with_info(comm, info, out), out);
  });
}

extern "C" int MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm* out) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Comm_create(comm, group, out);
  return entry.run(comm, [&](Rank& rank) {
    agree_on_context(rank, comm);
    made(PMPI_Comm_create(comm, group, out), out);
  });
}

extern "C" int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* out) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Comm_create_group(comm, group, tag, out);
  return entry.run(comm, [&](Rank& rank) {
    join_group(rank, comm, group);
    made(PMPI_Comm_create_group(comm, group, tag, out), out);
  });
}

extern "C" int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* out) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Comm_split(comm, color, key, out);
  return entry.run(comm, [&](Rank& rank) {
    agree_on_colors(rank, comm);
    made(PMPI_Comm_split(comm, color, key, out), out);
  });
}

// By node: the target's, whatever the host is.
extern "C" int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* out) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Comm_split_type(comm, type, key, info, out);
  return entry.run(comm, [&](Rank& rank) {
    agree_on_colors(rank, comm);
    made(PMPI_Comm_split(comm, color_of_type(type), key, out), out);
  });
}

extern "C" int MPI_Comm_free(MPI_Comm* comm) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Comm_free(comm);
  return entry.run(*comm, [&](Rank&) {
    process->communicators.find(*comm);
    if (*comm == MPI_COMM_WORLD || *comm == MPI_COMM_SELF)
      throw Error{MPI_ERR_COMM, "a predefined communicator cannot be freed"};
    process->communicators.remove(*comm);
    if (process->requests.keep(*comm))
      *comm = MPI_COMM_NULL;
    else
      PMPI_Comm_free(comm);
  });
}

extern "C" int MPI_Cart_create(MPI_Comm comm, int ndims, const int dims[], const int periods[], int reorder,
                               MPI_Comm* out) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Cart_create(comm, ndims, dims, periods, reorder, out);
  return entry.run(comm, [&](Rank& rank) {
    agree_on_context(rank, comm);
    made(PMPI_Cart_create(comm, ndims, dims, periods, reorder, out), out);
  });
}

extern "C" int MPI_Cart_sub(MPI_Comm comm, const int remain[], MPI_Comm* out) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Cart_sub(comm, remain, out);
  return entry.run(comm, [&](Rank& rank) {
    agree_on_colors(rank, comm);
    made(PMPI_Cart_sub(comm, remain, out), out);
  });
}

extern "C" int MPI_Graph_create(MPI_Comm comm, int nnodes, const int index[], const int edges[], int reorder,
                                MPI_Comm* out) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Graph_create(comm, nnodes, index, edges, reorder, out);
  return entry.run(comm, [&](Rank& rank) {
    agree_on_context(rank, comm);
    made(PMPI_Graph_create(comm, nnodes, index, edges, reorder, out), out);
  });
}

extern "C" int MPI_Dist_graph_create(MPI_Comm comm, int n, const int sources[], const int degrees[],
                                     const int destinations[], const int weights[], MPI_Info info,
                                     int reorder, MPI_Comm* out) {
  const Entry entry(__func__);
  if (entry.native())
    return PMPI_Dist_graph_create(comm, n, sources, degrees, destinations, weights, info, reorder, out);
  return entry.run(comm, [&](Rank& rank) {
    agree_on_colors(rank, comm);
    made(PMPI_Dist_graph_create(comm, n, sources, degrees, destinations, weights, info, reorder, out), out);
  });
}

extern "C" int MPI_Dist_graph_create_adjacent(MPI_Comm comm, int indegree, const int sources[],
                                              const int source_weights[], int outdegree,
                                              const int destinations[], const int dest_weights[],
                                              MPI_Info info, int reorder, MPI_Comm* out) {
  const Entry entry(__func__);
  if (entry.native())
    return PMPI_Dist_graph_create_adjacent(comm, indegree, sources, source_weights, outdegree, destinations,
                                           dest_weights, info, reorder, out);
  return entry.run(comm, [&](Rank& rank) {
    agree_on_context(rank, comm);
    made(PMPI_Dist_graph_create_adjacent(comm, indegree, sources, source_weights, outdegree, destinations,
                                         dest_weights, info, reorder, out),
         out);
  });
}
