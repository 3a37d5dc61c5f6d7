// Entry points that ask about topologies. All are local, and take no virtual time.

#include <mpi.h>

#include <algorithm>
#include <string>
#include <vector>

#include "mpi/entry.h"

using emu::mpi::answer;
using emu::mpi::Cartesian;
using emu::mpi::Communicator;
using emu::mpi::emulated;
using emu::mpi::Error;
using emu::mpi::Graph;
using emu::mpi::Neighbors;
using emu::mpi::present;
using emu::mpi::process;

namespace {

const Communicator& found(MPI_Comm comm) { return process->communicators.find(comm); }

template <class Kind>
const Kind& topology(MPI_Comm comm) {
  const Communicator& c = found(comm);
  const auto* const kind = c.topology ? std::get_if<Kind>(c.topology.get()) : nullptr;
  if (!kind) throw Error{MPI_ERR_TOPOLOGY, "the communicator has no such topology"};
  return *kind;
}

int kind_of(MPI_Comm comm) {
  const Communicator& c = found(comm);
  if (!c.topology) return MPI_UNDEFINED;
  constexpr int kinds[] = {MPI_CART, MPI_GRAPH, MPI_DIST_GRAPH};
  return kinds[c.topology->index()];
}

void check_room(int room, int needed, const char* what) {
  if (room < needed)
    throw Error{MPI_ERR_ARG, std::string(what) + " are " + std::to_string(needed) +
                                 ", and there is room for " + std::to_string(room)};
}

void check_rank(int rank, int size) {
  if (rank < 0 || rank >= size)
    throw Error{MPI_ERR_RANK, "invalid rank " + std::to_string(rank) + " in a topology of " +
                                  std::to_string(size) + " processes"};
}

void copy(const std::vector<int>& from, int most, int* to) {
  const auto n = std::min<std::size_t>(from.size(), static_cast<std::size_t>(std::max(most, 0)));
  if (n > 0) std::copy_n(from.begin(), n, &present(to));
}

void get_cart(MPI_Comm comm, int room, int dims[], int periods[], int coordinates[]) {
  const auto& cart = topology<Cartesian>(comm);
  check_room(room, cart.dimensions(), "the dimensions");
  copy(cart.dims, room, dims);
  copy({cart.periodic.begin(), cart.periodic.end()}, room, periods);
  copy(cart.coordinates(found(comm).rank), room, coordinates);
}

int cart_rank(MPI_Comm comm, const int coordinates[]) {
  const auto& cart = topology<Cartesian>(comm);
  if (cart.dimensions() > 0) present(coordinates);
  for (std::size_t i = 0; i < cart.dims.size(); ++i)
    if (!cart.periodic[i] && (coordinates[i] < 0 || coordinates[i] >= cart.dims[i]))
      throw Error{MPI_ERR_ARG, "coordinate " + std::to_string(coordinates[i]) + " of dimension " +
                                   std::to_string(i) + ", whose length is " + std::to_string(cart.dims[i])};
  return cart.rank_at(coordinates);
}

void cart_coordinates(MPI_Comm comm, int rank, int room, int coordinates[]) {
  const auto& cart = topology<Cartesian>(comm);
  check_rank(rank, cart.points());
  check_room(room, cart.dimensions(), "the dimensions");
  copy(cart.coordinates(rank), room, coordinates);
}

void cart_shift(MPI_Comm comm, int direction, int steps, int* source, int* destination) {
  const auto& cart = topology<Cartesian>(comm);
  present(source);
  present(destination);
  if (direction < 0 || direction >= cart.dimensions())
    throw Error{cart.dimensions() == 0 ? MPI_ERR_TOPOLOGY : MPI_ERR_ARG,
                "no dimension " + std::to_string(direction)};
  const int rank = found(comm).rank;
  *source = cart.shifted(rank, direction, -steps);
  *destination = cart.shifted(rank, direction, steps);
}

void get_graph(MPI_Comm comm, int room, int room_edges, int index[], int edges[]) {
  const auto& graph = topology<Graph>(comm);
  check_room(room, graph.nodes(), "the nodes");
  check_room(room_edges, static_cast<int>(graph.edges.size()), "the edges");
  copy(graph.index, room, index);
  copy(graph.edges, room_edges, edges);
}

void graph_neighbors(MPI_Comm comm, int rank, int room, int neighbors[]) {
  const auto& graph = topology<Graph>(comm);
  check_rank(rank, graph.nodes());
  const std::vector<int> found(graph.edges.begin() + graph.first(rank),
                               graph.edges.begin() + graph.last(rank));
  copy(found, room, neighbors);
}

void get_neighbors(MPI_Comm comm, int room_in, int sources[], int source_weights[], int room_out,
                   int destinations[], int destination_weights[]) {
  const auto& own = topology<Neighbors>(comm);
  copy(own.sources, room_in, sources);
  if (own.weighted && source_weights != MPI_UNWEIGHTED) copy(own.source_weights, room_in, source_weights);
  copy(own.destinations, room_out, destinations);
  if (own.weighted && destination_weights != MPI_UNWEIGHTED)
    copy(own.destination_weights, room_out, destination_weights);
}

// MPICH's maps keep everyone where they are.
int mapped(MPI_Comm comm, int nodes, int code) {
  const Communicator& c = found(comm);
  if (nodes > c.size())
    throw Error{code, "a topology of " + std::to_string(nodes) + " processes in a communicator of size " +
                          std::to_string(c.size())};
  return c.rank < nodes ? c.rank : MPI_UNDEFINED;
}

int points(int dimensions, const int dims[]) {
  if (dimensions < 0)
    throw Error{MPI_ERR_ARG, "negative number of dimensions, " + std::to_string(dimensions)};
  if (dimensions > 0) present(dims);
  int all = 1;
  for (int i = 0; i < dimensions; ++i) {
    if (dims[i] < 0) throw Error{MPI_ERR_DIMS, "dimension of length " + std::to_string(dims[i])};
    all *= dims[i];
  }
  return all;
}

}  // namespace

