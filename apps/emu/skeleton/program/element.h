// Elements of reductions in a skeleton. Many algorithms depend on their number, so a skeleton reduces elements of the
// recorded size, if a predefined type has it.
#pragma once

#include <cstdint>
#include <iterator>

namespace emu::skeleton {

// A predefined type of MPI, and an operation that it permits.
struct Element {
  std::int32_t bytes;   // of its data
  std::int32_t extent;  // in memory
  const char* type;
  const char* operation;
};

inline constexpr Element elements[] = {{32, 32, "MPI_C_LONG_DOUBLE_COMPLEX", "MPI_SUM"},
                                       {20, 32, "MPI_LONG_DOUBLE_INT", "MPI_MAXLOC"},
                                       {16, 16, "MPI_C_DOUBLE_COMPLEX", "MPI_SUM"},
                                       {12, 16, "MPI_DOUBLE_INT", "MPI_MAXLOC"},
                                       {8, 8, "MPI_INT64_T", "MPI_BOR"},
                                       {6, 8, "MPI_SHORT_INT", "MPI_MAXLOC"},
                                       {4, 4, "MPI_INT32_T", "MPI_BOR"},
                                       {2, 2, "MPI_INT16_T", "MPI_BOR"},
                                       {1, 1, "MPI_BYTE", "MPI_BOR"}};

// The largest type whose size divides `unit`, the size of the program's elements.
constexpr const Element& element_of(std::int32_t unit) {
  const Element* each = elements;
  while (unit % each->bytes != 0) ++each;
  return *each;
}

}  // namespace emu::skeleton
