// Neighbours of a communicator's members.
#pragma once

#include <variant>
#include <vector>

namespace emu::mpi {

// A grid; ranks are its points in row-major order.
struct Cartesian {
  std::vector<int> dims;
  std::vector<char> periodic;  // by dimension: true if the ends are neighbours

  int dimensions() const { return static_cast<int>(dims.size()); }
  // The number of points, at most INT_MAX.
  int points() const;
  std::vector<int> coordinates(int rank) const;
  // Periodic dimensions wrap around. Coordinates of others must be in range.
  int rank_at(const int coordinates[]) const;
  // The rank at a distance of `steps` from `rank`; MPI_PROC_NULL beyond an end.
  int shifted(int rank, int direction, int steps) const;
};

// The neighbours of all members, known to all members.
struct Graph {
  std::vector<int> index;  // for each rank: the end of its neighbours in `edges`
  std::vector<int> edges;

  int nodes() const { return static_cast<int>(index.size()); }
  // Range of the neighbours of `rank` in edges: [first, last).
  int first(int rank) const { return rank == 0 ? 0 : index[static_cast<std::size_t>(rank - 1)]; }
  int last(int rank) const { return index[static_cast<std::size_t>(rank)]; }
};

// This member's own neighbours.
struct Neighbors {
  std::vector<int> sources, destinations;
  bool weighted = false;
  std::vector<int> source_weights, destination_weights;  // if weighted
};

using Topology = std::variant<Cartesian, Graph, Neighbors>;

}  // namespace emu::mpi
