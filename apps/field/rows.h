// Iterations of the rows of an image of the Mandelbrot set, as programs that test each new value count them.
#pragma once

#include <cstdint>
#include <vector>

namespace field {

enum class Row { real, imaginary };  // the part of c that is the same in a row

// For each row of the square from -2-2i to 2+2i: the number of iterations, summed over its points. Arithmetic is in
// single precision. The iteration z = z^2 + c begins at 0 and ends when |z|^2 is 4 or more, or after `most` steps.
std::vector<std::int64_t> row_iterations(int size, int most, Row row);

}  // namespace field
