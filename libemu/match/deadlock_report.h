// Facts that a rank publishes for the deadlock report.
#pragma once

#include <array>
#include <cstdint>

#include "match/envelope.h"

namespace emu::match {

// A collective operation in the background, for the deadlock report.
struct Running {
  const char* call = nullptr;  // the call that began it; null: no operation
  std::uint64_t context = 0;
  std::int32_t first = 0;       // as in Joined
  std::int64_t number = 0;      // as in Joined
  std::array<int, 4> peers{};   // the first ranks in MPI_COMM_WORLD whose messages it awaits
  std::int32_t peer_count = 0;  // number of all such ranks

  bool operator==(const Running&) const = default;
};

// Reason why a rank blocks, for the deadlock report.
struct Waiting {
  const char* call = "";  // "MPI_Recv"
  int peer = any_source;  // rank in MPI_COMM_WORLD, any_source, or `nobody`
  int tag = any_tag;
  int requests = 0;  // number of requests that the call waits for; 0 if it does not wait for requests
  Running behind;    // the operation that the first request represents

  static constexpr int nobody = -1;
  static constexpr int no_tag = -2;  // no tag of the program: a collective

  bool operator==(const Waiting&) const = default;
};

// A collective in which a rank takes part, for the deadlock report: the values that must be equal at all members.
struct Joined {
  const char* call = "";
  std::uint64_t context = 0;
  // The communicator's first member, as a rank in MPI_COMM_WORLD: other communicators may have an equal context.
  std::int32_t first = 0;
  std::int64_t number = 0;  // among the communicator's blocking collectives, or its others, from 1
  std::int32_t root = -1;   // -1: no root
  std::int64_t bytes = -1;  // for each member; -1: members may have different numbers
  bool background = false;
};

// A message lost because a node was down, for the deadlock report.
struct Loss {
  bool arriving;  // true: on arrival at this rank; false: not sent
  int peer;       // source or destination, in MPI_COMM_WORLD
  Instant at;     // when it would have arrived, or would have left
};

class DeadlockReport {
 public:
  virtual ~DeadlockReport() = default;

  // Both are called before any later raise of this rank's own bound.
  virtual void joins(const Joined&) {}
  virtual void lost(const Loss& loss) = 0;
};

}  // namespace emu::match
