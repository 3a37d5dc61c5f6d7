// --dry-run: number and duration of a study's runs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <map>
#include <utility>

#include "base/units.h"
#include "study/runs/curve_runs.h"

namespace emu::app::studies {
namespace {

// Duration of a point of a variation here, with all repeats: linear in ranks between the least
// and the greatest number, and in its logarithm over the settings from the first to the last.
class HostSeconds {
 public:
  explicit HostSeconds(const Study& study) : study_(study), settings_(study.settings()) {}

  std::vector<Request> pilots() const {
    std::vector<Request> pilots;
    for (const std::size_t setting : {std::size_t{0}, settings_ - 1})
      for (const int ranks : {study_.ranks_of(setting).front(), study_.ranks_of(setting).back()})
        if (std::find(pilots.begin(), pilots.end(), Request{setting, ranks}) == pilots.end())
          pilots.push_back({setting, ranks});
    return pilots;
  }

  void found(const Request& pilot, double seconds) {
    known_[{pilot.curve, pilot.ranks}] = std::max(seconds, 1e-6);
  }

  double of(const Request& point) const {
    const std::vector<int> own = study_.ranks_of(point.curve);
    const int width = own.back() - own.front();
    const double along = width > 0 ? static_cast<double>(point.ranks - own.front()) / width : 0;
    const double first = along_ranks(0, along), last = along_ranks(settings_ - 1, along);
    const double share =
        settings_ > 1 ? static_cast<double>(point.curve % settings_) / static_cast<double>(settings_ - 1) : 0;
    return std::exp((1 - share) * std::log(first) + share * std::log(last));
  }

 private:
  double along_ranks(std::size_t setting, double share) const {
    const std::vector<int> own = study_.ranks_of(setting);
    const double least = known_.at({setting, own.front()}), most = known_.at({setting, own.back()});
    return least + share * (most - least);
  }

  const Study& study_;
  std::size_t settings_;
  std::map<std::pair<std::size_t, int>, double> known_;
};

// Remaining runs of all variations, assuming that the first is like the others.
std::vector<Request> points_left(const Study& study) {
  std::vector<Request> points;
  for (const Plane& plane : planes_of(study, 0))
    for (const Request& request : plane.expected(plane.cells() * study.curves.size()))
      points.push_back(request);
  return points;
}

}  // namespace

int dry_run(Job& job, const TemporaryFolder& folder) {
  Study& study = job.study;
  Runner runner(job, folder);
  add_curves(job, 0, folder, runner);
  HostSeconds time(study);
  const std::vector<Request> pilots = time.pilots();
  for (const Request& pilot : pilots) {
    Point point;
    point.ranks = pilot.ranks;
    if (const int signal = runner.run(point, {pilot.curve, pilot.ranks}, {}, "dry run, ")) return signal;
    time.found(pilot, point.host_seconds > 0 ? point.host_seconds : point.kept_host_seconds);
    Curve& curve = study.curves[pilot.curve];
    say(curve, point, "", "");
    insert(curve.points, std::move(point));
  }
  const std::vector<Request> left = points_left(study);
  double seconds = 0;
  for (const Request& point : left) seconds += time.of(point);
  const double others = static_cast<double>(study.variations() - 1);
  double of_all_points = seconds;
  for (const Request& pilot : pilots) of_all_points += time.of(pilot);
  seconds = (seconds + others * of_all_points) / runner.jobs();
  const std::size_t points = (left.size() + pilots.size()) * study.variations();
  std::cout << fmt::format(
      "{}{}, {}; {} of them ran for this answer. The others take about {} here, {} at a time.\n",
      study.search ? "about " : "", counted(static_cast<std::int64_t>(points), "point"),
      counted(static_cast<std::int64_t>(points) * runner.repeats(), "run"),
      pilots.size() * static_cast<std::size_t>(runner.repeats()),
      format(Interval::seconds(std::min(seconds, Interval::longest().seconds())), 2), runner.jobs());
  if (!job.options.first_order && !study.curves.front().target.uncertainties.empty())
    std::cout << "The target's values have intervals: about as many runs again check the optimum "
                 "(--first-order: none).\n";
  return 0;
}

}  // namespace emu::app::studies
