// Which algorithm carries out a collective operation, where a target says so; else MPICH 4.0.2's choice
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
  binomial,
  bruck,
  dissemination,
  halving,
  linear,
  pairwise,
  rabenseifner,
  recursive_doubling,
  reduce_bcast,
  ring,
  scatter_doubling,
  scatter_ring,
  tree,
};

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
    Algorithm algorithm = Algorithm::mpich;
    friend bool operator==(const Choice&, const Choice&) = default;
  };

  // In growing order of `up_to`.
  void choose(Collective operation, std::vector<Choice> choices) {
    choices_[static_cast<std::size_t>(operation)] = std::move(choices);
  }
  const std::vector<Choice>& choices(Collective operation) const {
    return choices_[static_cast<std::size_t>(operation)];
  }
  // The first choice that is for so many bytes; beyond all of them MPICH's.
  Algorithm of(Collective operation, Bytes bytes) const {
    for (const Choice& choice : choices(operation))
      if (bytes <= choice.up_to) return choice.algorithm;
    return Algorithm::mpich;
  }
  bool any() const {
    for (const auto& choices : choices_)
      if (!choices.empty()) return true;
    return false;
  }

 private:
  std::array<std::vector<Choice>, collectives> choices_;
};

}  // namespace emu::model
