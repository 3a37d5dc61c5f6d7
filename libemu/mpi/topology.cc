#include "mpi/topology.h"

#include <mpi.h>

#include <functional>
#include <numeric>

namespace emu::mpi {

int Cartesian::points() const { return std::accumulate(dims.begin(), dims.end(), 1, std::multiplies<>()); }

std::vector<int> Cartesian::coordinates(int rank) const {
  std::vector<int> found;
  int inner = points();
  for (const int length : dims) {
    inner /= length;
    found.push_back(rank / inner);
    rank %= inner;
  }
  return found;
}

int Cartesian::rank_at(const int coordinates[]) const {
  int rank = 0;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    int at = coordinates[i];
    if (periodic[i]) at = (at % dims[i] + dims[i]) % dims[i];
    rank = rank * dims[i] + at;
  }
  return rank;
}

int Cartesian::shifted(int rank, int direction, int steps) const {
  std::vector<int> at = coordinates(rank);
  const auto d = static_cast<std::size_t>(direction);
  at[d] += steps;
  if (!periodic[d] && (at[d] < 0 || at[d] >= dims[d])) return MPI_PROC_NULL;
  return rank_at(at.data());
}

}  // namespace emu::mpi
