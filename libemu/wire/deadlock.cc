#include "wire/deadlock.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include "base/units.h"

namespace emu::wire {

namespace {

constexpr int most = 32;  // most lines of a kind

// For ranks that failed for good, the report says so elsewhere. For a finished rank,
// arriving losses are not listed: it need not have received all messages for it.
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

std::string in_words(const char* text) { return std::string(text, strnlen(text, sizeof Wait::call)); }

// `ranks`: the first of `count` ranks.
template <class Ranks>
std::string list_ranks(const Ranks& ranks, std::size_t count) {
  const std::size_t said = std::min({count, std::size(ranks), std::size_t{8}});
  std::string text = count == 1 ? "rank " : "ranks ";
  for (std::size_t i = 0; i < said; ++i) text += (i ? ", " : "") + std::to_string(ranks[i]);
  if (count > said) text += " and " + std::to_string(count - said) + " more";
  return text;
}

std::string in_words(const Wait& w) {
  std::string text = "in " + in_words(w.call) + " for ";
  if (w.behind.call[0] != 0) {
    text += in_words(w.behind.call) + ", which waits for " +
            list_ranks(w.behind.peers, static_cast<std::size_t>(w.behind.peer_count));
  } else {
    text += w.peer == match::any_source ? "any source"
            : w.peer < 0                ? "nobody"
                                        : "rank " + std::to_string(w.peer);
  }
  if (w.tag == match::any_tag) text += ", any tag";
  if (w.tag >= 0) text += ", tag " + std::to_string(w.tag);
  if (w.requests == 2) text += " (and 1 more request)";
  if (w.requests > 2) text += " (and " + std::to_string(w.requests - 1) + " more requests)";
  return text;
}

std::string said_of(const Joined& j) {
  std::string text = in_words(j.call);
  if (j.root >= 0) text += " with root " + std::to_string(j.root);
  if (j.bytes >= 0) text += (j.root >= 0 ? " and " : " with ") + counted(j.bytes, "byte");
  return text;
}

// Kind of collectives of a communicator: blocking ones, or those in the background.
struct CollectiveKind {
  std::uint64_t context;
  std::int32_t first, background;
  auto operator<=>(const CollectiveKind&) const = default;
};

std::string place(const CollectiveKind& kind, std::int64_t number) {
  return "number " + std::to_string(number) + (kind.background ? " in the background" : "") +
         " of its communicator";
}

// Reports the first collective of each communicator about which members disagree. The
// members that wait in one need not be wrong: others may have continued long ago.
void append_disagreements(std::string& text, const std::vector<Waiter>& ranks) {
  std::map<CollectiveKind, std::map<std::int64_t, std::map<std::string, std::set<int>>>> said;
  for (const Waiter& r : ranks)
    for (const Joined& j : r.joined)
      if (j.number > 0) said[{j.context, j.first, j.background}][j.number][said_of(j)].insert(r.rank);
  int lines = 0;
  for (const auto& [kind, collectives] : said)
    for (const auto& [number, versions] : collectives) {
      if (versions.size() < 2) continue;
      if (++lines > most) return;
      text += "\n  a collective on which its ranks do not agree (" + place(kind, number) + "):";
      const char* separator = " ";
      for (const auto& [call, callers] : versions) {
        const std::vector<int> who(callers.begin(), callers.end());
        text += separator + list_ranks(who, who.size()) + (who.size() == 1 ? " calls " : " call ") + call;
        separator = "; ";
      }
      break;
    }
}

// True if the rank certainly has not called a collective in the background:
// its last such calls are earlier, or the list of its calls is complete.
bool lacks(const Waiter& r, const Running& running) {
  bool all = false, earlier = false;
  for (const Joined& j : r.joined) {
    all = all || j.number == 0;
    if (!j.background || j.context != running.context || j.first != running.first || j.number == 0) continue;
    if (j.number >= running.number) return false;
    earlier = true;
  }
  return all || earlier;
}

// Reports awaited collectives in the background, and the awaited members that have not called them.
void append_missing(std::string& text, const std::vector<Waiter>& ranks) {
  std::map<int, const Waiter*> by_number;
  for (const Waiter& r : ranks) by_number[r.rank] = &r;
  std::map<std::pair<CollectiveKind, std::int64_t>, std::pair<std::string, std::set<int>>> missing;
  const auto look_at = [&](const Wait& w) {
    const Running& running = w.behind;
    if (running.call[0] == 0) return;
    auto& [call, who] = missing[{CollectiveKind{running.context, running.first, 1}, running.number}];
    call = in_words(running.call);
    const auto said =
        std::min<std::size_t>(static_cast<std::size_t>(running.peer_count), running.peers.size());
    for (std::size_t i = 0; i < said; ++i) {
      const auto peer = by_number.find(running.peers[i]);
      if (peer != by_number.end() && lacks(*peer->second, running)) who.insert(peer->first);
    }
  };
  for (const Waiter& r : ranks) {
    if (r.finished) continue;
    look_at(r.wait);
    for (std::size_t i = 0;
         i < std::min<std::size_t>(static_cast<std::size_t>(r.other_threads), r.other_waits.size()); ++i)
      look_at(r.other_waits[i]);
  }
  int lines = 0;
  for (const auto& [what, missed] : missing) {
    const std::vector<int> who(missed.second.begin(), missed.second.end());
    if (who.empty() || ++lines > most) continue;
    text += "\n  " + missed.first + " (" + place(what.first, what.second) + ") has not been called by " +
            list_ranks(who, who.size());
  }
}

}  // namespace

void write(Wait& wait, const match::Waiting& why) {
  std::strncpy(wait.call, why.call, sizeof wait.call - 1);
  wait.peer = why.peer;
  wait.tag = why.tag;
  wait.requests = why.requests;
  std::strncpy(wait.behind.call, why.behind.call ? why.behind.call : "", sizeof wait.behind.call - 1);
  if (!why.behind.call) return;
  wait.behind.first = why.behind.first;
  wait.behind.context = why.behind.context;
  wait.behind.number = why.behind.number;
  wait.behind.peers = why.behind.peers;
  wait.behind.peer_count = why.behind.peer_count;
}

void write(Joined& j, const match::Joined& collective) {
  std::strncpy(j.call, collective.call, sizeof j.call - 1);
  j.context = collective.context;
  j.first = collective.first;
  j.root = collective.root;
  j.number = collective.number;
  j.bytes = collective.bytes;
  j.background = collective.background ? 1 : 0;
}

void add(Losses& losses, const match::Loss& loss) {
  const std::int64_t at = loss.at.picoseconds();
  if (losses.count++ > 0 && std::pair(losses.at, losses.peer) < std::pair(at, loss.peer)) return;
  losses.at = at;
  losses.peer = loss.peer;
}

Waiter waiter(Table& table, const NodeMap& node_map, int rank) {
  const Record& record = table.record(node_map.slot_of(rank));
  const record::RankSummary& summary = table.summary(rank);
  const int finished = record.finished ? (summary.doubts.unfinalized ? 2 : 1) : 0;
  return {rank,          finished,           summary.failed,       summary.finish.picoseconds(),
          record.wait,   record.other_waits, record.other_threads, record.lost,
          record.unsent, record.joined};
}

bool deadlocked(const std::vector<Waiter>& ranks) {
  return std::any_of(ranks.begin(), ranks.end(), [](const Waiter& w) { return !w.finished; });
}

std::string describe_deadlock(const std::vector<Waiter>& ranks) {
  std::string text = "deadlock: no rank can continue.", failed;
  int lines = 0, finished = 0, failures = 0;
  std::vector<int> exited;
  for (const Waiter& r : ranks) {
    if (r.failed) {
      ++failures;
      failed += (failed.empty() ? "" : ", ") + std::to_string(r.rank) + " at " +
                format(Interval::picoseconds(r.finish), 9);
      continue;
    }
    if (r.finished) {
      ++finished;
      if (r.finished == 2) exited.push_back(r.rank);
      continue;
    }
    if (++lines > most) continue;
    text += "\n  rank " + std::to_string(r.rank) + " waits " + in_words(r.wait);
    const std::size_t others = static_cast<std::size_t>(r.other_threads),
                      said = std::min(others, r.other_waits.size());
    for (std::size_t i = 0; i < said; ++i)
      text += "; another thread of it waits " + in_words(r.other_waits[i]);
    if (others > said) text += "; and so do " + std::to_string(others - said) + " more";
  }
  if (lines > most) text += "\n  ... and " + std::to_string(lines - most) + " more ranks wait";
  append_missing(text, ranks);
  append_disagreements(text, ranks);
  append_losses(text, ranks);
  if (finished > 0) text += "\n  finished already: " + counted(finished, "rank");
  if (!exited.empty()) text += "\n  exited without MPI_Finalize: " + list_ranks(exited, exited.size());
  if (failures == 1) text += "\n  failed with its node: rank " + failed;
  if (failures > 1) text += "\n  failed with their nodes: ranks " + failed;
  return text;
}

}  // namespace emu::wire
