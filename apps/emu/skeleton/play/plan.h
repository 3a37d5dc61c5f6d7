// Plan of a scaled skeleton for its ranks: the tree of steps and loops, with the numbers of the C program.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "skeleton/fold/farm.h"
#include "skeleton/program/scale.h"
#include "skeleton/program/skeleton.h"

namespace emu::skeleton {

// Work before a step, in the numbers of the C program's text.
struct PlannedWork {
  bool any = false;
  double of_all = 0;
  std::vector<double> of_rank;  // empty: of_all
  int turns = -1;               // index of its state on each rank; -1: the work is constant
  int turn_count = 0;
  bool only_scaled = false;  // the first execution, which counts once, uses the mean
  std::array<double, class_ends.size()> classes{};
  double together = 0;

  double of(int rank) const { return of_rank.empty() ? of_all : of_rank[static_cast<std::size_t>(rank)]; }
};

struct PlannedFarm {
  double master_work = 0, factor = 1;
  std::int64_t result_bytes = 0;
  bool asks = false;
  FarmScale scale;
  std::vector<double> works;
};

struct Planned {
  enum class Kind { step, loop, varying_loop, scaled_loop, farm };
  Kind kind = Kind::step;
  const Step* step = nullptr;  // for a step or a farm
  PlannedWork work;            // for a step or a farm
  std::int32_t unit = 1;       // for a reduction: bytes of an element
  bool of_any = false;         // it receives from any source
  bool of_any_tag = false;
  std::vector<Planned> body;
  long times = 0;   // loop
  double mean = 0;  // varying_loop
  LoopScale scale;  // scaled_loop
  int state = -1;   // index of its state on each rank
  PlannedFarm farm;
};

struct Plan {
  int ranks = 1;
  std::vector<Planned> items;
  int turns = 0, lefts = 0, samples = 0;  // numbers of states on each rank
};

// Both outlive the plan.
Plan plan_of(const Skeleton& skeleton, const Scaling& scaling);

}  // namespace emu::skeleton
