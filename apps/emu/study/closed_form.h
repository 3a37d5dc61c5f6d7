// Closed form of the time of a master and its slaves.
#pragma once

#include <algorithm>

#include "analysis/masters.h"
#include "target/target.h"

namespace emu::app::studies {

using analysis::OneMaster;

// Costs of a message at its sender and its receiver, with its handshake.
struct TripCost {
  double send = 0, receive = 0, latency = 0, per_byte = 0;
};

// A task and a result, averaged over the slaves.
struct RoundTrip {
  TripCost task, result;
};
RoundTrip round_trip(const OneMaster& job, const target::Target& target, int ranks);

// The closed form, in seconds: the time of the master alone, N (o_r + o_s)(P) and its own work, and the time of
// the slaves alone, N (t + RTT) / (P - 1); averaged over different links. `ranks` may differ from the number of
// the run.
struct ClosedForm {
  double master = 0;
  double slaves = 0;
  double larger() const { return std::max(master, slaves); }
};
ClosedForm closed_form(const OneMaster& job, const target::Target& target, int ranks);

}  // namespace emu::app::studies
