// sums_test RECORD: in the record of a run, the six kinds of time of each rank, and the causes along
// its path, add up to its finish, to the picosecond, and the longest finish is the prediction.
#include <algorithm>
#include <cstdio>

#include "record/summary.h"

int main(int argc, char** argv) {
  const auto run = emu::record::read(argc > 1 ? argv[1] : "");
  if (!run) {
    std::fprintf(stderr, "%s\n", run.error().message.c_str());
    return 1;
  }
  int wrong = 0;
  for (const emu::record::RankSummary& rank : run->ranks) {
    if (emu::Instant::start() + rank.time.total() == rank.finish && rank.path.total() == rank.time.total() &&
        rank.time.compute > emu::Interval())
      continue;
    std::fprintf(stderr, "the intervals add up to %lld, not to %lld ps\n",
                 static_cast<long long>(rank.time.total().picoseconds()),
                 static_cast<long long>(rank.finish.picoseconds()));
    ++wrong;
  }
  return wrong > 0 || run->ranks.empty() ? 1 : 0;
}
