// An independent, simple implementation of shared resources: all flows from the beginning, all resources at each event.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/rate.h"
#include "base/time.h"

namespace emu::reference {

// A resource: its kind, and its number.
struct Passed {
  std::array<int, 4> which;
  Rate gap;
};

struct Flow {
  Instant head;
  int source = 0;
  std::uint64_t sequence = 0;
  std::int64_t bytes = 0;
  Rate own;
  std::vector<Passed> route;
  Instant end;
};

// Both compute the ends of the flows.
void share_fairly(std::vector<Flow>& flows);
void serve_in_order(std::vector<Flow>& flows);

// Removes flows that cannot affect a flow that begins at `since` or later.
void forget(std::vector<Flow>& flows, Instant since);

}  // namespace emu::reference
