// Neighbours of a communicator's members.
#pragma once

#include <variant>
#include <vector>

namespace emu::mpi {

// A grid; ranks are its points in row-major order.
struct Cartesian {
  std::vector<int> dims;
  std::vector<char> periodic;  // of each dimension: the ends meet

  int dimensions() const { return static_cast<int>(dims.size()); }
  // As many as an int can count, or INT_MAX of more.
  int points() const;
  std::vector<int> coordinates(int rank) const;
  // Periodic dimensions wrap. Others are taken as they are.
  int rank_at(const int coordinates[]) const;
  // The rank so many steps away from `rank`; none (MPI_PROC_NULL) beyond an end.
  int shifted(int rank, int direction, int steps) const;
};

// Who is next to whom: known to all members.
struct Graph {
  std::vector<int> index;  // where the neighbours of each rank end in `edges`
  std::vector<int> edges;

  int nodes() const { return static_cast<int>(index.size()); }
  // Of `rank`, in edges: [first, last).
  int first(int rank) const { return rank == 0 ? 0 : index[static_cast<std::size_t>(rank - 1)]; }
  int last(int rank) const { return index[static_cast<std::size_t>(rank)]; }
};

// This member's own neighbours.
struct Neighbors {
  std::vector<int> sources, destinations;
  bool weighted = false;
  std::vector<int> source_weights, destination_weights;  // if it is
};

using Topology = std::variant<Cartesian, Graph, Neighbors>;

}  // namespace emu::mpi
