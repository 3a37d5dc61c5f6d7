// Costs of the tasks of a farm.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/failure.h"

namespace emu::app::farms {

// A time from 0 to 3600 s, in seconds or with a unit.
std::optional<double> task_seconds(const std::string& text);

// Costs of tasks on the reference CPU, in seconds.
class Costs {
 public:
  Costs() = default;
  // All tasks cost the same.
  Costs(std::int32_t tasks, double seconds) : tasks_(tasks), seconds_(seconds) {}
  explicit Costs(std::vector<double> each)
      : tasks_(static_cast<std::int32_t>(each.size())),
        each_(std::make_shared<const std::vector<double>>(std::move(each))) {}

  std::int32_t tasks() const { return tasks_; }
  // The cost of tasks first, ..., first + count - 1, rounded as in apps/mase (equal tasks) and apps/loops.
  double of(std::int32_t first, std::int32_t count) const;
  double mean() const;
  double total() const { return of(0, tasks_); }
  bool equal() const { return !each_; }
  // Equal costs, listed task by task.
  Costs listed() const { return equal() ? Costs(std::vector<double>(tasks_, seconds_)) : *this; }

 private:
  std::int32_t tasks_ = 0;
  double seconds_ = 0;
  std::shared_ptr<const std::vector<double>> each_;  // null: equal
};

// Random costs: the cost of task i depends only on the seed and i.
enum class Distribution { constant, uniform, normal, exponential };
struct Drawn {
  Distribution distribution = Distribution::constant;
  double first = 0;   // constant, exponential and normal: the mean; uniform: the least
  double second = 0;  // uniform: the greatest; normal: the standard deviation
  std::uint64_t seed = 1;
};
Costs draw(const Drawn& drawn, std::int32_t tasks);

// A column of a CSV file, by its title or its number from 1; empty: the last column. Times are in seconds or have a
// unit. Lines that begin with # are ignored.
Result<Costs> read_csv(const std::string& path, const std::string& column);

}  // namespace emu::app::farms
