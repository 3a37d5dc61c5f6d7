// Division of a job, which reduces a vector: which rank combines which block of the vector, and which ranks store the
// pieces of the inputs.
#pragma once

#include <cstdint>
#include <vector>

namespace reduce {

// A speed of combining as an integer: eighths of octaves above 16 KiB/s.
namespace speed {
inline constexpr int no_block = 0;    // a rank that combines nothing
inline constexpr int left_out = 255;  // a rank that has failed: its input is not in the result
inline constexpr int least = 1;
inline constexpr int most = 254;
inline constexpr int octave = 8;
int from_rate(double bytes_per_second);

// A rank's report of its speed: the present one, and the one `window` jobs ago. 0: unknown.
struct Seen {
  int now = 0, earlier = 0;
};
constexpr int both(Seen seen) { return seen.now | seen.earlier << 8; }
constexpr Seen seen(int both) { return {both & 0xff, both >> 8 & 0xff}; }

// The speed to expect of a rank if `usual` is the median. A deviation counts as far as both speeds share it, in the
// same direction. If only the present speed is known, half of a deviation counts if it is slower, and none if it is
// faster: a load may be gone when the job is combined. A rank with too little work is harmless; one with too much may
// delay all others.
int expected(Seen seen, int usual);

}  // namespace speed

class Plan {
 public:
  // `speeds`: one for each rank. Equal arguments give equal plans on every host.
  Plan(int root, int heir, std::vector<int> speeds, std::int64_t count, int copies);
  Plan() = default;

  int root = -1;
  int heir = -1;            // -1: no other rank is live
  std::vector<int> speeds;  // of each rank

  int ranks() const { return static_cast<int>(speeds.size()); }
  // Block k belongs to rank k.
  std::int64_t begin(int k) const { return begin_[static_cast<std::size_t>(k)]; }
  std::int64_t count(int k) const { return begin(k + 1) - begin(k); }
  bool active(int k) const { return count(k) > 0; }
  bool has_input(int i) const { return speeds[static_cast<std::size_t>(i)] != speed::left_out; }
  int inputs() const { return static_cast<int>(ring_.size()); }

  // The ranks to which owner i sends its piece of block k. They are copies - 1 ranks: the maker of the block, unless it
  // is i itself, and the ranks after it.
  std::vector<int> places(int i, int k) const;
  // The blocks whose pieces `rank` receives: its own block, and blocks of ranks before it.
  std::vector<int> blocks_at(int rank) const;
  // The rank that comes `steps` after `rank` among the ranks with an input.
  int behind(int rank, int steps) const;

 private:
  int copies_ = 2;
  std::vector<std::int64_t> begin_;  // ranks() + 1 elements
  std::vector<int> ring_;            // the ranks with an input
  std::vector<int> place_;           // place of each rank in ring_
};

}  // namespace reduce
