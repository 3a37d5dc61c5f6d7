#include "analysis/history.h"

#include <algorithm>

#include "analysis/state.h"

namespace emu::analysis {
namespace {

class Collector {
 public:
  Collector(RankHistory& rank, History& history) : rank_(rank), history_(history) {}

  void operator()(const Event& e) {
    ++events_;
    note(e);
    if (finished_) return;
    account(e);
    if (e.kind == Record::finish) {
      rank_.finish = e.now;
      rank_.path = *e.path;
      rank_.finish_event = events_;
      rank_.failed = e.failed;
      finished_ = true;
    }
    last_ = e.now;
  }
  // For a record that was cut off: the finish is the last recorded instant.
  void close() {
    if (finished_) return;
    rank_.finish = last_;
    rank_.finish_event = events_ + 1;
  }

 private:
  void note(const Event& e) {
    if (e.kind == Record::sent) {
      const bool begins = record::begins_send(e.message.kind);  // sends that are at least g apart
      rank_.sent.push_back({e.met, e.now, e.now + e.flight, events_, begins, e.gap});
      if (begins) {
        ++rank_.messages;
        rank_.bytes += e.message.bytes;
      }
    }
    if (e.kind == Record::operated) {
      rank_.operations.push_back({e.met, e.now, e.now + e.flight, events_, true, e.gap});
      ++rank_.messages;
      rank_.bytes += e.message.bytes;
      Memory& memory = history_.memory[static_cast<std::size_t>(e.message.peer)];
      ++memory.operations;
      memory.overhead += e.cost;
    }
    if (e.kind == Record::answered)
      history_.memory[static_cast<std::size_t>(e.message.peer)].waited += e.wait;
    if ((e.wait > Interval() || e.late) && !e.own)  // waits for its own events do not count
      rank_.waited.push_back(
          {e.late ? e.met - *e.late : e.from, e.met, events_, e.hop, e.gap, e.failure, e.fails});
    if (e.kind == Record::enter) began_ = e.now;
    if (e.kind == Record::collective) {
      open_ = e.context;
      auto& all = history_.collectives[open_];
      const std::size_t n = next_[open_]++;
      if (all.size() <= n) all.resize(n + 1);
      all[n].last_begin = std::max(all[n].last_begin, began_);
      ++all[n].members;
      in_collective_ = true;
    }
    if (e.kind == Record::leave && in_collective_) {
      Collective& c = history_.collectives[open_][next_[open_] - 1];
      c.last_end = std::max(c.last_end, e.now);
      in_collective_ = false;
    }
  }

  void account(const Event& e) {
    stretches(e, [&](State state, Instant from, Instant until) {
      rank_.time.*row_of(state).part += until - from;
      if (state == State::compute) rank_.compute.add(from, until);
    });
  }

  RankHistory& rank_;
  History& history_;
  std::uint64_t events_ = 0;
  bool finished_ = false;
  Instant last_, began_;
  bool in_collective_ = false;
  std::uint64_t open_ = 0;
  std::map<std::uint64_t, std::size_t> next_;
};

Spans one_computes(const std::vector<RankHistory>& ranks) {
  std::vector<std::pair<Instant, int>> changes;
  for (const RankHistory& rank : ranks) {
    for (const Spans::Span& span : rank.compute.all()) {
      changes.emplace_back(span.from, 1);
      changes.emplace_back(span.until, -1);
    }
  }
  std::sort(changes.begin(), changes.end());
  Spans alone;
  int computing = 0;
  Instant since;
  for (const auto& [at, change] : changes) {
    if (computing == 1) alone.add(since, at);
    computing += change;
    since = at;
  }
  return alone;
}

}  // namespace

Instant History::finish() const {
  const int rank = last();
  return rank < 0 ? Instant::start() : ranks[static_cast<std::size_t>(rank)].finish;
}

Instant History::end() const {
  Instant end;
  for (const RankHistory& rank : ranks) end = std::max(end, rank.finish);
  return end;
}

const SentMessage* History::find(record::Hop hop) const {
  if (hop.rank >= ranks.size()) return nullptr;
  const auto& all = hop.operation ? ranks[hop.rank].operations : ranks[hop.rank].sent;
  return hop.sequence < all.size() ? &all[hop.sequence] : nullptr;
}

int History::last() const {
  const bool all = std::all_of(ranks.begin(), ranks.end(), [](const RankHistory& r) { return r.failed; });
  int last = -1;
  for (std::size_t i = 0; i < ranks.size(); ++i)
    if ((all || !ranks[i].failed) &&
        (last < 0 || ranks[i].finish > ranks[static_cast<std::size_t>(last)].finish))
      last = static_cast<int>(i);
  return last;
}

Result<History> read_history(const Folder& folder) {
  History history;
  history.ranks.resize(static_cast<std::size_t>(folder.ranks()));
  history.memory.resize(history.ranks.size());
  for (int rank = 0; rank < folder.ranks(); ++rank) {
    RankHistory& own = history.ranks[static_cast<std::size_t>(rank)];
    Collector collector(own, history);
    const auto read = folder.visit(rank, std::ref(collector), &own.cut);
    if (!read) return tl::unexpected(read.error());
    collector.close();
  }
  history.alone = one_computes(history.ranks);
  return history;
}

}  // namespace emu::analysis
