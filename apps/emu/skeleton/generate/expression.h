// Values that differ from rank to rank, as C expressions in `rank`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace emu::skeleton {

// True for exactly the ranks for which `holds` is: "rank > 0", "rank % 4 < 3 && rank >= 4". Empty if it holds for all;
// nothing if there is no short one.
std::optional<std::string> condition(const std::vector<bool>& holds);

// For the ranks where `matters`: "7", "rank - 1", "(rank + 1) % 16", "rank ^ 1". Nothing if there is none.
std::optional<std::string> formula(const std::vector<std::int64_t>& values, const std::vector<bool>& matters);

}  // namespace emu::skeleton
