// A rank's bound and the count of messages announced to it, which change together in one atomic step.
//
// Senders lower the bound and count. The owner raises the bound, either always or only if nothing was announced
// meanwhile. Any process may read the two halves, the count first. Every lowering counts: so a reader that finds all
// counts unchanged after having read all bounds has seen bounds that held together at one moment.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/time.h"

namespace emu::wire {

// A rank with this bound will not act again. In picoseconds, as all bounds.
inline constexpr std::int64_t never = Instant::never().picoseconds();

class alignas(16) Bound {
 public:
  struct Value {
    std::int64_t bound;  // picoseconds
    std::uint64_t announced;
  };

  std::int64_t bound() const { return __atomic_load_n(&value_.bound, __ATOMIC_SEQ_CST); }
  std::uint64_t announced() const { return __atomic_load_n(&value_.announced, __ATOMIC_SEQ_CST); }
  // The halves may be from different moments, which is sufficient as the expected value of a compare-and-swap.
  Value load() const {
    const std::uint64_t n = announced();
    return {bound(), n};
  }
  bool exchange(const Value& expected, const Value& desired) {
    return __sync_bool_compare_and_swap(reinterpret_cast<Both*>(&value_), both(expected), both(desired));
  }

 private:
  using Both = unsigned __int128;
  static Both both(const Value& v) {
    return (static_cast<Both>(v.announced) << 64) | static_cast<std::uint64_t>(v.bound);  // little-endian
  }
  Value value_;
};

}  // namespace emu::wire
