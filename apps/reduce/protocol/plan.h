// Division of a job, a vector to be reduced: which rank combines which block of it, and where the pieces of the inputs
// are.
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

// What a rank says of itself: its speed now, and earlier, by as many jobs as are dealt in advance; each may be unknown, 0.
struct Seen {
  int now = 0, earlier = 0;
};
constexpr int both(Seen seen) { return seen.now | seen.earlier << 8; }
constexpr Seen seen(int both) { return {both & 0xff, both >> 8 & 0xff}; }

// The speed to expect of it, where most ranks have the `usual` one. What it was faster or slower both times; none of that if it
// was faster once and slower once. If only one time is known, half of what it is slower: a load may be another one by the
// time the job is combined. Who gets less for it does no harm then, and who gets more for having none may keep all waiting.
int expected(Seen seen, int usual);

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
