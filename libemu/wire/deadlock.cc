#include "wire/deadlock.h"

#include <algorithm>

#include "base/units.h"

namespace emu::wire {

Waiter waiter(Table& table, const Places& places, int rank) {
  const Record& record = table.record(places.slot_of(rank));
  const trace::RankSummary& summary = table.summary(rank);
  return {rank, record.finished, summary.failed, summary.finish.picoseconds(), record.wait};
}

bool deadlocked(const std::vector<Waiter>& ranks) {
  return std::any_of(ranks.begin(), ranks.end(), [](const Waiter& w) { return !w.finished; });
}

std::string describe_deadlock(const std::vector<Waiter>& ranks) {
  constexpr int most = 32;
  std::string text = "deadlock: no rank can go on.", failed;
  int told = 0, finished = 0;
  for (const Waiter& r : ranks) {
    if (r.failed) {
      failed += (failed.empty() ? "" : ", ") + std::to_string(r.rank) + " at " +
                format(Interval::picoseconds(r.finish), 9);
      continue;
    }
    if (r.finished) {
      ++finished;
      continue;
    }
    if (++told > most) continue;
    const Wait& w = r.wait;
    text += "\n  rank " + std::to_string(r.rank) + " waits in " + w.call + " for ";
    text += w.peer == match::any_source ? "any source"
            : w.peer < 0                ? "nobody"
                                        : "rank " + std::to_string(w.peer);
    text += w.tag == match::any_tag ? ", any tag" : ", tag " + std::to_string(w.tag);
    if (w.requests == 2) text += " (and 1 more request)";
    if (w.requests > 2) text += " (and " + std::to_string(w.requests - 1) + " more requests)";
  }
  if (told > most) text += "\n  ... and " + std::to_string(told - most) + " more ranks wait";
  if (finished)
    text += "\n  finished already: " + counted(finished, "rank");
  if (!failed.empty()) text += "\n  failed with their nodes: rank " + failed;
  return text;
}

}  // namespace emu::wire
