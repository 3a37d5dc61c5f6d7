#include "wire/agent/frame_body.h"

#include <algorithm>
#include <deque>
#include <string_view>
#include <utility>

#include "wire/deadlock.h"

namespace emu::wire {

namespace {

using Kind = FrameHead::Kind;
using match::Message;

bool is_rank_of(std::int64_t rank, const NodeMap& node_map, int node) {
  return rank >= 0 && rank < node_map.ranks() && node_map.node_of(static_cast<int>(rank)) == node;
}
bool is_node(std::int64_t node, const NodeMap& node_map) { return node >= 0 && node < node_map.nodes(); }

template <std::size_t size>
bool ends(const char (&text)[size]) {
  return std::string_view(text, size).find('\0') != std::string_view::npos;
}

// Reads the parts of a body one after the other, and checks that they are complete.
class Parts {
 public:
  explicit Parts(std::span<const std::byte> body) : rest_(body) {}
  template <class T>
  bool take(T& value) {
    if (rest_.size() < sizeof value) return false;
    const std::byte* from = rest_.data();
    value = take_from<T>(from);
    rest_ = rest_.subspan(sizeof value);
    return true;
  }
  bool skip(std::uint64_t bytes) {
    if (rest_.size() < bytes) return false;
    rest_ = rest_.subspan(bytes);
    return true;
  }
  bool done() const { return rest_.empty(); }

 private:
  std::span<const std::byte> rest_;
};

}  // namespace

FrameLimits frame_limits(const NodeMap& node_map, int node, std::uint64_t region_bytes) {
  std::uint64_t ranks = 0;
  for (int rank = 0; rank < node_map.ranks(); ++rank) ranks += node_map.node_of(rank) == node;
  FrameLimits limits;
  const auto allow = [&limits](Kind kind, const FrameSizes& sizes) {
    limits[static_cast<std::size_t>(kind)] = sizes;
  };
  const auto exactly = [](std::uint64_t bytes) { return FrameSizes{bytes, bytes}; };
  allow(Kind::message, {sizeof(Message), region_bytes});
  allow(Kind::taken_in, exactly(0));
  allow(Kind::ask, exactly(sizeof(std::int64_t)));
  // The arrivals in a report are those of messages in flight, which need more memory than the report.
  allow(Kind::report, {sizeof(ReportHead), region_bytes, sizeof(std::int64_t)});
  allow(Kind::finished, exactly(ranks * sizeof(Finished)));
  if (node_map.node() == 0) {
    allow(Kind::suspect, exactly(0));
    allow(Kind::waits, exactly(ranks * sizeof(Waiter)));
    allow(Kind::last_words, {0, longest_last_words});
  } else if (node == 0) {
    allow(Kind::waits, exactly(0));
  }
  return limits;
}

const char* wrong_with_message(std::span<const std::byte> body, const NodeMap& node_map, int from) {
  Message m;
  std::memcpy(static_cast<void*>(&m), body.data(), sizeof m);
  if (m.kind > Message::Kind::result) return "a message of no kind";
  if (m.envelope.bytes < 0 || static_cast<std::uint64_t>(m.carried()) != body.size() - sizeof m)
    return "a message of another length than its frame";
  if (!is_rank_of(m.to, node_map, node_map.node())) return "a message to a rank of another node";
  if (!is_rank_of(m.arrival.source, node_map, from)) return "a message from a rank of another node";
  if (m.envelope.source < 0 || m.envelope.source >= node_map.ranks()) return "a message from no rank";
  if (m.in_transit && (m.bound_for < 0 || m.bound_for >= node_map.ranks() || m.bytes_in_transit < 0 ||
                       m.head < Instant::start() || m.gap_per_byte < Rate()))
    return "a message in transit that cannot be";
  return nullptr;
}

bool is_in_transit(const std::byte* message) {
  Message m;
  std::memcpy(static_cast<void*>(&m), message, sizeof m);
  return m.in_transit;
}

const char* wrong_with_report(std::span<const std::byte> body, const NodeMap& node_map, int from) {
  Parts parts(body);
  ReportHead head;
  if (!parts.take(head)) return "a report without a head";
  for (std::uint32_t i = 0; i < head.received; ++i) {
    ReportReceived part;
    if (!parts.take(part)) return "a report that ends early";
    if (!is_node(part.from, node_map) || part.from == from) return "a report of messages from no other node";
  }
  for (std::uint32_t i = 0; i < head.sent; ++i) {
    ReportSent part;
    if (!parts.take(part) || !parts.skip(part.arrivals * sizeof(std::int64_t)))
      return "a report that ends early";
    if (!is_node(part.to, node_map) || part.to == from || part.to == node_map.node())
      return "a report of messages to no third node";
  }
  return parts.done() ? nullptr : "a report with bytes after its end";
}

const char* wrong_with_finished(std::span<const std::byte> body, const NodeMap& node_map, int from) {
  Parts parts(body);
  for (Finished f; parts.take(f);)
    if (!is_rank_of(f.rank, node_map, from)) return "the end of a rank of another node";
  return nullptr;
}

const char* wrong_with_waits(std::span<const std::byte> body, const NodeMap& node_map, int from) {
  Parts parts(body);
  for (Waiter w; parts.take(w);) {
    if (!is_rank_of(w.rank, node_map, from)) return "what a rank of another node waits for";
    if (w.other_threads < 0) return "a number of threads below 0";
    if (std::min({w.finish, w.lost.at, w.unsent.at}) < 0) return "an instant below 0";
    const auto in_words = [](const Wait& wait) { return ends(wait.call); };
    if (!in_words(w.wait) || !std::all_of(w.other_waits.begin(), w.other_waits.end(), in_words))
      return "a name of a call that does not end";
  }
  return nullptr;
}

std::vector<int> learn_report(Cut& cut, int node, const std::byte* body) {
  const auto head = take_from<ReportHead>(body);
  std::vector<int> changed = {node};
  cut.bound(node, head.bound);
  for (std::uint32_t i = 0; i < head.received; ++i) {
    const auto part = take_from<ReportReceived>(body);
    cut.received(node, static_cast<int>(part.from), part.count);
  }
  for (std::uint32_t i = 0; i < head.sent; ++i) {
    const auto part = take_from<ReportSent>(body);
    std::deque<std::int64_t> arrivals;
    for (std::uint32_t k = 0; k < part.arrivals; ++k) arrivals.push_back(take_from<std::int64_t>(body));
    cut.sent(node, part.to).learn(part.first, std::move(arrivals));
    changed.push_back(part.to);
  }
  return changed;
}

}  // namespace emu::wire