extern "C" int MPI_Topo_test(MPI_Comm comm, int* kind) {
  if (!emulated()) return PMPI_Topo_test(comm, kind);
  return answer(__func__, comm, [&] { present(kind) = kind_of(comm); });
}

extern "C" int MPI_Cartdim_get(MPI_Comm comm, int* ndims) {
  if (!emulated()) return PMPI_Cartdim_get(comm, ndims);
  return answer(__func__, comm, [&] { present(ndims) = topology<Cartesian>(comm).dimensions(); });
}

extern "C" int MPI_Cart_get(MPI_Comm comm, int maxdims, int dims[], int periods[], int coords[]) {
  if (!emulated()) return PMPI_Cart_get(comm, maxdims, dims, periods, coords);
  return answer(__func__, comm, [&] { get_cart(comm, maxdims, dims, periods, coords); });
}

extern "C" int MPI_Cart_rank(MPI_Comm comm, const int coords[], int* rank) {
  if (!emulated()) return PMPI_Cart_rank(comm, coords, rank);
  return answer(__func__, comm, [&] { present(rank) = cart_rank(comm, coords); });
}

extern "C" int MPI_Cart_coords(MPI_Comm comm, int rank, int maxdims, int coords[]) {
  if (!emulated()) return PMPI_Cart_coords(comm, rank, maxdims, coords);
  return answer(__func__, comm, [&] { cart_coordinates(comm, rank, maxdims, coords); });
}

extern "C" int MPI_Cart_shift(MPI_Comm comm, int direction, int disp, int* source, int* dest) {
  if (!emulated()) return PMPI_Cart_shift(comm, direction, disp, source, dest);
  return answer(__func__, comm, [&] { cart_shift(comm, direction, disp, source, dest); });
}

extern "C" int MPI_Cart_map(MPI_Comm comm, int ndims, const int dims[], const int periods[], int* newrank) {
  if (!emulated()) return PMPI_Cart_map(comm, ndims, dims, periods, newrank);
  return answer(__func__, comm, [&] { present(newrank) = mapped(comm, points(ndims, dims), MPI_ERR_DIMS); });
}

extern "C" int MPI_Graphdims_get(MPI_Comm comm, int* nnodes, int* nedges) {
  if (!emulated()) return PMPI_Graphdims_get(comm, nnodes, nedges);
  return answer(__func__, comm, [&] {
    present(nnodes) = topology<Graph>(comm).nodes();
    present(nedges) = static_cast<int>(topology<Graph>(comm).edges.size());
  });
}

extern "C" int MPI_Graph_get(MPI_Comm comm, int maxindex, int maxedges, int index[], int edges[]) {
  if (!emulated()) return PMPI_Graph_get(comm, maxindex, maxedges, index, edges);
  return answer(__func__, comm, [&] { get_graph(comm, maxindex, maxedges, index, edges); });
}

extern "C" int MPI_Graph_neighbors_count(MPI_Comm comm, int rank, int* count) {
  if (!emulated()) return PMPI_Graph_neighbors_count(comm, rank, count);
  return answer(__func__, comm, [&] {
    const auto& graph = topology<Graph>(comm);
    check_rank(rank, graph.nodes());
    present(count) = graph.last(rank) - graph.first(rank);
  });
}

extern "C" int MPI_Graph_neighbors(MPI_Comm comm, int rank, int maxneighbors, int neighbors[]) {
  if (!emulated()) return PMPI_Graph_neighbors(comm, rank, maxneighbors, neighbors);
  return answer(__func__, comm, [&] { graph_neighbors(comm, rank, maxneighbors, neighbors); });
}

extern "C" int MPI_Graph_map(MPI_Comm comm, int nnodes, const int index[], const int edges[], int* newrank) {
  if (!emulated()) return PMPI_Graph_map(comm, nnodes, index, edges, newrank);
  return answer(__func__, comm, [&] { present(newrank) = mapped(comm, nnodes, MPI_ERR_ARG); });
}

extern "C" int MPI_Dist_graph_neighbors_count(MPI_Comm comm, int* indegree, int* outdegree, int* weighted) {
  if (!emulated()) return PMPI_Dist_graph_neighbors_count(comm, indegree, outdegree, weighted);
  return answer(__func__, comm, [&] {
    const auto& own = topology<Neighbors>(comm);
    present(indegree) = static_cast<int>(own.sources.size());
    present(outdegree) = static_cast<int>(own.destinations.size());
    present(weighted) = own.weighted;
  });
}

extern "C" int MPI_Dist_graph_neighbors(MPI_Comm comm, int maxindegree, int sources[], int sourceweights[],
                                        int maxoutdegree, int destinations[], int destweights[]) {
  if (!emulated())
    return PMPI_Dist_graph_neighbors(comm, maxindegree, sources, sourceweights, maxoutdegree, destinations,
                                     destweights);
  return answer(__func__, comm, [&] {
    get_neighbors(comm, maxindegree, sources, sourceweights, maxoutdegree, destinations, destweights);
  });
}
