// Check of the paths in a run's record. Each path adds up to its rank's
// finish, and predicts the change of the finish when a parameter of the target
// changes a little. The simulator determines that change by simulation.
#pragma once

#include <array>

#include "reference/compare/chain.h"

namespace emu::reference {

inline constexpr std::size_t parameter_count = 13;
// The changed parameters, by their names in a target file.
extern const std::array<const char*, parameter_count> parameter_names;

// Number of compared derivatives other than 0, by parameter. Derivatives at a kink are not compared, where the change
// makes another path the latest, or changes the order of choices of messages. In a long chain nearly every change meets
// a kink.
struct DerivativeCounts {
  std::array<std::int64_t, parameter_count> by{};
  std::int64_t changing = 0;  // all parameters, on targets that change with time
  std::int64_t polled = 0;    // all parameters, of paths that lead to a discovery by polling
};

// `counts` null: checks only that the paths add up.
std::optional<Difference> compare_paths(const Chain& chain, const record::RunSummary& record,
                                        DerivativeCounts* counts);

}  // namespace emu::reference
