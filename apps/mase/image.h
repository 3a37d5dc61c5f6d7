// The images that mase writes.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace mase {

// Iteration counts, size * size of them, row by row; `iterations` (the set itself) is black. False if the
// file cannot be written.
bool write_image(const std::string& path, std::span<const std::int32_t> counts, std::int32_t size,
                 std::int32_t iterations);

// The task map: each pixel has the colour of the master that dealt it.
bool write_map(const std::string& path, std::span<const std::int32_t> masters, std::int32_t size);

}  // namespace mase
