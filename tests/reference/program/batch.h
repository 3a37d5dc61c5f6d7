// Batch of programs of one start of mpirun: the number of ranks and the target.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "reference/cluster/cluster.h"

namespace emu::reference {

struct Batch {
  std::uint64_t seed = 0;
  int ranks = 2;
  Cluster cluster;
  bool cancels = false;   // sends are taken back
  std::int64_t unit = 1;  // picoseconds; what latencies, overheads and computations of the batch are like
};

// Batches of this seed and later ones draw cards and memories that messages share.
inline constexpr std::uint64_t shared_seeds = std::uint64_t{1} << 40;

// All from the seed; `ranks` 0: 2 to 8, from the seed too.
Batch make_batch(std::uint64_t seed, int ranks = 0);

// Lets nodes fail at random, the same for the same seed, in the course of a run that takes so long.
void fail_nodes(Batch& batch, std::uint64_t seed, Interval length);

// Makes the network's parameters a little greater at random, the same for the same seed, so that no two ways to an
// instant take the same time: where they do, the instant has more than one derivative.
void break_ties(Batch& batch);

// The same for failures that are noticed: in the course of a run, at instants that matter to it, like the ones
// given, or such that they are known then.
void fail_noticed(Batch& batch, std::uint64_t seed, const std::vector<Instant>& instants, Instant begin);

// The parameters on one line, for people.
std::string describe(const Batch& batch);

}  // namespace emu::reference
