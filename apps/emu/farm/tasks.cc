#include "farm/tasks.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <numeric>
#include <optional>
#include <string_view>

#include "base/cells.h"
#include "base/number.h"
#include "base/units.h"
#include "common/output.h"
#include "model/speed.h"

namespace emu::app::farms {
namespace {

constexpr double most_task_seconds = 3600;

// Between 0 and 1, both excluded: splitmix64 (Steele, Lea and Flood, OOPSLA 2014) of seed and number.
double evenly(std::uint64_t seed, std::int32_t number) {
  const auto mix = [](std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  };
  const std::uint64_t random =
      mix(mix(seed) + 0x9e3779b97f4a7c15u * (static_cast<std::uint64_t>(number) + 1));
  return (static_cast<double>(random >> 12) + 0.5) / static_cast<double>(std::uint64_t{1} << 52);
}

double one_of(const Drawn& drawn, std::int32_t number) {
  switch (drawn.distribution) {
    case Distribution::uniform:
      return drawn.first + (drawn.second - drawn.first) * evenly(drawn.seed, number);
    case Distribution::exponential:
      return -drawn.first * std::log(evenly(drawn.seed, number));
    case Distribution::normal: {
      const std::int64_t z = model::normal(drawn.seed, 0, static_cast<std::uint64_t>(number));
      return std::max(0.0, drawn.first + drawn.second * static_cast<double>(z) * 1e-6);
    }
    case Distribution::constant:
      break;
  }
  return drawn.first;
}

// Reads the file line by line.
class CsvReader {
 public:
  CsvReader(const std::string& path, const std::string& column) : path_(path), column_(column) {}

  Result<Costs> read() {
    if (const auto readable = can_read({"--csv", path_}); !readable) return tl::unexpected(readable.error());
    std::ifstream file(path_);
    if (!file) return fail("--csv: " + path_ + " cannot be read: " + std::strerror(errno));
    for (std::string line; std::getline(file, line);) {
      ++number_;
      const std::string_view text = without_mark(line);
      const std::size_t first = text.find_first_not_of(" \t\r\"");
      if (first == text.npos || text[first] == '#') continue;
      if (between_ == 0) between_ = separator(text);
      if (const auto added = add(cells(text, between_)); !added) return tl::unexpected(added.error());
    }
    if (costs_.empty()) return fail("--csv: " + path_ + " has no costs (expected a line for each task)");
    return Costs(std::move(costs_));
  }

 private:
  Result<void> add(const std::vector<std::string>& cells) {
    const bool first = !place_;
    if (first) {
      const auto found = place_in(cells);
      if (!found) return tl::unexpected(found.error());
      place_ = *found;
    }
    const std::string text = *place_ < cells.size() ? cells[*place_] : "";
    if (const auto seconds = task_seconds(text)) {
      costs_.push_back(*seconds);
    } else if (!first) {
      return fail("--csv: " + path_ + ": line " + std::to_string(number_) + ": invalid time of a task: " +
                  shown(text) + " (expected 0 to 3600 s, in seconds or with a unit, such as 0.8ms)");
    }
    return {};
  }
  // The first line may contain titles.
  Result<std::size_t> place_in(const std::vector<std::string>& cells) {
    if (column_.empty()) return cells.empty() ? 0 : cells.size() - 1;
    const auto title = std::find(cells.begin(), cells.end(), column_);
    if (title != cells.end()) return static_cast<std::size_t>(title - cells.begin());
    const auto count = read_number<std::size_t>(column_);
    if (count && *count >= 1 && *count <= cells.size()) return *count - 1;
    std::string all;
    for (const std::string& cell : cells) all += (all.empty() ? "" : ", ") + cell;
    return fail("--column: no column \"" + column_ + "\" in " + path_ + " (expected 1 to " +
                std::to_string(cells.size()) + ", or one of: " + all + ")");
  }

  const std::string path_, column_;
  std::optional<std::size_t> place_;
  std::vector<double> costs_;
  char between_ = 0;  // of cells; 0: no line has been read
  int number_ = 0;
};

}  // namespace

std::optional<double> task_seconds(const std::string& text) {
  std::optional<double> seconds;
  if (const auto number = read_number<double>(text))
    seconds = *number;
  else if (const auto interval = parse_interval(text))
    seconds = interval->seconds();
  if (!seconds || !(*seconds >= 0 && *seconds <= most_task_seconds)) return {};
  return seconds;
}

double Costs::of(std::int32_t first, std::int32_t count) const {
  if (equal()) return count * seconds_;
  return std::accumulate(each_->begin() + first, each_->begin() + first + count, 0.0);
}

double Costs::mean() const { return tasks_ == 0 ? 0 : total() / tasks_; }

Costs draw(const Drawn& drawn, std::int32_t tasks) {
  if (drawn.distribution == Distribution::constant) return {tasks, drawn.first};
  std::vector<double> each(static_cast<std::size_t>(tasks));
  for (std::int32_t i = 0; i < tasks; ++i) each[static_cast<std::size_t>(i)] = one_of(drawn, i);
  return Costs(std::move(each));
}

Result<Costs> read_csv(const std::string& path, const std::string& column) {
  return CsvReader(path, column).read();
}

}  // namespace emu::app::farms
