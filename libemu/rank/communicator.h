// A communicator as the rank sees it: a name for its traffic and whom it reaches by it.
#pragma once

#include <optional>

#include "match/envelope.h"
#include "rank/members.h"

namespace emu::rank {

struct Communicator {
  match::Context context = 0;  // even: the program's own messages
  int rank = 0;                // this process's rank in it
  Members world;               // those it sends to: its members; of an intercommunicator the remote group
  // Of partitioned messages, for whose sake alone it is there: match/envelope.h.
  std::uint32_t series = 0;

  int round = 0;            // tag of its collective traffic
  int agreements = 0;       // made so far
  std::int64_t joined = 0;  // blocking collectives of the program's so far
  int background = 0;       // collectives begun so far that go on in the background
  // The failures known by then are acknowledged. Nothing: none are.
  std::optional<Instant> acknowledged;

  int size() const { return world.size(); }
  match::Context collective() const { return context | 1; }
};

}  // namespace emu::rank
