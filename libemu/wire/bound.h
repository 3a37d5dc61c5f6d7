// A rank's bound and the count of messages announced to it, changed together in one atomic step.
//
// Senders lower the bound and count; the owner raises it, and can do so on the condition that nothing was
// announced meanwhile. Anyone may read the two halves, count first: since every lowering counts, a reader
// that finds all counts unchanged after having read all bounds has seen bounds that held together at one
// moment.
#pragma once

#include <atomic>
#include <cstdint>

namespace emu::wire {

class alignas(16) Bound {
 public:
  struct Value {
    std::int64_t bound;  // picoseconds
    std::uint64_t announced;
  };

  std::int64_t bound() const { return __atomic_load_n(&value_.bound, __ATOMIC_SEQ_CST); }
  std::uint64_t announced() const { return __atomic_load_n(&value_.announced, __ATOMIC_SEQ_CST); }
  // The halves may stem from different moments: good enough to start a compare-and-swap from.
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
