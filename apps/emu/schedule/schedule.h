// A GOAL schedule that `emu` plays by itself: no program, no mpirun, no process for each rank.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "../goal/part.h"
#include "base/failure.h"
#include "base/time.h"

namespace emu::app::schedules {

// Whether the file begins as schedules do, with "num_ranks", or its name ends in ".goal".
bool is_schedule(const std::string& path);

// What a command line says of a schedule.
enum class Kind { goal, recording, skeleton };  // schedule/source.h
struct Source {
  std::string path;
  Interval unit = Interval::picoseconds(1000);  // goal: of `calc`
  int ranks = 0;
  Kind kind = Kind::goal;
  double scale = 10;  // skeleton: how much shorter it runs
  // goal: bytes of operations in memory at most. Of a longer text each rank has a window of its operations (goal/stream.h).
  std::int64_t memory = std::numeric_limits<std::int64_t>::max();
};
// `arguments`: what follows the file's name, "--unit TIME", "--memory SIZE", or nothing. Of the file the first statement is read.
Result<Source> read_source(const std::string& path, const std::vector<std::string>& arguments);

// All that the ranks do.
struct Schedule {
  std::string path;
  std::int64_t unit = 0;  // picoseconds
  std::vector<goal::Part> parts;

  int ranks() const { return static_cast<int>(parts.size()); }
};
Result<Schedule> load(const Source& source);

// Where an operation is in the file, and what it is: "x.goal:12: recv 8b from 1 tag 7". For the report of a deadlock.
struct Place {
  int rank, operation;
};
std::vector<std::string> describe(const std::string& path, const std::vector<Place>& places);

}  // namespace emu::app::schedules
