// Nanoseconds in a second, as timespec and its like count them.
#pragma once

#include <cstdint>

namespace emu {

inline constexpr std::int64_t billion = 1'000'000'000;

}  // namespace emu
