// Values that differ between ranks, as C expressions in `rank`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace emu::skeleton {

// True for exactly the ranks for which `holds` is true: "rank > 0", "rank % 4 < 3 &&
// rank >= 4". Empty if that is all ranks; nothing if there is no short expression.
std::optional<std::string> condition(const std::vector<bool>& holds);

// For the ranks in `matters`: "7", "rank - 1", "(rank + 1) % 16", "rank ^ 1". Nothing if there is no formula.
std::optional<std::string> formula(const std::vector<std::int64_t>& values, const std::vector<bool>& matters);

}  // namespace emu::skeleton
