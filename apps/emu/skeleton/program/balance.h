// Check that a skeleton has as many sends as receives.
#pragma once

#include <set>

#include "skeleton/program/scale.h"
#include "skeleton/program/skeleton.h"

namespace emu::skeleton {

// Scaled loops with channels on which sends and receives would differ in number.
std::set<const Node*> unbalanced(const Skeleton& skeleton, const Scaling& scaling);

// True if numbers agree inside each loop with a varying count. Otherwise the mean count of the skeleton
// differs from that of the messages' other ends at the time, and ranks may wait for each other for ever.
bool even_where_counts_vary(const Skeleton& skeleton);

}  // namespace emu::skeleton
