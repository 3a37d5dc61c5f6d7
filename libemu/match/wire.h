// The wire of a rank: all that connects it to other ranks.
//
// The order of events is correct if an implementation fulfils the contract of these parts; wire/table.h argues why its
// own does. A user takes the part that it needs.
#pragma once

#include "match/bounds.h"
#include "match/deadlock_report.h"
#include "match/landings.h"
#include "match/transport.h"

namespace emu::match {

class Wire : public Transport, public Bounds, public DeadlockReport, public Landings {};

}  // namespace emu::match
