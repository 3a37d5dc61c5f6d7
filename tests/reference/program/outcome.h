// Outcome of an operation as the program can see it: the lines that the simulator and the player
// both write.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/network.h"

namespace emu::reference {

// What an operation or a request said of the failures of others.
enum class Error {
  none,
  failed,   // another rank did, whose part it needed
  pending,  // one failed that could have been the source; the request stays
};

// A request that a completion call returned, a message that was received at once, or one that a probe found.
struct Completion {
  int slot = -1;    // the request's; -1: no request
  int source = -1;  // receives and probes: rank in the communicator; -1: a send, or nobody
  int tag = -1;
  model::Bytes bytes = -1;
  int identity = -1;  // receives: of what was received, from its payload
  Error error = Error::none;
  bool cancelled = false;

  friend bool operator==(const Completion&, const Completion&) = default;
};

struct Outcome {
  std::int64_t clock = 0;     // after the operation, in picoseconds
  std::int64_t polls = 0;     // false answers
  bool answer = true;         // the last answer; true for operations that have none
  Error error = Error::none;  // of an operation that returns no requests
  std::int64_t value = 0;     // what was agreed; of a group, a bit for each rank of the world
  std::vector<Completion> completions;

  friend bool operator==(const Outcome&, const Outcome&) = default;
};

// One line without its end, and back; text that is no outcome gives one that equals none.
std::string to_line(const Outcome& outcome);
Outcome from_line(const std::string& line);
// For messages to people.
std::string describe(const Outcome& outcome);

}  // namespace emu::reference
