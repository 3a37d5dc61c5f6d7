// Player of one rank of a GOAL schedule.
//
// An operation starts when those it `requires` are complete, and those it `irequires` have started. A rank has one
// CPU: of the operations that may start, the first in file order starts, and a `calc` occupies the CPU until it ends.
// If none may start, the rank waits until one of its messages in progress completes; only then does it learn which
// messages are complete.
//
// An operation is a blocking call if it is alone: no other operation is in progress, and none could start before it
// completes. So a rank whose operations form a chain makes blocking calls only. Other operations are non-blocking.
#pragma once

#include <cstdint>

#include "order.h"
#include "part.h"

namespace emu::goal {

// The longest computation that is declared at once, in picoseconds; a longer `calc` is declared in pieces.
inline constexpr std::int64_t piece = 1'000'000'000'000'000;

// The calls of a rank. Operations are named by their places in the part.
class Calls {
 public:
  virtual ~Calls() = default;
  virtual void compute(std::int64_t picoseconds) = 0;
  // A blocking send or receive.
  virtual void call(const Operation16& operation) = 0;
  // A non-blocking send or receive.
  virtual void start(int number, const Operation16& operation) = 0;
  // Waits for a started operation. If several are complete, returns the one that started first.
  virtual int wait_for_one() = 0;
};

class Player {
 public:
  // Both references outlive the player. A unit of `calc` is `unit` picoseconds.
  Player(const Part& part, std::int64_t unit, Calls& calls);

  void play();
  // The blocking operation in progress; -1: none.
  int at() const { return at_; }

 private:
  void run(int operation);

  const std::int64_t unit_;
  Calls& calls_;
  Order order_;
  int under_way_ = 0;
  int at_ = -1;
};

// True if a calc of `longest` units of `unit` picoseconds fits into virtual time.
bool fits_in_picoseconds(std::int64_t longest, std::int64_t unit);

}  // namespace emu::goal
