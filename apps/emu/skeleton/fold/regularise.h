// Normal order of calls whose order is arbitrary.
#pragma once

#include "skeleton/recording/trace.h"

namespace emu::skeleton {

// Sends and receives that begin one after another, without computation in between, are sorted by
// function, tag and distance; those of one peer and tag keep their order. Whether a rank computes
// between two calls is decided by all pairs of their kind, because single measurements may be too
// long. Consecutive waits become one wait for all of their requests. Slots are renumbered, so
// that a loop that begins its messages in varying order becomes one with equal iterations.
void regularise(RankTrace& trace);

}  // namespace emu::skeleton
