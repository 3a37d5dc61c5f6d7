// Operations that make a communicator of a kind of its own, use it, and free it again: those with a topology, and
// intercommunicators. In messages they are several collective operations, one after the other.
#pragma once

#include <vector>

#include "model/schedule.h"
#include "reference/collectives/plan.h"
#include "reference/program/program.h"

namespace emu::reference {

bool is_composite(Action action);

// The messages of one among so many ranks: rank/semantics.md and its words for MPICH's making of communicators.
std::vector<Plan> composite_plans(const Operation& operation, int ranks);
// One rank's part, to be carried out step by step; all data is at the beginning of its memory.
model::Schedule as_schedule(const Plan& plan, int rank);

}  // namespace emu::reference
