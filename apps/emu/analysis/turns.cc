#include "analysis/turns.h"

#include <algorithm>
#include <unordered_map>

#include "analysis/profile.h"
#include "analysis/state.h"

namespace emu::analysis {
namespace {

using enum record::MessageKind;

class TurnTaker {
 public:
  TurnTaker(int rank, Turns& turns)
      : turns_(turns),
        own_(turns.ranks[static_cast<std::size_t>(rank)]),
        waiting_(turns.waiting[static_cast<std::size_t>(rank)]) {}

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

  // All that has been computed since `from` and is in no turn yet.
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

  // Requests are answered in whatever call comes; their data completes the call that waits for it.
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
    Open& open = open_[m.peer];
    Turn& turn = open.turn;
    if (open.sends != sends_) {
      turn = {};
      turn.peer = m.peer;
      turn.in = first.sequence;
      turn.data = m.sequence;
      turn.taken = first.taken;
      turn.begun = message.taken;
      turn.received = e.now;
      turn.waited_before = waited_;
      open.computed = computed_;
      open.sends = sends_;
    }
    turn.bytes_in += m.bytes;
  }

  // Handshakes of different tags may end in another order than they began.
  Message request_of(const record::Envelope& m, const Message& message) {
    const auto found = std::find_if(requests_.begin(), requests_.end(), [&](const Request& r) {
      return r.envelope.peer == m.peer && r.envelope.tag == m.tag && r.envelope.context == m.context &&
             r.envelope.bytes == m.bytes;
    });
    if (found == requests_.end()) return message;
    const Message first = found->message;
    requests_.erase(found);
    return first;
  }

  void take(const Message& message) {
    const auto peer = static_cast<std::size_t>(message.peer);
    if (peer < turns_.taken.size() && message.sequence < turns_.taken[peer].size())
      turns_.taken[peer][message.sequence] = message.taken;
  }

  void send(const Event& e) {
    ++sends_;
    const auto open = open_.find(e.message.peer);
    if (open == open_.end()) return;
    Turn turn = open->second.turn;
    turn.out = e.message.sequence;
    turn.bytes_out = e.message.bytes;
    turn.ended = e.met;
    turn.waited_after = waited_;
    turn.computed = computed_ - open->second.computed;
    turn.own = claim(open->second.computed);
    own_.push_back(turn);
    open_.erase(open);
  }

  struct Request {
    record::Envelope envelope;
    Message message;
  };
  struct Open {
    Turn turn;
    Interval computed;        // by then
    std::int64_t sends = -1;  // by then
  };

  Turns& turns_;
  std::vector<Turn>& own_;
  Spans& waiting_;
  bool point_to_point_ = true;
  bool finished_ = false;
  Interval computed_, waited_;  // since the start
  // Stretches of `computed_` that are in no turn yet that has ended, in order.
  std::vector<std::pair<Interval, Interval>> free_;
  std::int64_t sends_ = 0;
  Message found_;  // by the last probe
  std::unordered_map<int, Open> open_;
  std::vector<Request> requests_;  // of handshakes under way
};

}  // namespace

Result<Turns> read_turns(const Folder& folder, const History& history) {
  Turns turns;
  turns.ranks.resize(history.ranks.size());
  turns.waiting.resize(history.ranks.size());
  for (const RankHistory& rank : history.ranks) turns.taken.emplace_back(rank.sent.size(), Instant::never());
  for (int rank = 0; rank < folder.ranks(); ++rank) {
    TurnTaker taker(rank, turns);
    const auto read = folder.visit(rank, std::ref(taker));
    if (!read) return tl::unexpected(read.error());
  }
  return turns;
}

}  // namespace emu::analysis
