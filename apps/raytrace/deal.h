// Distribution of rays to the ranks that trace them.
#pragma once

#include <mpi.h>

#include <functional>
#include <vector>

#include "options.h"
#include "rays.h"

namespace raytrace {

// The result of a rank.
struct Done {
  Sums sums;
  double seconds = 0;  // by MPI_Wtime, from the start until the rank had traced its last ray
};

using Trace = std::function<Sums(std::span<const Ray>)>;

// The root scatters `rays` (which it alone has) with MPI_Scatterv, in equal or balanced parts. Collective over
// MPI_COMM_WORLD.
Done deal_parts(const std::vector<Ray>& rays, const Options& options, const Trace& trace);
// The root sends a task to each rank that asks for the first time or sends a result. A single rank traces all rays.
Done deal_tasks(const std::vector<Ray>& rays, const Options& options, const Trace& trace);

}  // namespace raytrace
