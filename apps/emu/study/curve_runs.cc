#include "study/curve_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "base/units.h"
#include "launch/rank_numbers.h"
#include "launch/run_once.h"

namespace emu::app::studies {

int repeats(const Options& options, const target::Target& target) {
  if (options.repeat) return options.repeat;
  return target.compute == target::Compute::measured ? 3 : 1;
}

int run_point(const Job& job, const PreparedRun& base, Store& store, const TemporaryFolder& folder,
              int repeats, const std::string& before, Point& point) {
  PreparedRun plan = base;
  plan.ranks = point.ranks;
  plan.options.programs = with_ranks(job.options.run.programs, point.ranks);
  for (int i = 0; i < repeats; ++i) {
    if (auto kept = store.find(point.ranks, i)) {
      point.kept_for = std::max(point.kept_for, kept->age);
      point.runs.push_back(std::move(kept->run));
      continue;
    }
    store.before_run();
    const HostLoadWatch watch;
    RunOutcome outcome = run_once(plan, folder, before);
    const HostLoad host = watch.since();
    point.host = {std::max(point.host.stolen, host.stolen), std::max(point.host.throttled, host.throttled)};
    store.after_run();
    if (outcome.interrupted) return outcome.interrupted;
    point.host_seconds += outcome.host_seconds;
    if (!outcome.run) {
      point.failure = outcome.failure;
      return 0;
    }
    store.keep(point.ranks, i, outcome.record);
    point.runs.push_back(std::move(*outcome.run));
  }
  return 0;
}

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

int run_curve(Job& job, std::size_t index, const TemporaryFolder& folder, Schedule& schedule) {
  Curve& curve = job.study.curves[index];
  PreparedRun plan = job.plan;
  if (!curve.variation.values.empty()) {
    plan.target = write_target(job.targets[index], folder);
  }
  Store& store = job.stores.emplace_back(identity(job, job.targets[index]), job.options.reuse);
  if (store.left() > 0)
    std::fprintf(stderr, "emu: goes on with what a study that was stopped left: %s\n",
                 counted(store.left(), "run").c_str());
  while (const auto next = schedule.next(curve)) {
    Point point;
    point.ranks = *next;
    const std::string before = schedule.bar() + counted(point.ranks, "rank") + ", ";
    const int count = repeats(job.options, curve.target);
    if (const int signal = run_point(job, plan, store, folder, count, before, point)) return signal;
    schedule.done(point.host_seconds);
    say(curve, point, schedule.position(), schedule.time_left());
    insert(curve.points, std::move(point));
  }
  return 0;
}

}  // namespace emu::app::studies
