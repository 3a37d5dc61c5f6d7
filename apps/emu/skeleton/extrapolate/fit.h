// A value as a function of the number of ranks, fitted to its values with a few numbers of ranks.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace emu::skeleton {

// A quantity that the number of ranks determines, such as its square root or the rows of a grid: its values in the
// recordings, and for the requested number.
struct Basis {
  std::string name;
  std::vector<double> recorded;
  double asked = 1;
};

// The powers, roots and logarithm of the number of ranks on which sizes and work of SPMD programs depend.
std::vector<Basis> bases_of(const std::vector<int>& recorded, int asked);

struct Fit {
  double value = 0;      // for the requested number
  std::string law;       // "constant", "1/P", "constant + P"
  double residual = 0;   // the largest relative deviation of a recording's value from the law
  bool checked = false;  // there are more recordings than parameters of the law
  // The largest difference of `value` and the values of other laws that fit no worse, relative to `value`.
  double doubt = 0;
};

// The first law that holds except for rounding, or else the first with a residual below `tolerance`.
// Laws: a constant; a constant times one basis; and, from three values on, the sum of both, neither
// negative. If there is none and `loosely` is true, the law with the least residual, up to 0.1, that is no sum, or
// else the sum with the least residual, up to 2.5 `tolerance`: with two parameters some law is near almost any values.
// Otherwise nothing. `values[i]` belongs to `bases[...].recorded[places[i]]`; there are two or more.
std::optional<Fit> fit(const std::vector<Basis>& bases, const std::vector<std::size_t>& places,
                       const std::vector<double>& values, double tolerance, bool loosely);

}  // namespace emu::skeleton
