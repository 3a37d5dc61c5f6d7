// A value as a function of the number of ranks, found from what it was with a few of them.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace emu::skeleton {

// Something that the number of ranks determines, such as its square root or the rows of a grid: what it was in each
// recording, and what it is where the value is asked for.
struct Basis {
  std::string name;
  std::vector<double> recorded;
  double asked = 1;
};

// The powers, roots and logarithm of the number of ranks that sizes and work of SPMD programs depend on.
std::vector<Basis> bases_of(const std::vector<int>& recorded, int asked);

struct Fit {
  double value = 0;      // where it is asked for
  std::string law;       // "constant", "1/P", "constant + P"
  double residual = 0;   // the largest share by which a recording's value is not what the law says
  bool checked = false;  // there are more recordings than the law has free numbers
};

// The first law that holds but for rounding, or else the first whose residual is below `tolerance`: a constant; a constant
// times one basis; and, from three values on, the sum of both, neither negative. Then, if `loosely`, whichever of these is
// nearest, up to a residual of 0.1. Nothing if none is.
// `values[i]` was found with `bases[...].recorded[places[i]]`; there are two or more.
std::optional<Fit> fit(const std::vector<Basis>& bases, const std::vector<std::size_t>& places,
                       const std::vector<double>& values, double tolerance, bool loosely);

}  // namespace emu::skeleton
