#include "study/runs/curve_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "base/units.h"

namespace emu::app::studies {

void say(const Curve& curve, const Point& point, const std::string& position, const std::string& left) {
  const std::string label = curve.label();
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

void add_curves(Job& job, std::size_t variation, const TemporaryFolder& folder, Runner& runner) {
  const std::size_t count = job.study.settings(), first = variation * count;
  runner.begin(job.study.curves[first].target);
  int left = 0;
  for (std::size_t i = first; i < first + count; ++i) {
    const Curve& curve = job.study.curves[i];
    PreparedRun plan = job.plan;
    if (job.options.grid)
      plan.target = write_target(job.targets[i], folder, fmt::format("target-{}", i - first));
    else if (!curve.variation.values.empty())
      plan.target = write_target(job.targets[i], folder);
    Store& store = job.stores.emplace_back(identity(job, curve.setting, job.targets[i]), job.options.reuse);
    left += store.left();
    runner.add(curve, std::move(plan), store);
  }
  if (left > 0)
    std::fprintf(stderr, "emu: continues a study that was stopped, with its finished runs: %s\n",
                 counted(left, "run").c_str());
}

int run_variation(Job& job, std::size_t variation, const TemporaryFolder& folder, Schedule& schedule,
                  Runner& runner) {
  add_curves(job, variation, folder, runner);
  const auto place_of = [first = variation * job.study.settings()](const Request& request) {
    return Runner::Place{request.curve - first, request.ranks};
  };
  while (const auto next = schedule.next(variation)) {
    Curve& curve = job.study.curves[next->curve];
    Point point;
    point.ranks = next->ranks;
    const std::string before = schedule.bar() + counted(point.ranks, "rank") + ", ";
    std::vector<Runner::Place> ahead;
    for (const Request& request : schedule.ahead(variation, 2 * static_cast<std::size_t>(runner.jobs() - 1)))
      ahead.push_back(place_of(request));
    if (const int signal = runner.run(point, place_of(*next), ahead, before)) return signal;
    schedule.done(point.host_seconds / runner.jobs());
    say(curve, point, schedule.position(), schedule.time_left());
    insert(curve.points, std::move(point));
  }
  return 0;
}

}  // namespace emu::app::studies
