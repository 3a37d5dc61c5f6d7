#include "analysis/exchanges.h"

#include <algorithm>
#include <unordered_map>

#include "analysis/profile.h"
#include "analysis/state.h"

namespace emu::analysis {
namespace {

using enum record::MessageKind;

class ExchangeReader {
 public:
  ExchangeReader(int rank, Exchanges& exchanges)
      : rank_(rank),
        exchanges_(exchanges),
        own_(exchanges.ranks[static_cast<std::size_t>(rank)]),
        waiting_(exchanges.waiting[static_cast<std::size_t>(rank)]) {}

  void operator()(const Event& e) {
    if (finished_) return;
    stretches(e, [&](State state, Instant from, Instant until) {
      if (state == State::compute) compute(until - from);
      if (state == State::wait || state == State::poll) wait(from, until);
    });
    const record::MessageKind kind = e.message.kind;
    if (e.kind == Record::enter) point_to_point_ = kind_of(e.name) == Kind::point_to_point;
    if (e.kind == Record::found) found_ = {e.message.peer, e.message.sequence, e.now};
    if (e.kind == Record::received) receive(e);
    if (e.kind == Record::sent && point_to_point_ && record::begins_send(kind)) send(e);
    finished_ = e.kind == Record::finish;
  }

 private:
  struct Message {
    int peer = -1;
    std::uint64_t sequence = 0;
    Instant taken;
  };

  void wait(Instant from, Instant until) {
    waited_ += until - from;
    waiting_.add(from, until);
  }

  void compute(Interval d) {
    if (free_.empty() || free_.back().second != computed_) free_.emplace_back(computed_, computed_);
    computed_ += d;
    free_.back().second = computed_;
  }

  // The computation since `from` that is in no ended exchange; marks it as used.
  Interval claim(Interval from) {
    Interval sum;
    for (; !free_.empty() && free_.back().second > from; free_.pop_back()) {
      auto& [begin, end] = free_.back();
      sum += end - std::max(begin, from);
      if (begin >= from) continue;
      end = from;
      break;
    }
    return sum;
  }

  // Any call answers requests; their data complete the call that waits for them.
  void receive(const Event& e) {
    const record::Envelope& m = e.message;
    const bool was_found = found_.peer == m.peer && found_.sequence == m.sequence;
    const Message message{m.peer, m.sequence, was_found ? found_.taken : e.met};
    found_ = {};
    if (record::begins_send(m.kind)) take(message);
    if (m.kind == request) requests_.push_back({m, message});
    if (!record::carries_data(m.kind)) return;
    const Message first = m.kind == data ? request_of(m, message) : message;
    if (!point_to_point_) return;
    Open& open = open_[first.peer];
    Exchange& exchange = open.exchange;
    if (open.sends != sends_) {
      exchange = {};
      exchange.peer = first.peer;
      exchange.in = first.sequence;
      exchange.data = first.peer == m.peer ? m.sequence : first.sequence;
      exchange.taken = first.taken;
      exchange.begun = message.taken;
      exchange.received = e.now;
      exchange.waited_before = waited_;
      open.computed = computed_;
      open.sends = sends_;
    }
    exchange.bytes_in += m.bytes;
  }

  // Handshakes of different tags may end in another order than they begin. Data that a rank reads are its own message.
  Message request_of(const record::Envelope& m, const Message& message) {
    const auto found = std::find_if(requests_.begin(), requests_.end(), [&](const Request& r) {
      return (r.envelope.peer == m.peer || m.peer == rank_) && r.envelope.tag == m.tag &&
             r.envelope.context == m.context && r.envelope.bytes == m.bytes;
    });
    if (found == requests_.end()) return message;
    const Message first = found->message;
    requests_.erase(found);
    return first;
  }

  void take(const Message& message) {
    const auto peer = static_cast<std::size_t>(message.peer);
    if (peer < exchanges_.taken.size() && message.sequence < exchanges_.taken[peer].size())
      exchanges_.taken[peer][message.sequence] = message.taken;
  }

  void send(const Event& e) {
    ++sends_;
    const auto open = open_.find(e.message.peer);
    if (open == open_.end()) return;
    Exchange exchange = open->second.exchange;
    exchange.out = e.message.sequence;
    exchange.bytes_out = e.message.bytes;
    exchange.ended = e.met;
    exchange.waited_after = waited_;
    exchange.computed = computed_ - open->second.computed;
    exchange.own = claim(open->second.computed);
    own_.push_back(exchange);
    open_.erase(open);
  }

  struct Request {
    record::Envelope envelope;
    Message message;
  };
  struct Open {
    Exchange exchange;
    Interval computed;        // up to then
    std::int64_t sends = -1;  // up to then
  };

  const int rank_;
  Exchanges& exchanges_;
  std::vector<Exchange>& own_;
  Spans& waiting_;
  bool point_to_point_ = true;
  bool finished_ = false;
  Interval computed_, waited_;  // since the start
  // Parts of `computed_` that are in no ended exchange, in order.
  std::vector<std::pair<Interval, Interval>> free_;
  std::int64_t sends_ = 0;
  Message found_;  // by the last probe
  std::unordered_map<int, Open> open_;
  std::vector<Request> requests_;  // of pending handshakes
};

}  // namespace

Result<Exchanges> read_exchanges(const Folder& folder, const History& history) {
  Exchanges exchanges;
  exchanges.ranks.resize(history.ranks.size());
  exchanges.waiting.resize(history.ranks.size());
  for (const RankHistory& rank : history.ranks)
    exchanges.taken.emplace_back(rank.sent.size(), Instant::never());
  for (int rank = 0; rank < folder.ranks(); ++rank) {
    ExchangeReader reader(rank, exchanges);
    const auto read = folder.visit(rank, std::ref(reader));
    if (!read) return tl::unexpected(read.error());
  }
  return exchanges;
}

}  // namespace emu::analysis
