// Check of the paths in a run's record: each adds up to its rank's finish, and says by how much the
// finish moves when a parameter of the target changes a little, as the simulator finds it by
// trying.
#pragma once

#include <array>

#include "reference/compare/chain.h"

namespace emu::reference {

inline constexpr std::size_t parameter_count = 10;
// What is changed, by its name in a target file.
extern const std::array<const char*, parameter_count> parameter_names;

// How many derivatives other than 0 were compared, by parameter. Not those at a kink: where the change makes
// another path the latest, or messages are chosen in another order.
// In a long chain nearly every change meets a kink somewhere.
struct DerivativeCounts {
  std::array<std::int64_t, parameter_count> by{};
  std::int64_t changing = 0;  // all parameters, on targets that change with time
  std::int64_t polled = 0;    // all parameters, of paths that lead to what a rank found by polling
};

// `counts` null: only whether the paths add up.
std::optional<Difference> compare_paths(const Chain& chain, const record::RunSummary& record,
                                        DerivativeCounts* counts);

}  // namespace emu::reference
