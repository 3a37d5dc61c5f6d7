// A wire without other ranks: the test hands messages in, inspects the messages and bounds of the rank, and answers its
// queries.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <functional>
#include <new>
#include <optional>
#include <stdexcept>
#include <unordered_set>
#include <utility>
#include <vector>

#include "match/wire.h"

namespace emu {

class ScriptedWire final : public match::Wire {
 public:
  using Message = match::Message;
  using Kind = Message::Kind;
  struct Sent {
    int to;
    Message* message;
  };
  struct Question {
    match::Arrival key;
    bool everyone;
    std::vector<int> named;
    int except;
  };

  // --- actions of the test
  // A message that arrives at `at`. Each byte of its payload is `tag`.
  Message* hand_in(Kind kind, std::int64_t at, const match::Envelope& envelope) {
    Message* m = allocate(envelope.bytes);
    m->kind = kind;
    m->envelope = envelope;
    m->source_in_comm = envelope.source;
    m->arrival = {Instant::from_picoseconds(at), envelope.source, sequence_++};
    std::fill_n(m->payload(), envelope.bytes, static_cast<std::byte>(envelope.tag));
    (last_ ? last_->next : first_) = m;
    last_ = m;
    ++announced_;
    return m;
  }
  // Events while the rank sleeps, one entry for each sleep. A sleep without an entry throws.
  std::deque<std::function<void()>> while_asleep;
  // Called with the place of each sent message in `sent`.
  std::function<void(std::size_t)> at_delivery;
  std::function<std::optional<int>(const Question&)> blocking_rank_answer = [](const Question&) {
    return std::nullopt;
  };

  std::function<std::optional<int>(int rank)> bound_below_answer = [](int) { return std::nullopt; };

  // The landing of a message in transit.
  std::function<match::Landing(const Message&)> landing_answer = [](const Message& m) {
    return match::Landing{m.arrival.at, true};
  };

  // The answer of horizon(), unless the query asks for less.
  Instant certain_until;

  // --- observations of the test
  int asked_ahead = 0;
  std::vector<Sent> sent;
  std::vector<Instant> ran;     // running(): the clock when the program continued
  std::vector<Instant> served;  // serving(): the bound
  std::vector<Block> blocks;
  std::vector<Question> questions;
  std::vector<std::pair<int, Instant>> awaited;  // bound_below()
  std::vector<WakeUp> slept_for;
  std::vector<match::Waiting> waited;
  std::vector<match::Loss> losses;
  int allocated = 0;

  // --- match::Wire
  Message* allocate(model::Bytes payload) override {
    ++allocated;
    void* const memory = std::malloc(sizeof(Message) + static_cast<std::size_t>(payload));
    return *messages_.insert(new (memory) Message{}).first;
  }
  void release(Message* message) override {
    --allocated;
    messages_.erase(message);
    std::free(message);
  }
  void deliver(int to, Message* message) override {
    sent.push_back({to, message});
    if (at_delivery) at_delivery(sent.size() - 1);
  }
  std::uint64_t announced() override { return announced_; }
  Message* drain() override {
    last_ = nullptr;
    return std::exchange(first_, nullptr);
  }
  void running(Instant clock) override { ran.push_back(clock); }
  bool serving(Instant clock, Instant bound, std::uint64_t announced) override {
    if (announced != announced_) return false;
    ran.push_back(clock);
    served.push_back(bound);
    return true;
  }
  bool blocked(const Block& block, std::uint64_t announced) override {
    if (announced != announced_) return false;
    blocks.push_back(block);
    return true;
  }
  void lost(const match::Loss& loss) override { losses.push_back(loss); }
  std::optional<int> blocking_rank(const match::Arrival& key, const match::Sources& c,
                                   std::uint64_t) override {
    questions.push_back({key, c.everyone, {c.named.begin(), c.named.end()}, c.except});
    return blocking_rank_answer(questions.back());
  }
  std::optional<Instant> horizon(const match::Sources&, Instant most, std::uint64_t) override {
    ++asked_ahead;
    return std::min(most, certain_until);
  }
  std::optional<int> bound_below(int rank, Instant at, std::uint64_t) override {
    awaited.push_back({rank, at});
    return bound_below_answer(rank);
  }
  match::Landing landing(const Message& message) override { return landing_answer(message); }
  std::uint64_t landing_changes() override { return ++looks_; }  // every look may find others
  void sleep(std::uint64_t, WakeUp wake_up) override {
    slept_for.push_back(wake_up);
    waited.push_back(blocks.back().why);
    if (while_asleep.empty()) throw std::runtime_error("sleeps for ever");
    const auto happens = while_asleep.front();
    while_asleep.pop_front();
    happens();
  }

  ~ScriptedWire() override {
    for (Message* const message : messages_) std::free(message);
  }

 private:
  std::unordered_set<Message*> messages_;  // sent messages, and those that the rank has not released
  Message* first_ = nullptr;
  Message* last_ = nullptr;
  std::uint64_t announced_ = 0;
  std::uint64_t looks_ = 0;
  std::uint64_t sequence_ = 0;
};

}  // namespace emu
