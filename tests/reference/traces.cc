#include "reference/traces.h"

#include <map>

#include "trace/reader.h"

namespace emu::reference {
namespace {

using trace::Event;
using trace::Record;

struct Sent {
  int to = 0;
  int kind = 0;
  Bytes bytes = 0;
  Instant arrival;  // if nothing is in its way
};

struct Told {
  trace::Breakdown time;
  Instant finish;
  std::vector<Sent> sent;
  std::vector<trace::Event> received;
};

bool control(int kind) { return kind == 1 || kind == 2; }  // request, answer

void account(trace::Breakdown& t, const Event& e) {
  const bool handshake = control(e.message.kind);
  t.wait += e.wait;
  if (e.kind == Record::polled)
    t.poll += e.cost;
  else if (e.kind == Record::sent)
    (handshake ? t.handshake : t.send_overhead) += e.cost;
  else if (e.kind == Record::received)
    (handshake ? t.handshake : t.receive_overhead) += e.cost;
  else if (e.kind != Record::found)
    t.compute += e.now - e.from;
}

Result<Told> read(const std::string& path) {
  auto reader = trace::Reader::open(path);
  if (!reader) return tl::unexpected(reader.error());
  Told told;
  bool finished = false;
  Event e;
  for (;;) {
    const auto more = (*reader)->next(e);
    if (!more) return tl::unexpected(more.error());
    if (!*more) break;
    // What is left of handshakes after the finish is no part of it.
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

bool same(const trace::Breakdown& a, const trace::Breakdown& b) {
  return a.compute == b.compute && a.send_overhead == b.send_overhead &&
         a.receive_overhead == b.receive_overhead && a.poll == b.poll && a.handshake == b.handshake &&
         a.wait == b.wait;
}

}  // namespace

std::optional<Difference> compare_trace(const Chain& chain, const std::string& folder) {
  std::vector<Told> ranks;
  const auto wrong = [&](std::size_t rank, const std::string& what) {
    return Difference{chain.first, "the trace of rank " + std::to_string(rank) + ": " + what + "\n"};
  };
  for (int rank = 0; rank < chain.batch.ranks; ++rank) {
    auto told = read(trace::file_of(folder, rank));
    if (!told) return wrong(static_cast<std::size_t>(rank), told.error().message);
    ranks.push_back(std::move(*told));
  }
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const trace::RankSummary& expected = chain.finish[rank];
    if (ranks[rank].finish != expected.finish) return wrong(rank, "another finish");
    if (!same(ranks[rank].time, expected.time)) return wrong(rank, "its time went elsewhere");
    for (const Event& e : ranks[rank].received) {
      const auto& from = ranks[static_cast<std::size_t>(e.message.peer)].sent;
      if (e.message.sequence >= from.size()) return wrong(rank, "received what nobody sent");
      const Sent& sent = from[e.message.sequence];
      if (sent.to != static_cast<int>(rank) || sent.kind != e.message.kind || sent.bytes != e.message.bytes ||
          sent.arrival > e.now - e.cost)
        return wrong(rank, "received another message than was sent");
    }
  }
  return std::nullopt;
}

}  // namespace emu::reference
