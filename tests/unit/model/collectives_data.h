// Contents, operations and sizes for the collectives' tests.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <set>
#include <vector>

#include "collectives_world.h"
#include "model/collectives.h"

namespace emu::model::testing {

using Contents = std::vector<std::byte>;

inline const std::vector<int> kSizes = {1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
                                        11, 12, 13, 14, 15, 16, 17, 32, 33, 64};

// All roots of small groups; of large groups, roots that differ in kind.
inline std::set<int> roots(int size) {
  if (size > 9) return {0, 1, 2, size / 2, size - 2, size - 1};
  std::set<int> all;
  for (int i = 0; i < size; ++i) all.insert(i);
  return all;
}

// Bytes that depend on the contributor, the destination and the offset.
inline Contents contents(int from, int to, Bytes bytes) {
  Contents c(bytes);
  std::uint64_t state = 0x9E3779B97F4A7C15u * (1 + from) ^ 0xD1B54A32D192ED03u * (7 + to);
  for (Bytes i = 0; i < bytes; ++i) {
    if (i % 8 == 0) state = state * 6364136223846793005u + 1442695040888963407u;
    c[i] = static_cast<std::byte>(state >> (8 + 7 * (i % 8)));
  }
  return c;
}

inline void append(Contents& to, const Contents& what) { to.insert(to.end(), what.begin(), what.end()); }
inline Contents slice(const Contents& c, Bytes offset, Bytes bytes) {
  return Contents(c.begin() + offset, c.begin() + offset + bytes);
}

template <typename Function>
void each_word(const std::byte* a, std::byte* b, Bytes bytes, Function function) {
  for (Bytes i = 0; i + 8 <= bytes; i += 8) {
    std::uint64_t x, y;
    std::memcpy(&x, a + i, 8);
    std::memcpy(&y, b + i, 8);
    y = function(x, y);
    std::memcpy(b + i, &y, 8);
  }
}

// Words of 8 bytes, modulo 2^64.
inline void add(const std::byte* a, std::byte* b, Bytes bytes) {
  each_word(a, b, bytes, [](std::uint64_t x, std::uint64_t y) { return x + y; });
}

// A word is a map v -> m v + c modulo 2^32, in its upper and lower half; x op y is first x, then y.
// Associative, not commutative.
inline void compose(const std::byte* a, std::byte* b, Bytes bytes) {
  each_word(a, b, bytes, [](std::uint64_t x, std::uint64_t y) {
    const std::uint32_t m = (x >> 32) | 1, c = static_cast<std::uint32_t>(x);
    const std::uint32_t n = (y >> 32) | 1, d = static_cast<std::uint32_t>(y);
    return std::uint64_t{m * n} << 32 | static_cast<std::uint32_t>(n * c + d);
  });
}

// a_first op ... op a_last, each a_i being contents(i, 0, bytes): what MPI defines.
inline Contents reduced(int first, int last, Bytes bytes, bool commutative) {
  Contents sum = contents(last, 0, bytes);
  for (int i = last - 1; i >= first; --i) {
    (commutative ? add : compose)(contents(i, 0, bytes).data(), sum.data(), bytes);
  }
  return sum;
}

// A group's blocks one after the other, with a gap before each, so that a schedule that ignores offsets
// fails.
inline std::vector<Block> blocks(const std::vector<Bytes>& bytes, Bytes gap) {
  std::vector<Block> all;
  Bytes at = 0;
  for (const Bytes b : bytes) {
    all.push_back({at + gap, b});
    at += gap + b;
  }
  return all;
}
inline Bytes end_of(const std::vector<Block>& all) { return all.back().offset + all.back().bytes; }

inline bool power(int size) { return std::has_single_bit(static_cast<unsigned>(size)); }

inline int ceil_log2(int n) {
  int bits = 0;
  while ((1 << bits) < n) ++bits;
  return bits;
}

// All ranks get the root's contents.
inline void play_bcast(World& world, int size, int root, Bytes bytes, AlgorithmChoice way) {
  for (int r = 0; r < size; ++r) {
    if (r == root) world.output(r).filled(contents(root, 0, bytes));
    if (r != root) world.output(r).undefined(bytes);
    world.schedule(r, bcast(r, size, root, bytes, way));
  }
  ASSERT_TRUE(world.run(add)) << world.error;
  for (int r = 0; r < size; ++r) ASSERT_EQ(world.output(r).bytes, contents(root, 0, bytes)) << r;
}

// The root gets the sum of all ranks' contents. `schedule(rank)` is a rank's part.
template <class Schedules>
void play_reduce(World& world, int size, int root, const Reduction& what, bool in_place, Schedules schedule) {
  for (int r = 0; r < size; ++r) {
    const bool placed = in_place && r == root;
    if (!placed) world.input(r).filled(contents(r, 0, what.bytes()));
    if (r == root) world.output(r).undefined(what.bytes());
    if (placed) world.output(r).filled(contents(r, 0, what.bytes()));
    world.schedule(r, schedule(r));
  }
  ASSERT_TRUE(world.run(what.commutative ? add : compose)) << world.error;
  ASSERT_EQ(world.output(root).bytes, reduced(0, size - 1, what.bytes(), what.commutative));
}

}  // namespace emu::model::testing
