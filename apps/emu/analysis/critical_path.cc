#include "analysis/critical_path.h"

#include <algorithm>

namespace emu::analysis {
namespace {

// The last wait of rank `self` before its event number `event`, except the one for its own failure, which is not
// caused by another rank.
const Waited* last_wait(const RankHistory& rank, int self, std::uint64_t event) {
  auto at = std::lower_bound(rank.waited.begin(), rank.waited.end(), event,
                             [](const Waited& w, std::uint64_t n) { return w.event < n; });
  while (at != rank.waited.begin())
    if ((--at)->failure != self) return &*at;
  return nullptr;
}

// The last message of the program itself in `all` before event number `event`.
const SentMessage* last_before(const std::vector<SentMessage>& all, std::uint64_t event) {
  auto at = std::lower_bound(all.begin(), all.end(), event,
                             [](const SentMessage& m, std::uint64_t n) { return m.event < n; });
  while (at != all.begin())
    if ((--at)->start) return &*at;
  return nullptr;
}

// The program's send or operation before event number `event`.
const SentMessage* send_before(const RankHistory& rank, std::uint64_t event) {
  const SentMessage* const message = last_before(rank.sent, event);
  const SentMessage* const operation = last_before(rank.operations, event);
  if (!message || !operation) return message ? message : operation;
  return message->event > operation->event ? message : operation;
}

}  // namespace

CriticalPath critical_path(const History& history, int rank) {
  CriticalPath path;
  if (rank < 0) return path;
  std::vector<PathPiece>& pieces = path.pieces;
  Instant until = history.ranks[static_cast<std::size_t>(rank)].finish;
  std::uint64_t event = history.ranks[static_cast<std::size_t>(rank)].finish_event;
  std::size_t most = 1;  // limit of pieces: a damaged trace may be cyclic
  for (const RankHistory& r : history.ranks) most += r.waited.size();
  while (pieces.size() < most) {
    const RankHistory& own = history.ranks[static_cast<std::size_t>(rank)];
    const Waited* const wait = last_wait(own, rank, event);
    pieces.push_back({rank, wait ? wait->until : Instant::start(), until});
    if (!wait) break;
    if (wait->gap) {
      const SentMessage* const before = send_before(own, wait->event);
      if (!before) break;
      until = before->begin;
      event = before->event + 1;  // this message may have waited for g
      continue;
    }
    if (wait->failure >= 0) {
      pieces.push_back({wait->failure, wait->fails, wait->fails});
      path.from_failure = true;
      break;
    }
    if (wait->hop.is_failure() && wait->hop.rank < history.ranks.size()) {
      const auto failed = static_cast<int>(wait->hop.rank);
      const Instant fails = history.ranks[wait->hop.rank].finish;
      if (fails <= wait->until) pieces.push_back({failed, fails, fails});
      path.from_failure = fails <= wait->until;
      break;
    }
    const SentMessage* const sent = history.find(wait->hop);
    // A record that was cut off or is damaged: causes must precede effects.
    if (!sent || sent->left > wait->until) break;
    rank = static_cast<int>(wait->hop.rank);
    until = sent->left;
    event = sent->event + 1;  // it may have waited for g before its departure
  }
  std::reverse(pieces.begin(), pieces.end());
  return path;
}

}  // namespace emu::analysis
