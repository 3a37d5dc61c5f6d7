// Plays one rank of a GOAL schedule.
//
// An operation starts when those it `requires` are complete and those it `irequires` are started. A rank has
// one CPU: of the operations that may start, the first in file order does, and a `calc` keeps the CPU until
// it ends. When none may start, the rank waits for the first of the messages under way to complete; only then
// does it notice which are complete.
//
// An operation that is alone (nothing is under way, and nothing else could start before it completes) is a
// blocking call; so a rank whose operations form a chain makes blocking calls only. Others are non-blocking.
#pragma once

#include <cstdint>

#include "order.h"
#include "part.h"

namespace emu::goal {

// The longest computation that is declared at once, in picoseconds; a longer `calc` is several.
inline constexpr std::int64_t piece = 1'000'000'000'000'000;

// What a rank calls. Operations are named by their places in the part.
class Calls {
 public:
  virtual ~Calls() = default;
  virtual void compute(std::int64_t picoseconds) = 0;
  // A message, blocking.
  virtual void call(const Operation16& operation) = 0;
  // The same, non-blocking.
  virtual void start(int number, const Operation16& operation) = 0;
  // Waits for one that has been started; of several that are complete for that which was started first.
  virtual int wait_for_one() = 0;
};

class Player {
 public:
  // Both outlive the player. A unit of `calc` is `unit` picoseconds.
  Player(const Part& part, std::int64_t unit, Calls& calls);

  void play();
  // The blocking operation at hand; -1: there is none.
  int at() const { return at_; }

 private:
  void run(int operation);

  const Part& part_;
  const std::int64_t unit_;
  Calls& calls_;
  Order order_;
  int under_way_ = 0;
  int at_ = -1;
};

// A calc of so many units of so many picoseconds fits into virtual time.
bool fits_in_picoseconds(std::int64_t longest, std::int64_t unit);

}  // namespace emu::goal
