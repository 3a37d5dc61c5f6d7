// Messages of a collective operation, for all ranks at once.
#pragma once

#include <vector>

#include "model/network.h"

namespace emu::reference {

using model::Bytes;

// One action of a rank.
struct Move {
  enum class Kind { send, receive, wait };  // wait: for all started since the previous wait
  Kind kind = Kind::wait;
  int peer = -1;    // of a message
  Bytes bytes = 0;  // of a message

  friend bool operator==(const Move&, const Move&) = default;
};

class Plan {
 public:
  explicit Plan(int size) : ranks_(static_cast<std::size_t>(size)) {}

  int size() const { return static_cast<int>(ranks_.size()); }
  const std::vector<Move>& of(int rank) const { return ranks_[static_cast<std::size_t>(rank)]; }

  void send(int rank, int to, Bytes bytes) { add(rank, {Move::Kind::send, to, bytes}); }
  void receive(int rank, int from, Bytes bytes) { add(rank, {Move::Kind::receive, from, bytes}); }
  void wait(int rank) {
    if (!of(rank).empty() && of(rank).back().kind != Move::Kind::wait) add(rank, {});
  }
  // Appends the moves of another plan for as many ranks.
  void append(const Plan& other) {
    for (int rank = 0; rank < size(); ++rank)
      ranks_[static_cast<std::size_t>(rank)].insert(ranks_[static_cast<std::size_t>(rank)].end(),
                                                    other.of(rank).begin(), other.of(rank).end());
  }
  // One message; each side waits until it is complete.
  void message(int from, int to, Bytes bytes) {
    send(from, to, bytes);
    wait(from);
    receive(to, from, bytes);
    wait(to);
  }
  // One rank's side of a round in which all ranks send and receive at the same time.
  void both(int rank, int to, Bytes out, int from, Bytes in) {
    receive(rank, from, in);
    send(rank, to, out);
    wait(rank);
  }
  void swap(int a, int b, Bytes from_a, Bytes from_b) {
    both(a, b, from_a, b, from_b);
    both(b, a, from_b, a, from_a);
  }

 private:
  void add(int rank, const Move& move) { ranks_[static_cast<std::size_t>(rank)].push_back(move); }

  std::vector<std::vector<Move>> ranks_;
};

}  // namespace emu::reference
