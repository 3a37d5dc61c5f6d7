// Choice of the algorithm of a collective operation, where a target names one; else MPICH 4.0.2's choice
// (model/collectives.h).
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "model/schedule.h"

namespace emu::model {

// Operations that can be done in several ways. What their sizes are that a choice can depend on:
enum class Collective : std::uint8_t {
  barrier,         // 0
  bcast,           // bytes of the message
  reduce,          // bytes of each rank's vector
  allreduce,       // likewise
  reduce_scatter,  // bytes of the whole vector; also of reduce_scatter_block
  gather,          // bytes of all blocks together; also of scatter
  allgather,       // bytes of all blocks together; also of allgatherv
  alltoall,        // bytes of one block
};
inline constexpr std::size_t collectives = 8;

enum class Algorithm : std::uint8_t {
  mpich,  // whichever MPICH takes
  smp,    // as MPICH does it where nodes hold several ranks: mostly by node leaders (model/two_level.h)
  binary,
  binomial,
  binomial_doubling,
  bruck,
  chains,
  dissemination,
  halving,
  knomial,
  linear,
  neighbor_exchange,
  pairwise,
  pipeline,
  rabenseifner,
  recursive_doubling,
  recursive_doubling_halves,
  reduce_bcast,
  reduce_bcast_openmpi,
  ring,
  rotation,
  scatter_doubling,
  scatter_ring,
  split_binary,
  tree,
};

// An algorithm, and for those of a bcast or reduce that work in segments the bytes of one; 0: a length of its own, or for a
// binomial tree no segments; whole: the vector is not cut.
struct AlgorithmChoice {
  static constexpr Bytes whole = std::numeric_limits<Bytes>::max();

  constexpr AlgorithmChoice(Algorithm algorithm = Algorithm::mpich,
                            Bytes segment = 0)  // NOLINT: an algorithm is one
      : algorithm(algorithm), segment(segment) {}
  constexpr operator Algorithm() const { return algorithm; }  // NOLINT: where segments have no part in it
  friend bool operator==(const AlgorithmChoice&, const AlgorithmChoice&) = default;
  Algorithm algorithm;
  Bytes segment;
};

// What is left of the choice where nodes have no part in it.
constexpr Algorithm without_nodes(Algorithm algorithm) {
  return algorithm == Algorithm::smp ? Algorithm::mpich : algorithm;
}

// Whether a reduction by it may change the order of the operands.
constexpr bool needs_commutative(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::mpich:
    case Algorithm::smp:
    case Algorithm::binomial:
    case Algorithm::linear:
    case Algorithm::recursive_doubling:
    case Algorithm::reduce_bcast:
    case Algorithm::reduce_bcast_openmpi:
      return false;
    default:
      return true;
  }
}

// What an operation is chosen for.
struct AlgorithmQuery {
  Collective operation;
  Bytes bytes = 0;  // what counts, see Collective
  int ranks = 1;
  Bytes elements = 0;          // that a rank contributes to a reduction; of others not looked at
  bool commutative = true;     // likewise
  bool scatters = false;       // Collective::gather: the other way round
  bool blocks_differ = false;  // Collective::allgather: allgatherv
};

// Whose choice holds where nothing else is said.
enum class Library : std::uint8_t { mpich, openmpi, openmpi_4_1 };

struct NamedAlgorithm {
  Algorithm algorithm;
  std::string_view name;  // in a target
};
struct NamedCollective {
  Collective operation;
  std::string_view name;
  std::span<const NamedAlgorithm> algorithms;  // those that it has, `mpich` among them
};
// In the order of the enumeration.
std::span<const NamedCollective> named_collectives();

class Algorithms {
 public:
  struct Choice {
    Bytes up_to = std::numeric_limits<Bytes>::max();
    AlgorithmChoice algorithm;
    friend bool operator==(const Choice&, const Choice&) = default;
  };

  // In growing order of `up_to`.
  void choose(Collective operation, std::vector<Choice> choices) {
    choices_[static_cast<std::size_t>(operation)] = std::move(choices);
  }
  const std::vector<Choice>& choices(Collective operation) const {
    return choices_[static_cast<std::size_t>(operation)];
  }
  // The first choice that is for so many bytes; beyond all of them the library's (model/openmpi.h), or MPICH's.
  AlgorithmChoice of(const AlgorithmQuery& asked) const;
  Library library = Library::mpich;
  bool any() const {
    for (const auto& choices : choices_)
      if (!choices.empty()) return true;
    return library != Library::mpich;
  }

 private:
  std::array<std::vector<Choice>, collectives> choices_;
};

}  // namespace emu::model
