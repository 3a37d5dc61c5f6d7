#include "study/plane/best.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "study/losses.h"

namespace emu::app::studies {
namespace {

// The part of the critical path with the greatest excess of `point` over `best`.
std::pair<std::string, double> cause(const Point& point, const Point& best) {
  const record::RunSummary &run = point.typical(), &least = best.typical();
  const Shares there = shares(run), here = shares(least);
  const double there_seconds = run.predicted().seconds(), here_seconds = least.predicted().seconds();
  const auto more = [&](double Shares::*part) {
    return there.*part * there_seconds - here.*part * here_seconds;
  };
  const std::pair<const char*, double> parts[] = {{"work of the average rank", more(&Shares::compute)},
                                                  {"load imbalance", more(&Shares::imbalance)},
                                                  {"overheads of messages", more(&Shares::overhead)},
                                                  {"polls", more(&Shares::poll)},
                                                  {"latency", more(&Shares::latency)},
                                                  {"bytes on the wire", more(&Shares::per_byte)}};
  const auto* const most = std::max_element(std::begin(parts), std::end(parts),
                                            [](const auto& a, const auto& b) { return a.second < b.second; });
  return {most->first, most->second};
}

// A point in a direction away from the best one; null if it did not run.
struct Step {
  std::size_t curve;
  const Point* point;
};

Side side_of(const Study& study, const Best& best, std::string name, const std::vector<Step>& way) {
  Side side{.name = std::move(name), .at_end = way.empty()};
  const Point& optimum = *best.verdict.optimum.point;
  for (const Step& step : way) {
    if (!step.point || !step.point->good() || step.point->seconds() <= optimum.seconds() * (1 + flat_share))
      continue;
    side.point = step.point;
    side.curve = step.curve;
    side.longer = optimum.seconds() > 0 ? step.point->seconds() / optimum.seconds() - 1 : 0;
    std::tie(side.cause, side.cause_seconds) = cause(*step.point, optimum);
    side.bottleneck = diagnose(study.curves[step.curve], *step.point, study.ranks).bottleneck;
    break;
  }
  return side;
}

std::vector<Step> along_ranks(const Study& study, const Best& best, bool more) {
  std::vector<Step> way;
  for (const int ranks : study.ranks_of(best.curve))
    if (more ? ranks > best.verdict.optimum.point->ranks : ranks < best.verdict.optimum.point->ranks)
      way.push_back({best.curve, study.curves[best.curve].at(ranks)});
  if (!more) std::reverse(way.begin(), way.end());
  return way;
}

std::vector<Step> along_name(const Study& study, std::size_t variation, const Best& best, std::size_t name,
                             bool more) {
  const std::vector<std::string>& values = study.sweeps[name].values;
  Setting setting = study.curves[best.curve].setting;
  const auto here = std::find(values.begin(), values.end(), setting.values[name].second) - values.begin();
  const std::vector<int> own = study.ranks_of(best.curve);
  const auto place = std::find(own.begin(), own.end(), best.verdict.optimum.point->ranks) - own.begin();
  std::vector<Step> way;
  const std::ptrdiff_t step = more ? 1 : -1;
  for (std::ptrdiff_t at = here + step; at >= 0 && at < std::ssize(values); at += step) {
    setting.values[name].second = values[static_cast<std::size_t>(at)];
    for (std::size_t i = variation * study.settings(); i < (variation + 1) * study.settings(); ++i)
      if (study.curves[i].setting == setting)
        way.push_back({i, study.curves[i].at(study.ranks_of(i)[static_cast<std::size_t>(place)])});
  }
  return way;
}

std::vector<Side> sides_of(const Study& study, std::size_t variation, const Best& best) {
  std::vector<Side> sides;
  if (study.ranks_of(best.curve).size() > 1)
    for (const bool more : {false, true})
      sides.push_back(
          side_of(study, best, more ? "more ranks" : "fewer ranks", along_ranks(study, best, more)));
  for (std::size_t i = 0; i < study.sweeps.size(); ++i) {
    if (!study.sweeps[i].numbers || study.sweeps[i].values.size() == 1) continue;
    const auto& [name, value] = study.curves[best.curve].setting.values[i];
    for (const bool more : {false, true})
      sides.push_back(side_of(study, best, name + (more ? " above " : " below ") + value,
                              along_name(study, variation, best, i, more)));
  }
  return sides;
}

}  // namespace

std::optional<Best> best_of(const Study& study, std::size_t variation) {
  const std::size_t first = variation * study.settings(), count = study.settings();
  const auto curve = best_curve(study, first, count);
  if (!curve) return {};
  Best best{*curve, *verdict(study.curves[*curve], study.ranks), {}, {}};
  const double limit = best.verdict.optimum.point->seconds() * (1 + flat_share);
  for (std::size_t i = first; i < first + count; ++i)
    for (const Point& point : study.curves[i].points)
      if (point.good() && point.seconds() <= limit) best.flat.push_back({i, point.ranks});
  best.sides = sides_of(study, variation, best);
  return best;
}

std::optional<Sureness> sureness(const Study& study, std::size_t variation, const Best& best) {
  if (!study.search) return {};
  for (const Plane& plane : search_planes_of(study, variation)) {
    const std::vector<std::size_t>& curves = plane.curves();
    if (std::find(curves.begin(), curves.end(), best.curve) == curves.end()) continue;
    if (plane.known().size() == plane.cells() || plane.sizes().size() == 1) return {};
    const Cell cell = plane.cell_of({best.curve, best.verdict.optimum.point->ranks});
    const std::size_t drawn = drawn_cells(plane.sizes()).size();
    return Sureness{plane.known().size(), plane.cells(), neighbours(plane.sizes(), cell).size(), drawn,
                    better_share(drawn)};
  }
  return {};
}

}  // namespace emu::app::studies
