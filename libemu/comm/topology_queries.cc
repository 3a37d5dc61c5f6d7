// Queries of topologies. All are local, and take no virtual time.

#include <mpi.h>

#include <algorithm>
#include <string>
#include <vector>

#include "mpi/calls.h"
#include "mpi/entry.h"
#include "mpi/objects.h"

namespace emu::mpi::calls {

namespace {

template <class Kind>
const Kind& topology(MPI_Comm comm) {
  const Communicator& c = communicator_of(comm);
  const auto* const kind = c.topology ? std::get_if<Kind>(c.topology.get()) : nullptr;
  if (!kind) throw Error{MPI_ERR_TOPOLOGY, "the communicator has no such topology"};
  return *kind;
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

// MPICH's maps do not change ranks.
int mapped(MPI_Comm comm, int nodes, int code) {
  const Communicator& c = communicator_of(comm);
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

int topo_test(MPI_Comm comm) {
  const Communicator& c = communicator_of(comm);
  if (!c.topology) return MPI_UNDEFINED;
  constexpr int kinds[] = {MPI_CART, MPI_GRAPH, MPI_DIST_GRAPH};
  return kinds[c.topology->index()];
}

int cartdim_get(MPI_Comm comm) { return topology<Cartesian>(comm).dimensions(); }

void cart_get(MPI_Comm comm, int room, int dims[], int periods[], int coordinates[]) {
  const auto& cart = topology<Cartesian>(comm);
  check_room(room, cart.dimensions(), "the dimensions");
  copy(cart.dims, room, dims);
  copy({cart.periodic.begin(), cart.periodic.end()}, room, periods);
  copy(cart.coordinates(communicator_of(comm).rank), room, coordinates);
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

void cart_coords(MPI_Comm comm, int rank, int room, int coordinates[]) {
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
  const int rank = communicator_of(comm).rank;
  *source = cart.shifted(rank, direction, -steps);
  *destination = cart.shifted(rank, direction, steps);
}

int cart_map(MPI_Comm comm, int ndims, const int dims[], const int[]) {
  return mapped(comm, points(ndims, dims), MPI_ERR_DIMS);
}

void graphdims_get(MPI_Comm comm, int* nnodes, int* nedges) {
  present(nnodes) = topology<Graph>(comm).nodes();
  present(nedges) = static_cast<int>(topology<Graph>(comm).edges.size());
}

void graph_get(MPI_Comm comm, int room, int room_edges, int index[], int edges[]) {
  const auto& graph = topology<Graph>(comm);
  check_room(room, graph.nodes(), "the nodes");
  check_room(room_edges, static_cast<int>(graph.edges.size()), "the edges");
  copy(graph.index, room, index);
  copy(graph.edges, room_edges, edges);
}

int graph_neighbors_count(MPI_Comm comm, int rank) {
  const auto& graph = topology<Graph>(comm);
  check_rank(rank, graph.nodes());
  return graph.last(rank) - graph.first(rank);
}

void graph_neighbors(MPI_Comm comm, int rank, int room, int neighbors[]) {
  const auto& graph = topology<Graph>(comm);
  check_rank(rank, graph.nodes());
  const std::vector<int> found(graph.edges.begin() + graph.first(rank),
                               graph.edges.begin() + graph.last(rank));
  copy(found, room, neighbors);
}

int graph_map(MPI_Comm comm, int nnodes, const int[], const int[]) {
  return mapped(comm, nnodes, MPI_ERR_ARG);
}

void dist_graph_neighbors_count(MPI_Comm comm, int* indegree, int* outdegree, int* weighted) {
  const auto& own = topology<Neighbors>(comm);
  present(indegree) = static_cast<int>(own.sources.size());
  present(outdegree) = static_cast<int>(own.destinations.size());
  present(weighted) = own.weighted;
}

void dist_graph_neighbors(MPI_Comm comm, int room_in, int sources[], int source_weights[], int room_out,
                          int destinations[], int destination_weights[]) {
  const auto& own = topology<Neighbors>(comm);
  copy(own.sources, room_in, sources);
  if (own.weighted && source_weights != MPI_UNWEIGHTED) copy(own.source_weights, room_in, source_weights);
  copy(own.destinations, room_out, destinations);
  if (own.weighted && destination_weights != MPI_UNWEIGHTED)
    copy(own.destination_weights, room_out, destination_weights);
}

}  // namespace emu::mpi::calls
