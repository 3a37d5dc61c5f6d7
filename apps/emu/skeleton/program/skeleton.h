// A program as its skeleton: what its ranks do, as one sequence of steps and loops that all of them go through.
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

// What the ranks do at one place of the program.
struct Step {
  std::vector<Call> calls;  // by rank; Function::nothing: it takes no part. Sizes are means over all times
  std::vector<double>
      work;             // by rank: seconds that it computes before the call, on the reference CPU: the mean
  Variation variation;  // of the work from one time to the next
  double inside = 0;    // seconds in the call, as recorded: the mean of the ranks that take part
  std::uint64_t times = 0;  // how often it is come to

  Function function() const;  // the same for all that take part
};

struct Node {
  Step step;               // if the body is empty
  std::vector<Node> body;  // or else a loop
  double times = 1;        // of a loop: the mean, where `varies`
  bool varies = false;

  bool is_loop() const { return !body.empty(); }
};

// Steps times ranks that a skeleton may have.
inline constexpr double most_calls = 4e6;

struct Skeleton {
  std::string program;  // as it was called
  std::string target;   // name of the target of the recording; empty: native
  int ranks = 1;
  double seconds = 0;          // the recorded program's
  double work_per_second = 0;  // of the machine of the recording (work.h); 0: not known
  std::uint64_t events = 0;    // of all ranks
  std::vector<Node> nodes;
};

struct CompressOptions {
  double tolerance = 0.1;  // sizes and counts that differ by less than this share are the same
};

struct Compressed {
  Skeleton skeleton;
  std::size_t columns = 0;  // merged events
  std::size_t symbols = 0;  // steps in the skeleton
  std::string structure;    // "1 2 (3 4)x249"
};

// Failure if the ranks cannot be of one run.
Result<Compressed> compress(Recording recording, const CompressOptions& options = {});

std::size_t steps_in(const std::vector<Node>& nodes);

}  // namespace emu::skeleton
