// Profile of a recorded run, per rank and per named interval, by the characteristics of the DVM performance predictor.
//
// Of an interval, on each rank:
//   execution     how long the rank was in it, all its instances together
//   = productive              the program's own work: compute; `system` is what of it the system took
//   + insufficient parallelism  waiting while exactly one rank of all computed: work that is not shared out
//   + communication           all other time in MPI calls: overheads and waiting, by kind
//   + node down               the rank's node was down, whatever the rank was about
// and idle = the longest execution of any rank - its own. So with total = ranks x the longest execution,
// productive + lost = total, where lost = insufficient parallelism + communication + node down + idle; to the
// picosecond. The system's part is known of stretches of 20 ms or more of measured compute, as far as the host's
// clock ticks tell; in shorter ones, and where compute is declared, it is 0. That a thread waits for files is no
// CPU time, so it is in no prediction.
//
// Of communication, again part of it or beside it:
//   synchronisation   waiting because another one began later: before the sender began to send, or before the
//                     last member entered the collective call. Part of communication.
//   variation         how much later than this rank's the last member's call ended (collectives). Beside it: it
//                     is a potential loss, which shows up wherever that rank is waited for next.
//   overlap           the time that received messages were on their way while the receiver computed. Beside it.
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
// What an MPI call is for; point-to-point if it is for nothing else.
Kind kind_of(std::string_view call);

// The functions that are emulated, and concern other ranks (libemu/mpi/functions.list).
struct KindOfCall {
  std::string_view call;
  Kind kind;
};
extern const KindOfCall kinds_of_calls[];
extern const std::size_t kinds_of_calls_count;

// `Time`: Interval, of one rank; ProcessorTime, of several together.
template <class Time>
struct CommunicationOf {
  std::int64_t operations = 0;  // calls in which something happened
  Time time;
  Time synchronisation;
  Time variation;
};

template <class Time>
struct MeasuresOf {
  Time execution;
  Time productive;
  Time system;  // part of it
  Time insufficient_parallelism;
  std::array<CommunicationOf<Time>, kinds> by_kind;
  Time down;
  Time overlap;

  Time communication() const {
    Time sum;
    for (const CommunicationOf<Time>& c : by_kind) sum += c.time;
    return sum;
  }
  // Also those of one rank to those of several.
  template <class Other>
  MeasuresOf& operator+=(const MeasuresOf<Other>& o);
};

using Communication = CommunicationOf<Interval>;
using Measures = MeasuresOf<Interval>;

struct IntervalProfile {
  std::string name;
  std::int64_t instances = 0;      // of all ranks
  std::vector<Measures> per_rank;  // with all that is in intervals inside
  std::vector<IntervalProfile> inside;

  Interval longest() const;  // execution of any rank
  ProcessorTime total() const {
    return ProcessorTime(longest()) * static_cast<std::int64_t>(per_rank.size());
  }
  MeasuresOf<ProcessorTime> sum() const;
  Interval idle(std::size_t rank) const { return longest() - per_rank[rank].execution; }
  ProcessorTime idle() const { return total() - sum().execution; }
  ProcessorTime lost() const { return total() - sum().productive; }
  double efficiency() const;   // productive / total; 1 where nothing takes time
  Interval imbalance() const;  // the longest productive time of a rank, less the average
};

// The whole program, up to the entries to MPI_Finalize.
Result<IntervalProfile> read_profile(const Folder& folder, const History& history);

}  // namespace emu::analysis
