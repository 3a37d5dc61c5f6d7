// Profile of a recorded run, per rank and per named interval, by the characteristics of the DVM performance predictor.
//
// Parts of an interval's time, on each rank:
//   execution     time of the rank in it, in all its instances
//   = productive              computation of the program; `system` is the part that the system took
//   + insufficient parallelism  waiting while exactly one rank computed: work that is not distributed
//   + communication           all other time in MPI calls: overheads and waiting, by kind
//   + node down               the rank's node was down
// and idle = the longest execution of any rank - its own. So with total = ranks x the longest execution,
// productive + lost = total, where lost = insufficient parallelism + communication + node down + idle; to the
// picosecond. The system's part is known for periods of 20 ms or more of measured compute, with the accuracy of the
// host's clock ticks; for shorter periods, and with declared compute, it is 0. Waits of a thread for files take no
// CPU time, so they are in no prediction.
//
// Derived measures of communication:
//   synchronisation   waiting because another rank began later: before the sender began to send, or before the
//                     last member entered the collective call. Part of communication.
//   variation         time from the end of this rank's call to that of the last member (collectives). Not a part: it
//                     is a potential loss, which appears where that rank is awaited next.
//   overlap           time of received messages on their way while the receiver computed. Not a part.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/history.h"
#include "analysis/processor_time.h"

namespace emu::analysis {

enum class Kind { point_to_point, reduction, broadcast, redistribution, remote_access, io, barrier, set_up };
inline constexpr std::size_t kinds = 8;
inline constexpr std::array<const char*, kinds> kind_names = {
    "point_to_point", "reduction", "broadcast", "redistribution", "remote_access", "io", "barrier", "set_up"};
// Purpose of an MPI call; point-to-point if it has no other.
Kind kind_of(std::string_view call);

// The emulated functions that concern other ranks (libemu/mpi/functions.list).
struct KindOfCall {
  std::string_view call;
  Kind kind;
};
extern const KindOfCall kinds_of_calls[];
extern const std::size_t kinds_of_calls_count;

// `Time`: Interval for one rank; ProcessorTime for several.
template <class Time>
struct CommunicationOf {
  std::int64_t operations = 0;  // calls with any event
  Time time;
  Time synchronisation;
  Time variation;
};

template <class Time>
struct MeasuresOf {
  Time execution;
  Time productive;
  Time system;  // system's part of the computation
  Time insufficient_parallelism;
  std::array<CommunicationOf<Time>, kinds> by_kind;
  Time down;
  Time overlap;

  Time communication() const {
    Time sum;
    for (const CommunicationOf<Time>& c : by_kind) sum += c.time;
    return sum;
  }
  // Also adds measures of one rank to those of several.
  template <class Other>
  MeasuresOf& operator+=(const MeasuresOf<Other>& o);
};

using Communication = CommunicationOf<Interval>;
using Measures = MeasuresOf<Interval>;

struct IntervalProfile {
  std::string name;
  std::int64_t instances = 0;      // of all ranks
  std::vector<Measures> per_rank;  // including inner intervals
  std::vector<IntervalProfile> inside;

  Interval longest() const;  // execution of any rank
  ProcessorTime total() const {
    return ProcessorTime(longest()) * static_cast<std::int64_t>(per_rank.size());
  }
  MeasuresOf<ProcessorTime> sum() const;
  Interval idle(std::size_t rank) const { return longest() - per_rank[rank].execution; }
  ProcessorTime idle() const { return total() - sum().execution; }
  ProcessorTime lost() const { return total() - sum().productive; }
  double efficiency() const;   // productive / total; 1 if total is 0
  Interval imbalance() const;  // longest productive time of a rank, less the average
};

// The whole program, up to MPI_Finalize.
Result<IntervalProfile> read_profile(const Folder& folder, const History& history);

}  // namespace emu::analysis
