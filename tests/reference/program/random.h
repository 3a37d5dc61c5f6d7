// A small generator of random numbers with equal results for every compiler and library, so that
// a seed always identifies a program (the distributions of <random> differ between libraries).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace emu::reference {

// splitmix64: one addition and a mixing function; every seed is a good one.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() { return mix(state_ += 0x9e3779b97f4a7c15u); }

  // 0 <= result < n; the bias of the remainder does not matter for tests.
  int below(int n) { return static_cast<int>(next() % static_cast<std::uint64_t>(n)); }
  // low <= result <= high
  int between(int low, int high) { return low + below(high - low + 1); }
  bool chance(int percent) { return below(100) < percent; }

  template <class T>
  const T& pick(const std::vector<T>& from) {
    return from[static_cast<std::size_t>(below(static_cast<int>(from.size())))];
  }

  template <class T>
  void shuffle(std::vector<T>& items) {
    for (std::size_t i = items.size(); i > 1; --i) {
      std::swap(items[i - 1], items[static_cast<std::size_t>(below(static_cast<int>(i)))]);
    }
  }

  static std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

 private:
  std::uint64_t state_;
};

}  // namespace emu::reference
