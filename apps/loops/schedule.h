// Self-scheduling of a loop: a master deals chunks of iterations to the slaves that ask.
//
//   request  slave -> master    24 bytes: the completed chunk, its sum, and its time
//   chunk    master -> slave    8 bytes: first iteration, number of iterations; none: stop
#pragma once

#include <mpi.h>

#include <vector>

#include "advice/chunks.h"
#include "loop.h"

namespace loops {

using emu::advice::Chunks;
using emu::advice::Costs;
using emu::advice::Rule;

struct Chunk {
  std::int32_t first = 0;
  std::int32_t count = 0;
};

struct Dealt {
  Chunk chunk;
  int slave = 0;  // its rank
};

struct Outcome {
  std::uint64_t sum = 0;  // of all iterations
  std::vector<Dealt> dealt;
};

// Dealing by a master, or by a counter in its memory, from which the others draw the numbers of their chunks with
// one-sided operations.
enum class Counter { master, one_sided };

struct Plan {
  Rule rule = Rule::self;
  Counter counter = Counter::master;  // one_sided: not for rules whose chunks depend on the slave
  std::vector<double> weights;  // for the weighted rule: one for each slave; none: from the slaves' probes
  Costs costs;                  // for fixed-size chunking
  double probe = 0;  // seconds of work on the reference CPU by which the slaves' speeds are measured
};

// Collective over `comm`; the outcome is at rank 0, the master. A single rank runs all iterations itself.
Outcome run(const Loop& loop, const Plan& plan, MPI_Comm comm);

// As run(), with more than one rank, by Counter::one_sided.
Outcome run_by_counter(const Loop& loop, const Plan& plan, MPI_Comm comm);

}  // namespace loops
