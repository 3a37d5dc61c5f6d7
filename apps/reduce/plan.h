// How a job, a vector to be reduced, is dealt: which rank combines which block of it, and where the pieces of the
// inputs stand.
#pragma once

#include <cstdint>
#include <vector>

namespace reduce {

// A speed, in bytes combined per second, as a whole number: eighths of octaves above 16 KiB/s.
namespace speed {
inline constexpr int no_block = 0;    // a rank that combines nothing
inline constexpr int left_out = 255;  // a rank that has failed: its input is not in the result
inline constexpr int least = 1;
inline constexpr int most = 254;
inline constexpr int octave = 8;
int from_rate(double bytes_per_second);
}  // namespace speed

class Plan {
 public:
  // `speeds`: one for each rank. The same on every host.
  Plan(int root, int heir, std::vector<int> speeds, std::int64_t count, int copies);
  Plan() = default;

  int root = -1;
  int heir = -1;            // none: there is nobody else
  std::vector<int> speeds;  // of each rank

  int ranks() const { return static_cast<int>(speeds.size()); }
  // Block k is that of rank k.
  std::int64_t begin(int k) const { return begin_[static_cast<std::size_t>(k)]; }
  std::int64_t count(int k) const { return begin(k + 1) - begin(k); }
  bool active(int k) const { return count(k) > 0; }
  bool has_input(int i) const { return speeds[static_cast<std::size_t>(i)] != speed::left_out; }
  int inputs() const { return static_cast<int>(ring_.size()); }

  // To whom owner i hands its piece for block k: copies - 1 ranks, the one that combines it first among them, unless
  // that is i itself, and those behind it.
  std::vector<int> places(int i, int k) const;
  // The blocks of which pieces come to `rank`: its own, and some before it.
  std::vector<int> blocks_at(int rank) const;
  // The rank `steps` behind `rank`, of those with an input.
  int behind(int rank, int steps) const;

 private:
  int copies_ = 2;
  std::vector<std::int64_t> begin_;  // ranks() + 1
  std::vector<int> ring_;            // the ranks with an input
  std::vector<int> place_;           // of each rank in it
};

}  // namespace reduce
