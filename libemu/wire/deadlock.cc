#include "wire/deadlock.h"

#include <algorithm>
#include <cstring>
#include <map>

#include "base/units.h"

namespace emu::wire {

namespace {

constexpr int most = 32;  // lines of a kind

// Of ranks that failed for good it is said that they did. And a rank that has finished need not have looked at all
// that had come for it.
void append_losses(std::string& text, const std::vector<Waiter>& ranks) {
  int lines = 0;
  const auto add = [&](int rank, const Losses& losses, const char* whose, const char* peer) {
    if (losses.count == 0 || ++lines > most) return;
    text += "\n  lost while the node of rank " + std::to_string(rank) +
            " was down: " + counted(losses.count, "message") + whose +
            (losses.count > 1 ? ", the first " : ", ") + peer + std::to_string(losses.peer) + " at " +
            format(Interval::picoseconds(losses.at), 9);
  };
  for (const Waiter& r : ranks) {
    if (!r.finished) add(r.rank, r.lost, " to it", "from rank ");
    if (!r.failed) add(r.rank, r.unsent, " from it", "to rank ");
  }
  if (lines > most) text += "\n  ... and " + std::to_string(lines - most) + " more like these";
}

std::string in_words(const Wait& w) {
  std::string text = std::string("in ") + w.call + " for ";
  text += w.peer == match::any_source ? "any source"
          : w.peer < 0                ? "nobody"
                                      : "rank " + std::to_string(w.peer);
  if (w.tag == match::any_tag) text += ", any tag";
  if (w.tag >= 0) text += ", tag " + std::to_string(w.tag);
  if (w.requests == 2) text += " (and 1 more request)";
  if (w.requests > 2) text += " (and " + std::to_string(w.requests - 1) + " more requests)";
  return text;
}

std::string said_of(const Joined& j) {
  std::string text = std::string(j.call, strnlen(j.call, sizeof j.call));
  if (j.root >= 0) text += " with root " + std::to_string(j.root);
  if (j.bytes >= 0) text += (j.root >= 0 ? " and " : " with ") + counted(j.bytes, "byte");
  return text;
}

std::string list(const std::vector<int>& ranks) {
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (std::size_t i = 0; i < ranks.size() && i < 8; ++i) text += (i ? ", " : "") + std::to_string(ranks[i]);
  if (ranks.size() > 8) text += " and " + std::to_string(ranks.size() - 8) + " more";
  return text;
}

// Collectives whose members do not agree, of each communicator the first. Those who wait in one need not be those who
// are wrong: others have gone on long since.
void append_disagreements(std::string& text, const std::vector<Waiter>& ranks) {
  using Communicator = std::pair<std::uint64_t, std::int32_t>;
  std::map<Communicator, std::map<std::int64_t, std::map<std::string, std::vector<int>>>> said;
  for (const Waiter& r : ranks)
    for (const Joined& j : r.joined)
      if (j.number > 0) said[{j.context, j.first}][j.number][said_of(j)].push_back(r.rank);
  int lines = 0;
  for (const auto& [communicator, collectives] : said)
    for (const auto& [number, versions] : collectives) {
      if (versions.size() < 2) continue;
      if (++lines > most) return;
      text += "\n  a collective on which its ranks do not agree (number " + std::to_string(number) +
              " of its communicator):";
      const char* separator = " ";
      for (const auto& [call, who] : versions) {
        text += separator + list(who) + (who.size() == 1 ? " calls " : " call ") + call;
        separator = "; ";
      }
      break;
    }
}

}  // namespace

Waiter waiter(Table& table, const NodeMap& node_map, int rank) {
  const Record& record = table.record(node_map.slot_of(rank));
  const record::RankSummary& summary = table.summary(rank);
  return {rank,          record.finished, summary.failed,        summary.finish.picoseconds(),
          record.wait,   record.beside,   record.threads_beside, record.lost,
          record.unsent, record.joined};
}

bool deadlocked(const std::vector<Waiter>& ranks) {
  return std::any_of(ranks.begin(), ranks.end(), [](const Waiter& w) { return !w.finished; });
}

std::string describe_deadlock(const std::vector<Waiter>& ranks) {
  std::string text = "deadlock: no rank can go on.", failed;
  int lines = 0, finished = 0, failures = 0;
  for (const Waiter& r : ranks) {
    if (r.failed) {
      ++failures;
      failed += (failed.empty() ? "" : ", ") + std::to_string(r.rank) + " at " +
                format(Interval::picoseconds(r.finish), 9);
      continue;
    }
    if (r.finished) {
      ++finished;
      continue;
    }
    if (++lines > most) continue;
    text += "\n  rank " + std::to_string(r.rank) + " waits " + in_words(r.wait);
    const std::size_t beside = static_cast<std::size_t>(r.threads_beside),
                      said = std::min(beside, r.beside.size());
    for (std::size_t i = 0; i < said; ++i) text += "; another thread of it waits " + in_words(r.beside[i]);
    if (beside > said) text += "; and so do " + std::to_string(beside - said) + " more";
  }
  if (lines > most) text += "\n  ... and " + std::to_string(lines - most) + " more ranks wait";
  append_disagreements(text, ranks);
  append_losses(text, ranks);
  if (finished > 0) text += "\n  finished already: " + counted(finished, "rank");
  if (failures == 1) text += "\n  failed with its node: rank " + failed;
  if (failures > 1) text += "\n  failed with their nodes: ranks " + failed;
  return text;
}

}  // namespace emu::wire
