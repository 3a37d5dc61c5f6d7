#include "rows.h"

#include <cstddef>

#include "columns.h"

namespace field {
namespace {

int row_iterations(float x, float y, int most) {
  if (never_leaves(x, y)) return most;
  float re = 0, im = 0;
  for (int count = 1; count < most; ++count) {
    const float next = re * re - im * im + x;
    im = 2 * re * im + y;
    re = next;
    if (re * re + im * im >= 4) return count;
  }
  return most;
}

}  // namespace

std::vector<std::int64_t> row_iterations(int size, int most, Row row) {
  std::vector<std::int64_t> sums(static_cast<std::size_t>(size));
  const auto place = [&](int i) {
    return static_cast<float>(-2.0 + 4.0 * static_cast<double>(i) / static_cast<double>(size));
  };
  // Points with imaginary parts j and size - j are mirror images.
  for (int j = 0; 2 * j <= size; ++j) {
    const int mirror = j == 0 || 2 * j == size ? j : size - j;
    for (int i = 0; i < size; ++i) {
      const int count = row_iterations(place(i), place(j), most);
      if (row == Row::real) {
        sums[static_cast<std::size_t>(i)] += mirror == j ? count : 2 * count;
      } else {
        sums[static_cast<std::size_t>(j)] += count;
        if (mirror != j) sums[static_cast<std::size_t>(mirror)] += count;
      }
    }
  }
  return sums;
}

}  // namespace field
