// The command line of reduce.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "command_line/command_line.h"
#include "operation.h"

namespace reduce {

enum class Algorithm { task, binomial, rabenseifner, mpi };
const std::vector<std::string>& algorithm_names();

struct Options {
  std::vector<Algorithm> algorithms{Algorithm::task};
  std::vector<std::int64_t> sizes{1 << 20};  // bytes on the target
  std::int32_t scale = 1;  // number of bytes on the target that one byte in memory represents
  std::int32_t at_once = 1;
  std::int32_t repeat = 1;
  std::int32_t root = 0;
  Operator operation = Operator::sum;
  double cost_per_byte = 0;  // seconds
  double overlap = 0;        // seconds of other work during the reductions
  std::int32_t heir = -1;    // -1: the rank after the root
  std::int32_t copies = 2;
  bool by_errors = false;  // failures are detected by MPI errors, not by heartbeats
  bool leave_out = false;
  double heartbeat = 1;       // seconds
  double time_limit = 10;     // seconds
  bool both = false;          // the heir reports its results, too
  bool stored = false;        // report when inputs were stored twice
  bool shrink = false;        // after a failure, continue in a communicator of the live ranks
  std::vector<int> risky;     // ranks whose inputs are stored first
  std::optional<int> victim;  // a rank that fails ...
  double fails_at = 0;        // ... at this time after MPI_Init, in seconds
  std::string timings;        // file; empty: none
};

void add_options(command_line::po::options_description& options);
emu::Result<void> read_options(const command_line::Given& given, int ranks, Options& to);

}  // namespace reduce
