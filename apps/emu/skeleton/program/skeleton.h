// Skeleton of a program: the actions of its ranks, as one sequence of steps and loops for all ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/failure.h"
#include "skeleton/fold/loops.h"
#include "skeleton/fold/variation.h"
#include "skeleton/recording/call.h"
#include "skeleton/recording/trace.h"

namespace emu::skeleton {

// Actions of the ranks at one place of the program.
struct Step {
  std::vector<Call>
      calls;  // by rank; Function::nothing: it takes no part. Sizes are means over all executions
  std::vector<double> work;  // by rank: mean seconds of computation before the call, on the reference CPU
  Variation variation;       // of the work between executions
  double inside = 0;         // seconds in the call, as recorded: the mean of participating ranks
  std::uint64_t times = 0;   // number of executions

  Function function() const;  // equal for all participants
};

struct Node {
  Step step;               // if the body is empty
  std::vector<Node> body;  // otherwise a loop
  double times = 1;        // of a loop: the mean, if `varies`
  bool varies = false;

  bool is_loop() const { return !body.empty(); }
};

// Greatest number of steps times ranks of a skeleton.
inline constexpr double most_calls = 4e6;

struct Skeleton {
  std::string program;  // its command line
  std::string target;   // name of the target of the recording; empty: native
  int ranks = 1;
  double seconds = 0;          // of the recorded program
  double work_per_second = 0;  // of the recording's machine (work.h); 0: unknown
  std::uint64_t events = 0;    // of all ranks
  std::vector<Node> nodes;
};

struct CompressOptions {
  double tolerance = 0.1;  // sizes and counts with a smaller relative difference count as equal
};

struct Compressed {
  Skeleton skeleton;
  std::size_t columns = 0;  // merged events
  std::size_t symbols = 0;  // steps in the skeleton
  std::string structure;    // "1 2 (3 4)x249"
};

// Fails if the ranks cannot be of one run.
Result<Compressed> compress(Recording recording, const CompressOptions& options = {});

std::size_t steps_in(const std::vector<Node>& nodes);

}  // namespace emu::skeleton
