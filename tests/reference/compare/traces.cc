#include "reference/compare/traces.h"

#include "analysis/critical_path.h"
#include "analysis/profile.h"
#include "analysis/tasks.h"
#include "analysis/timeline.h"
#include "analysis/trace_reader.h"

namespace emu::reference {
namespace {

using analysis::Event;
using record::Record;

struct Sent {
  int to = 0;
  record::MessageKind kind = {};
  Bytes bytes = 0;
  Instant arrival;  // if nothing delays it
};

struct Told {
  record::Breakdown time;
  Instant finish;
  std::vector<Sent> sent;
  std::vector<analysis::Event> received;
};

// Adds the time of an event to a breakdown. Recorded times do not include outages.
void account(record::Breakdown& t, const Event& e) {
  const bool handshake = record::is_handshake(e.message.kind);
  t.down += e.down;
  t.wait += e.wait;
  if (e.kind == Record::polled)
    t.poll += e.cost;
  else if (e.kind == Record::sent)
    (handshake ? t.handshake : t.send_overhead) += e.cost;
  else if (e.kind == Record::received)
    (handshake ? t.handshake : t.receive_overhead) += e.cost;
  else if (e.kind != Record::found && e.kind != Record::waited)
    t.compute += e.now - e.from - e.down;
}

Result<Told> read(const std::string& path) {
  auto reader = analysis::Reader::open(path);
  if (!reader) return tl::unexpected(reader.error());
  Told told;
  bool finished = false;
  Event e;
  for (;;) {
    const auto more = (*reader)->next(e);
    if (!more) return tl::unexpected(more.error());
    if (!*more) break;
    // The rest of handshakes after the finish does not count.
    if (!finished) account(told.time, e);
    finished = finished || e.kind == Record::finish;
    if (e.kind == Record::finish) told.finish = e.now;
    if (e.kind == Record::sent)
      told.sent.push_back({e.message.peer, e.message.kind, e.message.bytes, e.now + e.flight});
    if (e.kind == Record::received) told.received.push_back(e);
  }
  if (!(*reader)->complete()) return fail((*reader)->cut());
  return told;
}

std::string words(const record::Breakdown& b) {
  std::string text;
  for (const analysis::StateRow& state : analysis::states)
    text += (text.empty() ? " " : " + ") + std::to_string((b.*state.part).picoseconds());
  return text + " ps";
}

// In its trace, a cost that a rank had begun to pay when its node failed is waiting.
bool same(const record::Breakdown& traced, const record::Breakdown& b, bool failed) {
  if (traced.compute != b.compute || traced.down != b.down || traced.total() != b.total()) return false;
  const auto as_before = [&](auto part) {
    return failed ? traced.*part <= b.*part : traced.*part == b.*part;
  };
  return as_before(&record::Breakdown::send_overhead) && as_before(&record::Breakdown::receive_overhead) &&
         as_before(&record::Breakdown::poll) && as_before(&record::Breakdown::handshake);
}

// Exchanges, and the tasks among them: causes precede effects, and nothing counts twice.
std::optional<std::string> check_exchanges(const analysis::Folder& folder, const analysis::History& history) {
  const auto exchanges = analysis::read_exchanges(folder, history);
  if (!exchanges) return exchanges.error().message;
  for (std::size_t rank = 0; rank < history.ranks.size(); ++rank) {
    const analysis::RankHistory& own = history.ranks[rank];
    Interval claimed;
    for (const analysis::Exchange& t : exchanges->ranks[rank]) {
      const analysis::SentMessage& in = history.ranks[static_cast<std::size_t>(t.peer)].sent[t.in];
      if (in.arrival > t.taken || t.taken > t.begun || t.begun > t.received || t.received > t.ended)
        return "an exchange that goes back in time";
      if (own.sent[t.out].begin != t.ended)
        return "an exchange that ends with another message than is sent then";
      if (t.own < Interval() || t.own > t.computed || t.waited_before > t.waited_after)
        return "sums of an exchange";
      claimed += t.own;
    }
    if (claimed > own.time.compute) return "work that counts twice";
    if (exchanges->waiting[rank].before(own.finish) != own.time.wait + own.time.poll) return "waiting";
    for (std::size_t i = 0; i < own.sent.size(); ++i)
      if (exchanges->taken[rank][i] < own.sent[i].arrival)
        return "a message that is taken before it is there";
  }
  for (const analysis::Task& t : analysis::find_tasks(*exchanges, history).tasks)
    if ((t.answered && (t.asked > t.arrived || t.arrived > t.taken)) || t.taken > t.dealt ||
        t.dealt > t.ready || t.ready > t.begun || t.received + t.work > t.done ||
        t.result_arrived > t.collected || t.idle < Interval())
      return "a task that goes back in time";
  return std::nullopt;
}

// Describes the first property that does not hold, if any.
std::optional<std::string> check_analysis(const Chain& chain, const record::RunSummary& record,
                                          const std::string& path) {
  const Costs costs(chain.batch.cluster, chain.batch.ranks);
  const auto folder = analysis::Folder::open(path);
  if (!folder) return folder.error().message;
  const auto history = analysis::read_history(*folder);
  if (!history) return history.error().message;
  for (int rank = 0; rank < folder->ranks(); ++rank) {
    const auto r = static_cast<std::size_t>(rank);
    Interval compute;
    Instant last;
    const analysis::CriticalPath drawn = analysis::critical_path(*history, rank);
    for (const analysis::PathPiece& piece : drawn.pieces) {
      if (piece.from < last || piece.until < piece.from) return "a path that goes back in time";
      last = piece.until;
      compute += history->ranks[static_cast<std::size_t>(piece.rank)].compute.within(piece.from, piece.until);
    }
    const std::string of_rank = " on the path to the finish of rank " + std::to_string(rank);
    const analysis::PathPiece& front = drawn.pieces.front();
    const record::Path& path_there = record.ranks[r].path;
    if (front.from != (drawn.from_failure ? costs.fails(front.rank) : Instant::start()))
      return "no start" + of_rank;
    // The path of a failed rank also contains its wait for its own failure.
    const Interval until_failure = drawn.from_failure ? front.from - Instant::start() : Interval();
    if (record.ranks[r].failed ? path_there.until_failure < until_failure
                               : path_there.until_failure != until_failure)
      return "the time until a failure" + of_rank;
    if (drawn.from_failure && drawn.pieces.size() < 2) return "only a start" + of_rank;
    if (compute != path_there.compute + path_there.stopped)
      return "compute" + of_rank + ": " + std::to_string(compute.picoseconds()) + " ps, not " +
             std::to_string((path_there.compute + path_there.stopped).picoseconds());
    if (!same(history->ranks[r].time, record.ranks[r].time, record.ranks[r].failed))
      return "time of rank " + std::to_string(rank);
    if (history->ranks[r].failed != record.ranks[r].failed)
      return "whether it failed, rank " + std::to_string(rank);
    if (history->ranks[r].path.total() != record.ranks[r].path.total()) return "causes" + of_rank;
  }
  if (history->last() != record.last() || history->finish() != record.predicted()) return "the last finish";
  const auto timeline = analysis::read_timeline(*folder, *history, 100);
  if (!timeline) return timeline.error().message;
  for (std::size_t r = 0; r < record.ranks.size(); ++r) {
    record::Breakdown sum;
    for (const auto& bin : timeline->ranks[r])
      for (std::size_t state = 0; state < analysis::states.size(); ++state)
        sum.*analysis::states[state].part += bin[state];
    if (!same(sum, record.ranks[r].time, record.ranks[r].failed))
      return "the timeline of rank " + std::to_string(r);
  }
  const auto profile = analysis::read_profile(*folder, *history);
  if (!profile) return profile.error().message;
  for (std::size_t r = 0; r < record.ranks.size(); ++r) {
    const analysis::Measures& m = profile->per_rank[r];
    if (m.productive + m.insufficient_parallelism + m.communication() + m.down != m.execution)
      return "parts of the execution";
    if (Instant::start() + m.execution != record.ranks[r].finish) return "execution of the program";
    if (m.productive != record.ranks[r].time.compute) return "productive time";
    if (m.down != record.ranks[r].time.down) return "time that the node was down";
    for (const analysis::Communication& c : m.by_kind)
      if (c.synchronisation < Interval() || c.synchronisation > c.time || c.variation < Interval())
        return "synchronisation or variation";
  }
  return check_exchanges(*folder, *history);
}

}  // namespace

std::optional<Difference> compare_trace(const Chain& chain, const record::RunSummary& record,
                                        const std::string& folder) {
  std::vector<Told> ranks;
  const auto wrong = [&](std::size_t rank, const std::string& what) {
    return Difference{chain.first, "the trace of rank " + std::to_string(rank) + ": " + what + "\n"};
  };
  for (int rank = 0; rank < chain.batch.ranks; ++rank) {
    auto told = read(record::file_of(folder, rank));
    if (!told) return wrong(static_cast<std::size_t>(rank), told.error().message);
    ranks.push_back(std::move(*told));
  }
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const record::RankSummary& expected = chain.finish[rank];
    if (ranks[rank].finish != expected.finish) return wrong(rank, "another finish");
    if (!same(ranks[rank].time, expected.time, expected.failed))
      return wrong(rank,
                   "its time went elsewhere:" + words(ranks[rank].time) + ", not" + words(expected.time));
    for (const Event& e : ranks[rank].received) {
      const auto& from = ranks[static_cast<std::size_t>(e.message.peer)].sent;
      if (e.message.sequence >= from.size()) return wrong(rank, "received a message that no rank sent");
      const Sent& sent = from[e.message.sequence];
      if (sent.to != static_cast<int>(rank) || sent.kind != e.message.kind || sent.bytes != e.message.bytes ||
          sent.arrival > e.met)
        return wrong(rank, "received another message than was sent");
    }
  }
  if (const auto problem = check_analysis(chain, record, folder))
    return Difference{chain.first, "what is made of the trace: " + *problem + "\n"};
  return std::nullopt;
}

}  // namespace emu::reference
