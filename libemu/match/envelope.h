// Envelope of a message, and the filter of a receive.
#pragma once

#include <cstdint>

#include "base/time.h"
#include "model/network.h"

namespace emu::match {

// Wildcards, with the values of MPI_ANY_SOURCE and MPI_ANY_TAG in MPICH (checked in mpi/).
inline constexpr int any_source = -2;
inline constexpr int any_tag = -1;

// Identifies a communicator's traffic, equal on all members. The lowest bit is 1 for collective traffic and 0 for the
// program's own, so that a collective message never matches a wildcard of the program.
using Context = std::uint64_t;

struct Envelope {
  Context context = 0;
  int source = 0;  // rank in MPI_COMM_WORLD
  int tag = 0;
  model::Bytes bytes = 0;  // of the payload
  // Partitioned messages of one source, tag and communicator: their number, counted from 1 in the order of
  // initialisation. All other messages have 0.
  std::uint32_t series = 0;
};

// Messages that a receive or a probe accepts. `source` is a rank in MPI_COMM_WORLD or any_source.
struct Filter {
  Context context = 0;
  int source = any_source;
  int tag = any_tag;
  std::uint32_t series = 0;

  bool operator==(const Filter&) const = default;
  bool accepts(const Envelope& e) const {
    return context == e.context && series == e.series && (source == any_source || source == e.source) &&
           (tag == any_tag || tag == e.tag);
  }
};

// The one total order of arrivals at a rank: instant, then source, then send order of that source.
struct Arrival {
  Instant at;
  int source = 0;
  std::uint64_t sequence = 0;

  friend constexpr auto operator<=>(const Arrival&, const Arrival&) = default;
};

}  // namespace emu::match
