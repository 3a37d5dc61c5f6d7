#include "reduce/protocol/plan.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace reduce {
namespace {

// 2^(i/8) * 2^20 as integers, so that all hosts cut the vector in the same way.
constexpr std::array<std::int64_t, 8> eighths = {1048576, 1143487, 1246989, 1359858,
                                                 1482910, 1617125, 1763488, 1923111};

std::int64_t weight(int speed, int fastest) {
  if (speed == speed::no_block || speed == speed::left_out) return 0;
  const int octaves = fastest / speed::octave - speed / speed::octave;
  return std::max<std::int64_t>(
      1, eighths[static_cast<std::size_t>(speed % speed::octave)] >> std::min(octaves, 30));
}

}  // namespace

int speed::from_rate(double bytes_per_second) {
  if (!(bytes_per_second > 0)) return least;
  const double eighths_of_octaves = std::round(octave * (std::log2(bytes_per_second) - 14));
  return static_cast<int>(std::clamp<double>(eighths_of_octaves, least, most));
}

int speed::expected(Seen seen, int usual) {
  if (seen.now < least) return usual;
  if (seen.earlier < least) return usual + std::min(0, seen.now - usual) / 2;
  const int now = seen.now - usual, earlier = seen.earlier - usual;
  if ((now < 0) != (earlier < 0)) return usual;
  return usual + (now < 0 ? std::max(now, earlier) : std::min(now, earlier));
}

Plan::Plan(int root, int heir, std::vector<int> given, std::int64_t count, int copies)
    : root(root), heir(heir), speeds(std::move(given)), copies_(copies), place_(speeds.size(), -1) {
  int fastest = 0;
  for (int speed : speeds)
    if (speed != speed::left_out) fastest = std::max(fastest, speed);
  std::int64_t total = 0;
  for (int speed : speeds) total += weight(speed, fastest);
  std::int64_t sum = 0;
  begin_.push_back(0);
  for (std::size_t i = 0; i < speeds.size(); ++i) {
    sum += weight(speeds[i], fastest);
    const auto end = static_cast<__int128>(count) * sum / std::max<std::int64_t>(total, 1);
    begin_.push_back(static_cast<std::int64_t>(end));
    if (speeds[i] == speed::left_out) continue;
    place_[i] = static_cast<int>(ring_.size());
    ring_.push_back(static_cast<int>(i));
  }
}

int Plan::behind(int rank, int steps) const {
  const int size = inputs();
  return ring_[static_cast<std::size_t>(((place_[static_cast<std::size_t>(rank)] + steps) % size + size) %
                                        size)];
}

std::vector<int> Plan::places(int i, int k) const {
  std::vector<int> places;
  const int wanted = std::min(copies_, inputs()) - 1;
  for (int step = 0; static_cast<int>(places.size()) < wanted; ++step)
    if (const int rank = behind(k, step); rank != i) places.push_back(rank);
  return places;
}

std::vector<int> Plan::blocks_at(int rank) const {
  std::vector<int> blocks;
  for (int step = 0; step < std::min(copies_, inputs()); ++step) blocks.push_back(behind(rank, -step));
  return blocks;
}

}  // namespace reduce
