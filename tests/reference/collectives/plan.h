// Messages and work of a collective operation, for all ranks at once.
#pragma once

#include <algorithm>
#include <vector>

#include "model/network.h"

namespace emu::reference {

using model::Bytes;

// One action of a rank.
struct Move {
  enum class Kind { send, receive, wait, copy, combine };  // wait: for all started since the previous wait
  Kind kind = Kind::wait;
  int peer = -1;    // of a message
  Bytes bytes = 0;  // of a message, a copy or a reduction

  friend bool operator==(const Move&, const Move&) = default;
};

// Temporary memory of a rank: the sum of what it uses of its parts, each in whole units of 16 bytes, and the size of the
// largest part.
struct Room {
  Bytes bytes = 0;
  Bytes largest = 0;

  friend bool operator==(const Room&, const Room&) = default;
};

class Plan {
 public:
  explicit Plan(int size)
      : ranks_(static_cast<std::size_t>(size)),
        pending_(static_cast<std::size_t>(size)),
        rooms_(static_cast<std::size_t>(size)) {}

  int size() const { return static_cast<int>(ranks_.size()); }
  const std::vector<Move>& of(int rank) const { return ranks_[static_cast<std::size_t>(rank)]; }
  // The rank takes this memory when the operation begins.
  const Room& room(int rank) const { return rooms_[static_cast<std::size_t>(rank)]; }

  void send(int rank, int to, Bytes bytes) { add(rank, {Move::Kind::send, to, bytes}); }
  void receive(int rank, int from, Bytes bytes) { add(rank, {Move::Kind::receive, from, bytes}); }
  void wait(int rank) {
    if (pending_[static_cast<std::size_t>(rank)]) add(rank, {});
  }
  void copy(int rank, Bytes bytes) {
    if (bytes > 0) add(rank, {Move::Kind::copy, -1, bytes});
  }
  void combine(int rank, Bytes bytes) {
    if (bytes > 0) add(rank, {Move::Kind::combine, -1, bytes});
  }
  // A part of its temporary memory.
  void take(int rank, Bytes bytes) { take(rank, bytes, bytes); }
  void take(int rank, Bytes used, Bytes part) { enlarge(rank, {(used + 15) / 16 * 16, part}); }
  // Appends the moves of another plan for as many ranks.
  void append(const Plan& other) {
    for (int rank = 0; rank < size(); ++rank) append(rank, other, rank, [](int peer) { return peer; });
  }
  // Appends the moves of rank `as` of the other plan to those of `rank`. `peer(i)`: rank i of the other plan.
  template <class Peer>
  void append(int rank, const Plan& other, int as, const Peer& peer) {
    for (Move move : other.of(as)) {
      if (move.peer >= 0) move.peer = peer(move.peer);
      add(rank, move);
    }
    enlarge(rank, other.room(as));
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
  void add(int rank, const Move& move) {
    ranks_[static_cast<std::size_t>(rank)].push_back(move);
    if (move.peer >= 0) pending_[static_cast<std::size_t>(rank)] = true;
    if (move.kind == Move::Kind::wait) pending_[static_cast<std::size_t>(rank)] = false;
  }
  void enlarge(int rank, const Room& more) {
    Room& all = rooms_[static_cast<std::size_t>(rank)];
    all.bytes += more.bytes;
    all.largest = std::max(all.largest, more.largest);
  }

  std::vector<std::vector<Move>> ranks_;
  std::vector<bool> pending_;  // the rank has started messages since its last wait
  std::vector<Room> rooms_;
};

}  // namespace emu::reference
