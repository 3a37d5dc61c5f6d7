// Departure of a rank's messages: the gap g between two sends, the rank's side of its network card, and the way to the
// receiver, its card or the bus. rank/semantics.md, "Messages".
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>

#include "clock/gap.h"
#include "rank/core.h"

namespace emu::rank {

class Egress {
 public:
  // `core` outlives this.
  explicit Egress(Core& core) : core_(core) {}

  // A send of the program's, or of a collective's, begins: waits for the gap g.
  void begin_send(model::Bytes bytes);
  // Charges o_s(bytes) for data that send() sends next to `to`. Returns the cost.
  [[gnu::hot]] Interval pay(int to, model::Bytes bytes) {
    const Interval cost = core_.network.send_overhead(core_.number, to, bytes);
    if (core_.network.sends_whole(core_.number, to)) [[unlikely]] {
      pay_in_parts(to, bytes, cost);
      return cost;
    }
    core_.clock.send(cost, bytes);
    return cost;
  }
  // The message leaves at the clock, or once the card is free. `occupying`: the bytes that keep a link busy; `cost`:
  // the overhead that was charged for it.
  void send(int to, match::Message* message, model::Bytes occupying, Interval cost);
  // This rank reads `data` in the memory of their sender, from its clock on. They are a message to itself. False: the
  // data are lost, because the sender's node has failed before they leave. `cost`: as above.
  [[nodiscard]] bool read(match::Message* data, Interval cost);
  // Sends the answer to `operation` when the operation takes effect. The answer passes neither cards nor the bus: they
  // are used in the order of this rank's clock, which may be later.
  void answer(int to, match::Message* message, const match::Message& operation, bool overhead);
  // Remembers from here on when the last message to each rank arrives, for keep_behind_messages().
  void remember_messages() { remembers_ = true; }
  // The next operation for `to` arrives after all messages that have left for `to`.
  void keep_behind_messages(int to);
  // Number of operations sent so far, which is the sequence number of the next one.
  std::uint64_t operations() const { return operations_; }
  // Sequence number of the last message among all messages of this rank.
  std::uint64_t last_sequence() const { return sequence_ - 1; }

  std::int64_t sends() const { return sends_; }  // number of sends begun so far
  std::int64_t bytes() const { return bytes_; }  // of these sends
  // True if the rank's last wait was for the gap g.
  bool waited_for_gap() const;

 private:
  struct Head {
    Instant at;  // departure of a message's head, or its arrival at a card or at the bus
    record::Path path;
  };

  static Head arrival_alone(const match::Message& message);
  [[gnu::noinline]] void pay_in_parts(int to, model::Bytes bytes, Interval cost);
  [[gnu::noinline]] void send_whole(int to, match::Message* message, model::Bytes bytes, Interval cost);
  [[gnu::noinline]] void keep_gap();
  [[gnu::cold]] void enforce_link_order(int to, match::Message& message);
  [[gnu::noinline]] void enforce_operation_order(int to, match::Message& operation);
  [[gnu::cold]] void remember(int to, const match::Message& message);
  static void put_in_transit(match::Message& message, model::Bytes bytes, Instant head,
                             const model::Route& route);
  [[gnu::cold]] void record(const match::Message& message, int to, model::Bytes bytes, Interval cost);

  Core& core_;
  std::uint64_t sequence_ = 0;  // of the next message, among all messages of this rank
  clock::Gap gap_;
  Instant card_free_;               // card "serial": the instant at which the sending side is free
  record::Path card_path_;          // to that instant
  std::optional<Head> first_byte_;  // of data that are paid for: the send lasts until all bytes have left
  std::unordered_map<int, Head> last_heads_;       // by receiver, if links to cards or to the bus change
  std::unordered_map<int, Head> last_operations_;  // by receiver
  std::unordered_map<int, Head> last_messages_;    // by receiver, if remembers_: the one that arrives last
  bool remembers_ = false;
  std::uint64_t operations_ = 0, answers_ = 0;  // sent so far
  std::int64_t sends_ = 0;
  std::int64_t bytes_ = 0;
};

}  // namespace emu::rank
