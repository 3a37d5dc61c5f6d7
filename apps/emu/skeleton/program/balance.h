// Check that a skeleton's sends and receives are as many as each other.
#pragma once

#include <set>

#include "skeleton/program/scale.h"
#include "skeleton/program/skeleton.h"

namespace emu::skeleton {

// Loops that are scaled and have to do with channels on which there would be more sends than receives, or fewer.
std::set<const Node*> unbalanced(const Skeleton& skeleton, const Scaling& scaling);

// Whether that holds inside each loop whose count varies. Otherwise the mean, with which it runs in the skeleton, is not
// that of the messages' other ends at the time, and the ranks may wait for each other for ever.
bool even_where_counts_vary(const Skeleton& skeleton);

}  // namespace emu::skeleton
