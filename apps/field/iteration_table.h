// Files with the iterations of each column or row of an image of the Mandelbrot set.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/failure.h"

namespace field {

// Fails if the file cannot be written.
emu::Result<void> write_table(const std::vector<std::int64_t>& sums, const std::string& file);

// The table of `size` columns or rows, in the file PREFIX-SIZE. Fails if the file has fewer numbers.
emu::Result<std::vector<std::int64_t>> read_table(const std::string& prefix, int size);

}  // namespace field
