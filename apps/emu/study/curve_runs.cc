#include "study/curve_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "base/units.h"
#include "launch/rank_numbers.h"

namespace emu::app::studies {

void say(const Curve& curve, const Point& point, const std::string& position, const std::string& left) {
  const std::string label = curve.variation.label();
  const std::string here = point.host_seconds > 0
                               ? format(Interval::seconds(point.host_seconds), 2) + " here"
                               : "known already, " + format(Interval::seconds(point.kept_for), 2) + " old";
  const std::string what = point.good()
                               ? format(Interval::seconds(point.seconds()), 5) + " predicted; " + here + left
                               : point.failure;
  std::fprintf(stderr, "emu: %s%s%s: %s\n", position.c_str(), label.empty() ? "" : (label + ", ").c_str(),
               counted(point.ranks, "rank").c_str(), what.c_str());
}

void insert(std::vector<Point>& points, Point point) {
  const auto place = std::lower_bound(points.begin(), points.end(), point.ranks,
                                      [](const Point& p, int ranks) { return p.ranks < ranks; });
  points.insert(place, std::move(point));
}

int run_curve(Job& job, std::size_t index, const TemporaryFolder& folder, Schedule& schedule,
              Runner& runner) {
  Curve& curve = job.study.curves[index];
  PreparedRun plan = job.plan;
  if (!curve.variation.values.empty()) {
    plan.target = write_target(job.targets[index], folder);
  }
  Store& store = job.stores.emplace_back(identity(job, job.targets[index]), job.options.reuse);
  if (store.left() > 0)
    std::fprintf(stderr, "emu: goes on with what a study that was stopped left: %s\n",
                 counted(store.left(), "run").c_str());
  runner.use(curve, std::move(plan), store);
  while (const auto next = schedule.next(curve)) {
    Point point;
    point.ranks = *next;
    const std::string before = schedule.bar() + counted(point.ranks, "rank") + ", ";
    const std::vector<int> ahead = schedule.ahead(curve, 2 * static_cast<std::size_t>(runner.jobs() - 1));
    if (const int signal = runner.run(point, ahead, before)) return signal;
    schedule.done(point.host_seconds / runner.jobs());
    say(curve, point, schedule.position(), schedule.time_left());
    insert(curve.points, std::move(point));
  }
  return 0;
}

}  // namespace emu::app::studies
