// Interface of a workload: items that are computed independently of each other. The strategies (assignment of items to
// ranks and masters) know a workload by this interface only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace strategies {

// Items first, first + 1, ..., first + count - 1.
struct Range {
  std::int32_t first = 0;
  std::int32_t count = 0;
};

class Workload {
 public:
  virtual ~Workload() = default;

  virtual std::int32_t items() const = 0;
  // Size of one item's result.
  virtual std::size_t item_bytes() const = 0;
  // Computes the items of `range` into `results` (range.count * item_bytes() bytes). If the workload knows the cost on
  // the reference CPU, declares it (emu_compute). Any rank can compute any item, with the same
  // result.
  virtual void compute(Range range, std::span<std::byte> results) const = 0;
};

// The places of the results of `range` in `results`, the results of all items.
inline std::span<std::byte> part(std::span<std::byte> results, Range range, std::size_t item_bytes) {
  return results.subspan(range.first * item_bytes, range.count * item_bytes);
}

}  // namespace strategies
