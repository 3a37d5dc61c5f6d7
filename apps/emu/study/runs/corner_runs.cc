// Repetition of parts of a curve at the ends of the intervals of the target's values.
#include <spdlog/spdlog.h>

#include <string>
#include <utility>

#include "base/units.h"
#include "study/corner.h"
#include "study/runs/curve_runs.h"

namespace emu::app::studies {
namespace {

// Parts of a curve that run again, with values of the target at ends of their intervals.
class CornerRuns {
 public:
  CornerRuns(Job& job, std::size_t index, Corner& corner, const TemporaryFolder& folder, Runner& runner)
      : job_(job), curve_(job.study.curves[index]), corner_(corner), folder_(folder), runner_(runner) {}

  // Creates the target. Fails if the target is invalid with these values.
  Result<void> prepare(target::Sources sources) {
    const auto text = moved(corner_.ends, sources.text, job_.plan.target);
    if (!text) return tl::unexpected(text.error());
    sources.text = *text;
    const auto target = target::parse(sources, job_.plan.target);
    if (!target) return without_lines(target.error(), job_.plan.target);
    PreparedRun plan = job_.plan;
    plan.target = write_target(sources, folder_);
    Store& store = job_.stores.emplace_back(identity(job_, curve_.setting, sources), job_.options.reuse);
    runner_.begin(curve_.target);
    runner_.add(curve_, std::move(plan), store);
    return {};
  }

  // `next`: numbers of ranks expected after it. Returns the signal that stopped it, or 0.
  int run(int ranks, const std::vector<int>& next) {
    Point point;
    point.ranks = ranks;
    const std::string position = corner_.more ? "[more ranks?] " : "[fewer ranks?] ";
    const std::string before = position + counted(ranks, "rank") + ", ";
    std::vector<Runner::Place> ahead;
    for (const int other : next) ahead.push_back({0, other});
    if (const int signal = runner_.run(point, {0, ranks}, ahead, before)) return signal;
    say(curve_, point, position, "");
    insert(corner_.points, std::move(point));
    return 0;
  }

  // Runs the rest of the corner. Returns the signal that stopped it, or 0.
  int complete() {
    for (;;) {
      const std::vector<int> next = next_of_corner(curve_, corner_, job_.study.ranks, job_.study.search);
      if (next.empty()) return 0;
      if (const int signal = run(next.front(), next)) return signal;
    }
  }

 private:
  Job& job_;
  const Curve& curve_;
  Corner& corner_;
  const TemporaryFolder& folder_;
  Runner& runner_;
};

// First runs the optimum and the number of ranks that comes nearest: if values have the opposite effect there, it
// begins again with their other ends, once. Then runs the ends that affect a master most. Returns the signal that
// stopped it, or 0.
int run_corner(Job& job, std::size_t index, bool more, const TemporaryFolder& folder, Runner& runner) {
  Curve& curve = job.study.curves[index];
  const auto towards = direction(curve, more);
  if (!towards) return 0;
  const int best = optimum(curve)->point->ranks;
  Corner corner{more, towards->ends, {}};
  for (bool again = false;; again = true) {
    CornerRuns runs(job, index, corner, folder, runner);
    if (const auto prepared = runs.prepare(job.targets[index]); !prepared) {
      spdlog::warn("where the optimum can lie is not checked: at the ends of the intervals of its values {}",
                   prepared.error().message);
      return 0;
    }
    if (const int signal = runs.run(best, {towards->ranks})) return signal;
    if (const int signal = runs.run(towards->ranks, {})) return signal;
    const Point &first = corner.points.front(), &second = corner.points.back();
    if (!again && first.good() && second.good()) {
      const Ends ends =
          turned(corner.ends, more ? second : first, more ? first : second, curve.target.uncertainties);
      if (ends != corner.ends) {
        corner = {more, ends, {}};
        continue;
      }
    }
    if (const int signal = runs.complete()) return signal;
    break;
  }
  curve.corners.push_back(std::move(corner));
  Corner master{more, of_a_master(curve.target.uncertainties, more), {}};
  if (master.ends == curve.corners.back().ends) return 0;
  CornerRuns runs(job, index, master, folder, runner);
  if (!runs.prepare(job.targets[index])) return 0;  // reported above
  if (const int signal = runs.complete()) return signal;
  curve.corners.push_back(std::move(master));
  return 0;
}

}  // namespace

int run_corners(Job& job, std::size_t index, const TemporaryFolder& folder, Runner& runner) {
  if (job.options.first_order || job.study.curves[index].target.uncertainties.empty()) return 0;
  for (const bool more : {false, true})
    if (const int signal = run_corner(job, index, more, folder, runner)) return signal;
  return 0;
}

}  // namespace emu::app::studies
