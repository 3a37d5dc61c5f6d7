// Nanoseconds in a second, the unit of timespec.
#pragma once

#include <cstdint>

namespace emu {

inline constexpr std::int64_t billion = 1'000'000'000;

}  // namespace emu
