// A master that deals a loop's iterations in chunks to whoever asks.
//
//   request  slave -> master    24 bytes: the chunk that was done, its sum, how long it took
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

// Who deals: a master, or a counter in its memory, from which the others draw the numbers of their chunks by one-sided
// operations.
enum class Counter { master, one_sided };

struct Plan {
  Rule rule = Rule::self;
  Counter counter = Counter::master;  // one_sided: not for rules whose chunks depend on who gets them
  std::vector<double> weights;  // of the weighted rule: one for each slave; none: from the slaves' probes
  Costs costs;                  // of fixed-size chunking
  double probe = 0;             // seconds of work on the reference CPU by which the slaves' speeds are found
};

// Collective over `comm`; the outcome is at rank 0, which is the master. Alone it runs all iterations itself.
Outcome run(const Loop& loop, const Plan& plan, MPI_Comm comm);

// The same, of more than one rank, by Counter::one_sided.
Outcome run_by_counter(const Loop& loop, const Plan& plan, MPI_Comm comm);

}  // namespace loops
