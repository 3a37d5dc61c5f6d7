// Recording of one rank: the contents of its file, read and checked.
//
// The file `rank.N` of a recording's folder: the eight bytes "emuskel1", then numbers of variable length (7 bits in
// each byte, the lowest first; the high bit is set if more follow; signed ones with the sign in the lowest bit):
//   rank, ranks
//   then records, each of which begins with a number:
//     0            the end: picoseconds from MPI_Init to MPI_Finalize, work a second (work.h) in thousands or 0
//     1            a new call; calls are numbered from 0 in order of appearance
//     2            a function that cannot be recorded: length and letters of its name
//     3            an event: number of its call, gap, time in the call (picoseconds)
//     4            an event before which the program declared its work: as 3, with the declared time before the gap
// The gap is the time since the preceding call, in which the program computed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/failure.h"
#include "skeleton/recording/call.h"

namespace emu::skeleton {

inline constexpr std::string_view trace_magic = "emuskel1";
inline constexpr std::uint64_t end_record = 0, call_record = 1, unknown_record = 2, event_record = 3,
                               declared_record = 4;
inline constexpr int most_ranks = 1 << 20;

struct RankTrace {
  int rank = 0;
  int ranks = 1;
  double seconds = 0;          // from MPI_Init to MPI_Finalize
  double work_per_second = 0;  // units of work (work.h) of this machine; 0: not measured
  std::vector<Call> calls;     // all different ones
  // For each event:
  std::vector<std::uint32_t> call;  // index of `calls`
  std::vector<float> work;          // seconds of computation before it, on the reference CPU
  std::vector<float> inside;        // seconds in the call

  std::size_t size() const { return call.size(); }
};

// `file` is its name in messages. Measured gaps are multiplied by `speed`, that of the rank's CPU, so that `work`
// refers to the reference CPU. Fails for a file that is not a recording, is cut off, or contains a function that cannot
// be recorded.
Result<RankTrace> parse_trace(std::string_view bytes, const std::string& file, double speed = 1);

// Properties of a whole recording besides its ranks: the file `run` in its folder.
struct RunFacts {
  std::string program;         // its command line
  std::string target;          // name of the target; empty: recorded natively
  std::vector<double> speeds;  // of each rank's CPU; empty: 1
};
std::string to_text(const RunFacts& facts);
Result<RunFacts> parse_facts(std::string_view text, const std::string& file);

// All ranks of a recording. Fails also for missing or contradictory ranks.
struct Recording {
  RunFacts facts;
  std::vector<RankTrace> ranks;
  double seconds() const;  // of the longest rank
  std::size_t events() const;
};
Result<Recording> read_recording(const std::string& folder);

}  // namespace emu::skeleton
