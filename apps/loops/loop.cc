#include "loop.h"

#include <time.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <numeric>

#include "command_line/command_line.h"
#include "emu/emu.h"

namespace loops {
namespace {

// A well-mixed function of the iteration (splitmix64, Steele, Lea and Flood 2014).
std::uint64_t mixed(std::uint64_t i) {
  std::uint64_t z = (i + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

}  // namespace

void work(double seconds) {
  if (emu_active()) return emu_compute(seconds);
  for (const double end = cpu_seconds() + seconds; cpu_seconds() < end;) continue;
}

Loop Loop::of(Distribution distribution, std::int32_t iterations, double mean) {
  std::vector<double> costs(iterations, mean);
  for (std::int32_t i = 0; i < iterations; ++i) {
    if (distribution == Distribution::increasing) costs[i] = mean * (2.0 * i + 1) / iterations;
    if (distribution == Distribution::bimodal) costs[i] = mean * (mixed(i) % 10 == 0 ? 5.5 : 0.5);
  }
  return Loop(std::move(costs));
}

emu::Result<Loop> Loop::read(const std::string& path) {
  if (std::error_code ignored; std::filesystem::is_directory(path, ignored))
    return emu::fail(path + ": is a directory; name a file in it");
  std::ifstream file(path);
  if (!file) return emu::fail(path + ": cannot be read: " + std::strerror(errno));
  std::vector<double> costs;
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    line.erase(line.find_last_not_of(" \t\r") + 1);
    if (line.empty() || line[0] == '#') continue;
    const auto cost = command_line::seconds(line);
    if (!cost) {
      return emu::fail(path + ": line " + std::to_string(number) + ": '" + line +
                       "': expected a time of 0 or more, in seconds or with a unit like 12.5us");
    }
    costs.push_back(*cost);
  }
  if (costs.empty()) return emu::fail(path + ": no costs; expected one per line");
  return Loop(std::move(costs));
}

double Loop::cost(std::int32_t first, std::int32_t count) const {
  return std::accumulate(costs_.begin() + first, costs_.begin() + first + count, 0.0);
}

std::uint64_t Loop::run(std::int32_t first, std::int32_t count) const {
  std::uint64_t sum = 0;
  for (std::int32_t i = first; i < first + count; ++i) sum += mixed(i) & 0xffffffffu;
  work(cost(first, count));
  return sum;
}

}  // namespace loops
