// Operations that create a communicator of a special kind, use it, and free it: communicators with a topology, and
// intercommunicators. Their messages are those of several consecutive collective operations.
#pragma once

#include <vector>

#include "model/schedule.h"
#include "reference/collectives/plan.h"
#include "reference/program/across.h"
#include "reference/program/program.h"

namespace emu::reference {

bool is_composite(Action action);

// The members that make a communicator of their own, in its order.
std::vector<int> subset(int ranks);

// The messages of such an operation among `ranks` ranks; rank/semantics.md describes MPICH's creation of communicators.
std::vector<Part> composite_parts(const Operation& operation, int ranks);
// The part of one rank, in executable steps; all data is at the beginning of its memory.
model::Schedule as_schedule(const Plan& plan, int rank);

}  // namespace emu::reference
