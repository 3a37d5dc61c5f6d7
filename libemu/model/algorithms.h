// Choice of the algorithm of a collective operation: the one that a target names, or MPICH 4.0.2's choice
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

// Operations with several algorithms, with the size on which a choice can depend:
enum class Collective : std::uint8_t {
  barrier,         // 0
  bcast,           // bytes of the message
  reduce,          // bytes of each rank's vector
  allreduce,       // bytes of each rank's vector
  reduce_scatter,  // bytes of the whole vector; also of reduce_scatter_block
  gather,          // bytes of all blocks together; also of scatter
  allgather,       // bytes of all blocks together; also of allgatherv
  alltoall,        // bytes of one block
};
inline constexpr std::size_t collectives = 8;

enum class Algorithm : std::uint8_t {
  mpich,  // MPICH's choice; with several ranks on a node usually by node leaders (model/two_level.h)
  flat,   // MPICH's choice with one rank on each node
  binary,
  binomial,
  binomial_doubling,
  bruck,
  butterfly,
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
  reduce_scatter_openmpi,
  ring,
  rotation,
  scatter_doubling,
  scatter_ring,
  split_binary,
  tree,
};

// An algorithm and, for segmented algorithms of bcast and reduce, the bytes of a segment. 0:
// the algorithm's own length, or no segments for a binomial tree; whole: the vector is not cut.
struct AlgorithmChoice {
  static constexpr Bytes whole = std::numeric_limits<Bytes>::max();

  constexpr AlgorithmChoice(Algorithm algorithm = Algorithm::mpich,
                            Bytes segment = 0)  // NOLINT: an algorithm is a choice
      : algorithm(algorithm), segment(segment) {}
  constexpr operator Algorithm() const { return algorithm; }  // NOLINT: for operations without segments
  friend bool operator==(const AlgorithmChoice&, const AlgorithmChoice&) = default;
  Algorithm algorithm;
  Bytes segment;
};

// The algorithm without node leaders, which the caller has excluded (model/two_level.h).
constexpr Algorithm without_nodes(Algorithm algorithm) {
  return algorithm == Algorithm::flat ? Algorithm::mpich : algorithm;
}

// True if a reduction by this algorithm may change the order of the operands.
constexpr bool needs_commutative(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::mpich:
    case Algorithm::flat:
    case Algorithm::binomial:
    case Algorithm::butterfly:
    case Algorithm::linear:
    case Algorithm::recursive_doubling:
    case Algorithm::reduce_bcast:
    case Algorithm::reduce_bcast_openmpi:
    case Algorithm::reduce_scatter_openmpi:
      return false;
    default:
      return true;
  }
}

// Properties of an operation on which the choice depends.
struct AlgorithmQuery {
  Collective operation;
  Bytes bytes = 0;  // the size, see Collective
  int ranks = 1;
  Bytes elements = 0;       // reductions: elements of each rank; otherwise ignored
  bool commutative = true;  // reductions; otherwise ignored
  bool scatters = false;    // Collective::gather: the operation is a scatter
  // The operation has a count for each rank: MPI_Allgatherv, and MPI_Reduce_scatter in place of its _block form.
  bool lists_counts = false;
};

// The library whose choice applies by default.
enum class Library : std::uint8_t { mpich, openmpi, openmpi_4_1 };

struct NamedAlgorithm {
  Algorithm algorithm;
  std::string_view name;  // in a target file
};
struct NamedCollective {
  Collective operation;
  std::string_view name;
  std::span<const NamedAlgorithm> algorithms;  // its algorithms, `mpich` among them
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

  // In ascending order of `up_to`.
  void choose(Collective operation, std::vector<Choice> choices) {
    choices_[static_cast<std::size_t>(operation)] = std::move(choices);
  }
  const std::vector<Choice>& choices(Collective operation) const {
    return choices_[static_cast<std::size_t>(operation)];
  }
  // The first choice that applies to this number of bytes; without one, the library's (model/openmpi.h), or MPICH's.
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
