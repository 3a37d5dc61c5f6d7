// Finish times of an independent LogGPS simulator: the programs, the parameters, and the simulator's
// results.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/failure.h"
#include "goal/goal_file.h"
#include "model/network.h"

namespace emu::oracle {

struct Row {
  std::string program;
  std::string threshold;             // S in bytes, or "inf"
  std::string parameters;            // name of a set
  std::vector<std::int64_t> finish;  // per rank, in units of 0.1 ns

  int ranks() const { return static_cast<int>(finish.size()); }
  std::string name() const { return program + " S=" + threshold + " " + parameters; }
};

inline constexpr std::int64_t picoseconds_per_unit = 100;

// `folder` contains finish_times.csv and programs/.
Result<std::vector<Row>> read(const std::string& folder);
Result<model::Parameters> parameters(const Row& row);
// The GOAL schedule of `row.program`: the file of its family ("ms7" for "ms7_t100"), with the number at the end of the
// name.
std::string program_text(const Row& row, const std::string& folder);
Result<goal::Schedule> load(const Row& row, const std::string& folder);

}  // namespace emu::oracle
