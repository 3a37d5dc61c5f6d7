// The result of an operation as the program can see it: the lines that both the simulator and the player
// write.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/network.h"

namespace emu::reference {

// The report of an operation or a request about failures of other ranks.
enum class Error {
  none,
  failed,   // another rank has failed whose part it needed
  pending,  // a possible source has failed; the request remains
};

// A request that a completion call returned, a message that was received at once, or a message that a probe found.
struct Completion {
  int slot = -1;    // the request's; -1: no request
  int source = -1;  // receives and probes: rank in the communicator; -1: a send, or MPI_PROC_NULL
  int tag = -1;
  model::Bytes bytes = -1;
  int identity = -1;  // receives: of the received message, from its payload
  Error error = Error::none;
  bool cancelled = false;

  friend bool operator==(const Completion&, const Completion&) = default;
};

struct Outcome {
  std::int64_t clock = 0;     // after the operation, in picoseconds
  std::int64_t polls = 0;     // number of false answers
  bool answer = true;         // the last answer; true for operations that have none
  Error error = Error::none;  // for an operation that returns no requests
  std::int64_t value = 0;     // the agreed value; for a group, a bit for each rank of the world
  std::vector<Completion> completions;

  friend bool operator==(const Outcome&, const Outcome&) = default;
};

// Conversion to a line without its end, and back. Invalid text gives an outcome that equals none.
std::string to_line(const Outcome& outcome);
Outcome from_line(const std::string& line);
// A description for messages.
std::string describe(const Outcome& outcome);

}  // namespace emu::reference
