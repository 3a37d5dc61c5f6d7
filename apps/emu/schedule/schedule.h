// A GOAL schedule that `emu` simulates itself: without a program, mpirun, or a process for each rank.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "../goal/part.h"
#include "base/failure.h"
#include "base/time.h"

namespace emu::app::schedules {

// True if the file begins with "num_ranks", as schedules do, or if its name ends in ".goal".
bool is_schedule(const std::string& path);

// A schedule as named on the command line.
enum class Kind { goal, recording, skeleton };  // schedule/source.h
struct Source {
  std::string path;
  Interval unit = Interval::picoseconds(1000);  // goal: the unit of `calc`
  int ranks = 0;
  Kind kind = Kind::goal;
  double scale = 10;  // skeleton: the factor by which it runs shorter
  // goal: most bytes of operations in memory. With a longer text, each rank has a window of its operations
  // (goal/stream.h).
  std::int64_t memory = std::numeric_limits<std::int64_t>::max();
};
// `arguments`: those after the file's name: "--unit TIME", "--memory SIZE", or nothing. Reads the first statement of
// the file.
Result<Source> read_source(const std::string& path, const std::vector<std::string>& arguments);

// The operations of all ranks.
struct Schedule {
  std::string path;
  std::int64_t unit = 0;  // picoseconds
  std::vector<goal::Part> parts;

  int ranks() const { return static_cast<int>(parts.size()); }
};
Result<Schedule> load(const Source& source);

// An operation. describe() returns its location in the file, and its text: "x.goal:12: recv 8b from 1 tag 7". For the
// report of a deadlock.
struct Place {
  int rank, operation;
};
std::vector<std::string> describe(const std::string& path, const std::vector<Place>& places);

}  // namespace emu::app::schedules
