#include "comm/topology.h"

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <limits>

namespace emu::mpi {

int Cartesian::points() const {
  if (std::find(dims.begin(), dims.end(), 0) != dims.end()) return 0;
  std::int64_t all = 1;
  for (const int length : dims) all = std::min<std::int64_t>(all * length, std::numeric_limits<int>::max());
  return static_cast<int>(all);
}

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
