// Communication patterns whose times were measured on clusters: schedules of messages, and collective operations.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <string>
#include <vector>

namespace field {

// What one rank works with. All messages of a schedule go from and to one buffer, as in the programs measured.
struct Rank {
  int rank, ranks;
  MPI_Comm comm;
  std::vector<char>& out;  // large enough
  std::vector<char>& in;
};

// Carries out one pattern. `bytes`: as each pattern's row in patterns.cc says. `comm` holds all ranks.
using Pattern = void (*)(const Rank& me, long long bytes);

// Null if there is none of this name.
Pattern find_pattern(const std::string& name);
std::string names_of_patterns();
// How many bytes each of the two buffers needs.
std::size_t room(const std::string& name, long long bytes, int ranks);

}  // namespace field
