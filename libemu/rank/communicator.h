// A communicator as the rank sees it: the context of its traffic, and its members.
#pragma once

#include <optional>

#include "match/envelope.h"
#include "rank/members.h"

namespace emu::rank {

struct Communicator {
  match::Context context = 0;  // even: the program's own messages
  int rank = 0;                // rank of this process in the communicator
  Members world;  // destinations of its sends: the members; of an intercommunicator, the remote group
  // Their failures break its collective operations. No value: those of `world` do.
  std::optional<Members> concerned;
  // Set only for a communicator that serves partitioned messages: match/envelope.h.
  std::uint32_t series = 0;

  int round = 0;            // tag of the library's next collective
  int agreements = 0;       // number of agreements
  std::int64_t joined = 0;  // number of blocking collectives that the program has begun
  int background = 0;       // number of nonblocking collectives that have begun
  // The failures that are known by this instant are acknowledged. No value: none are acknowledged.
  std::optional<Instant> acknowledged;

  int size() const { return world.size(); }
  match::Context collective() const { return context | 1; }
};

}  // namespace emu::rank
