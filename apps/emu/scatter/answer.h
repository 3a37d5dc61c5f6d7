// Answer of emu scatter: a plan on a target, and its properties.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scatter/options.h"
#include "scatter/problem.h"
#include "target/target.h"

namespace emu::app::scatters {

struct Answer {
  std::string target;  // its name
  scatter::Items items = 0;
  std::int64_t item_bytes = 0;
  std::vector<double> item_seconds;  // of each rank, on its own CPU
  int root = 0;
  Interval moved;          // before the scatter: all items move to the root
  std::vector<int> order;  // the ranks in the order of sending, the root last
  Method method = Method::exact;
  Order by = Order::given;
  scatter::Plan plan;                         // in this order
  Interval least;                             // the exact makespan in this order
  bool least_is_bound = false;                // it could not be found: `least` is a lower bound
  std::optional<Interval> guarantee;          // of the heuristic
  std::vector<scatter::Items> displacements;  // by rank

  int ranks() const { return static_cast<int>(order.size()); }
  // By rank.
  std::vector<scatter::Part> parts() const;
  double misses_by() const;  // relative to the least makespan
};

Result<Answer> answer(const target::Target& target, int ranks, const Options& options);

// Seconds that an item costs on each rank, from a recorded run.
Result<std::vector<double>> item_seconds_of(const std::string& trace, const target::Target& target, int ranks,
                                            const Options& options);

std::string table(const Answer& answer);
std::string json(const Answer& answer);
// Draws by gnuplot into `file`, which ends in .png or .svg. Fails if gnuplot is missing, or fails.
Result<void> draw(const Answer& answer, const std::string& file);

}  // namespace emu::app::scatters
