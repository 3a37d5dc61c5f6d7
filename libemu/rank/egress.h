// Departure of a rank's messages: the gap g between two sends, the rank's side of its network card, and the way to the
// receiver, its card or the bus. rank/semantics.md, "Messages".
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>

#include "rank/core.h"

namespace emu::rank {

class Egress {
 public:
  // `core` outlives this.
  explicit Egress(Core& core) : core_(core) {}

  // A send of the program's, or of a collective's, begins: waits for the gap g.
  void begin_send(model::Bytes bytes);
  // The message leaves at the clock, or once the card is free. `occupying`: the bytes that keep a link; `cost`:
  // what was charged for it.
  void send(int to, match::Message* message, model::Bytes occupying, Interval cost);
  // This rank reads `data` in the memory of their sender, from its clock on. They are a message to itself. False: the
  // data are lost, because the sender's node has failed before they leave. `cost`: as above.
  [[nodiscard]] bool read(match::Message* data, Interval cost);
  // What answers `operation` leaves for `to` when that takes effect. It passes neither cards nor the bus: those are kept
  // in the order of this rank's own clock, which may be beyond.
  void answer(int to, match::Message* message, const match::Message& operation, bool overhead);
  // From here on it is known when the last message to each rank arrives, for this: the next operation for `to` does not
  // arrive before all messages that have left for it.
  void remember_messages() { remembers_ = true; }
  void keep_behind_messages(int to);
  // How many operations this rank has sent so far: the next one's place among them.
  std::uint64_t operations() const { return operations_; }
  // Of the last message: its place among all that this rank sends.
  std::uint64_t last_sequence() const { return sequence_ - 1; }

  std::int64_t sends() const { return sends_; }  // begun so far
  std::int64_t bytes() const { return bytes_; }  // of theirs
  // Whether what the rank last waited for was the gap g.
  bool waited_for_gap() const;

 private:
  struct Head {  // of a message: when it comes to a card or to the bus
    Instant at;
    record::Path path;
  };

  static Head arrival_alone(const match::Message& message);
  [[gnu::noinline]] void keep_gap();
  [[gnu::cold]] void keep_behind(int to, match::Message& message);
  [[gnu::noinline]] void keep_in_order(int to, match::Message& operation);
  [[gnu::cold]] void remember(int to, const match::Message& message);
  static void put_in_transit(match::Message& message, model::Bytes bytes, Instant head,
                             const model::Route& route);
  [[gnu::cold]] void record(const match::Message& message, int to, model::Bytes bytes, Interval cost);

  Core& core_;
  std::uint64_t sequence_ = 0;                     // of all that this rank sends
  Instant next_send_;                              // g: not before
  Instant card_free_;                              // card "serial": when the sending side is free
  record::Path next_send_path_, card_path_;        // to these two
  std::unordered_map<int, Head> last_heads_;       // by receiver: where links to cards or to the bus change
  std::unordered_map<int, Head> last_operations_;  // by receiver
  std::unordered_map<int, Head> last_messages_;    // by receiver, if remembers_: the one that arrives last
  bool remembers_ = false;
  std::uint64_t operations_ = 0, answers_ = 0;  // sent so far
  std::int64_t sends_ = 0;
  std::int64_t bytes_ = 0;
};

}  // namespace emu::rank
