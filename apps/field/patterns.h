// Communication patterns whose times were measured on clusters: schedules of messages, and collective operations.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <string>
#include <vector>

namespace field {

// The data of one rank. As in the measured programs, all messages of a schedule use the same buffers.
struct Rank {
  int rank, ranks;
  MPI_Comm comm;
  std::vector<char>& out;  // large enough
  std::vector<char>& in;
};

// Runs one pattern. The table in patterns.cc defines `bytes` for each pattern. `comm` contains all ranks.
using Pattern = void (*)(const Rank& me, long long bytes);

// Null if no pattern has this name.
Pattern find_pattern(const std::string& name);
std::string names_of_patterns();
// Size of each of the two buffers in bytes.
std::size_t room(const std::string& name, long long bytes, int ranks);

}  // namespace field
