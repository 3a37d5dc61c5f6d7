// C program of a skeleton.
#pragma once

#include <string>

#include "base/failure.h"
#include "skeleton/program/scale.h"
#include "skeleton/program/skeleton.h"

namespace emu::skeleton {

// The program compiles with mpicc alone; it links with or without libemu. It ends with a line on standard output, which
// parse_outcome() reads. Fails if a message is too large for MPI's counts.
Result<std::string> c_program(const Skeleton& skeleton, const Scaling& scaling,
                              const std::string& structure = "");

// The last line of such a program.
struct Outcome {
  double predicted = 0;  // seconds that the whole program would take
  double ran = 0;        // seconds that the skeleton took
  double factor = 1;     // predicted = factor * scaled + whole
  double scaled = 0, whole = 0;
  double half_width = 0;  // of the interval around `predicted`
};
Result<Outcome> parse_outcome(const std::string& output);

}  // namespace emu::skeleton
