// A communicator as the rank sees it: a name for its traffic and who its members are.
#pragma once

#include <optional>
#include <vector>

#include "match/envelope.h"

namespace emu::rank {

struct Communicator {
  match::Context context = 0;  // even: the program's own messages
  int rank = 0;                // this process's rank in it
  std::vector<int> world;      // rank in MPI_COMM_WORLD of each member

  int round = 0;       // tag of its collective traffic
  int agreements = 0;  // made so far
  int background = 0;  // collectives begun so far that go on in the background
  // The failures known by then are acknowledged. Nothing: none are.
  std::optional<Instant> acknowledged;

  int size() const { return static_cast<int>(world.size()); }
  match::Context collective() const { return context | 1; }
};

}  // namespace emu::rank
