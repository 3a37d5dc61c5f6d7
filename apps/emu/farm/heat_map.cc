#include "report/heat_map.h"

#include <algorithm>

#include "base/units.h"
#include "farm/answer.h"

namespace emu::app::farms {

Result<void> draw_heat_map(const Answer& answer, const std::string& path) {
  const std::vector<int>& ranks = answer.study.ranks;
  const std::vector<studies::Curve>& curves = answer.study.curves;
  const auto best = best_of(answer);
  if (!best) return fail(path + ": no picture: no farm came to its end");
  HeatMap map{.title = "", .x_name = "ranks", .y_name = "", .x = {}, .y = {}, .cells = {}};
  for (const int number : ranks) map.x.push_back(std::to_string(number));
  double most = 0;
  for (std::size_t y = 0; y < curves.size(); ++y) {
    const std::string label = curves[y].variation.label();
    map.y.push_back(label.empty() ? "farm" : label);
    for (const studies::Point& point : curves[y].points) {
      if (!point.good()) continue;
      const auto x = std::lower_bound(ranks.begin(), ranks.end(), point.ranks) - ranks.begin();
      most = std::max(most, point.seconds());
      map.cells.push_back({static_cast<std::size_t>(x), y, point.seconds()});
    }
  }
  if (most <= 0) return fail(path + ": no picture: nothing took time");
  const studies::Point& optimum = *studies::optimum(curves[*best])->point;
  const auto place = std::lower_bound(ranks.begin(), ranks.end(), optimum.ranks) - ranks.begin();
  map.best = {static_cast<std::size_t>(place), *best, optimum.seconds()};
  map.title =
      "optimum: " + counted(optimum.ranks, "rank") + ", " + format(Interval::seconds(optimum.seconds()), 5);
  return app::draw_heat_map(map, path);
}

}  // namespace emu::app::farms
