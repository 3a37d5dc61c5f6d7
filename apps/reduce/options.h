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
  std::vector<std::int64_t> sizes{1 << 20};  // bytes, as they count on the target
  std::int32_t scale = 1;                    // a byte in memory stands for so many
  std::int32_t at_once = 1;
  std::int32_t repeat = 1;
  std::int32_t root = 0;
  Operator operation = Operator::sum;
  double cost_per_byte = 0;  // seconds
  double overlap = 0;        // seconds of work beside the reductions
  std::int32_t heir = -1;    // -1: the one behind the root
  std::int32_t copies = 2;
  bool by_errors = false;  // how failures are noticed
  bool leave_out = false;
  double heartbeat = 1;       // seconds
  double time_limit = 10;     // seconds
  bool both = false;          // the heir says what it has, too
  bool stored = false;        // say when inputs stood twice
  bool shrink = false;        // after a failure go on in a communicator of those that live
  std::vector<int> risky;     // ranks whose inputs are stored first
  std::optional<int> victim;  // a rank that fails ...
  double fails_at = 0;        // ... at this time after MPI_Init, in seconds
  std::string timings;        // file; empty: none
};

void add_options(command_line::po::options_description& options);
emu::Result<void> read_options(const command_line::Given& given, int ranks, Options& to);

}  // namespace reduce
