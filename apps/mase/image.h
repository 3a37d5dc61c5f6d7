// Writes iteration counts as a picture.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace mase {

// A file name that ends in .png or .ppm.
bool is_image_name(const std::string& path);

// `counts` holds size * size counts, row by row; `iterations` (the set itself) is black. The format is that
// of the name's ending. False if the file cannot be written.
bool write_image(const std::string& path, std::span<const std::int32_t> counts, std::int32_t size,
                 std::int32_t iterations);

}  // namespace mase
