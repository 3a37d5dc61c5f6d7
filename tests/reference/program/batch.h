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
  bool cancels = false;           // sends are cancelled
  bool releases = false;          // requests are freed before they are complete
  bool releases_started = false;  // ... also persistent ones, and those whose cancel has begun
  bool keeps_found = false;       // messages of matched probes are received after other receives have begun
  bool takes_beside = false;      // matched probes beside receives that are cancelled
  bool frees_idle = false;        // inactive persistent requests are freed
  bool mixes = false;             // calls for some of all requests, while persistent ones are inactive
  bool tells_edges = false;       // a rank's neighbours are told by other ranks
  bool makes_subsets = false;     // communicators are made by some members
  bool parts_bridges = false;     // intercommunicators are made from intercommunicators
  std::int64_t unit = 1;          // picoseconds; scale of latencies, overheads and computations in the batch
};

// Batches of this seed and later ones draw cards and memories that messages share.
inline constexpr std::uint64_t shared_seeds = std::uint64_t{1} << 40;

// All values follow from the seed. `ranks` 0: 2 to 8 ranks, which also follow from the seed.
Batch make_batch(std::uint64_t seed, int ranks = 0);

// Lets nodes fail at random, determined by the seed, in the course of a run of this length.
void fail_nodes(Batch& batch, std::uint64_t seed, Interval length);

// Increases the network's parameters a little at random, determined by the seed, so that no two ways to an instant take
// equal times. An instant with two such ways has more than one derivative.
void break_ties(Batch& batch);

// As fail_nodes, for failures that are noticed: at instants that matter to the run, such as the given ones, or so that
// failures are known at those instants.
void fail_noticed(Batch& batch, std::uint64_t seed, const std::vector<Instant>& instants, Instant begin);

// The parameters on one line, for users.
std::string describe(const Batch& batch);

}  // namespace emu::reference
