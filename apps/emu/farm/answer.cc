#include "farm/answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <mutex>
#include <numeric>
#include <thread>
#include <utility>

#include "common/installation.h"
#include "common/progress.h"
#include "program/rank_numbers.h"
#include "study/diagnosis.h"

namespace emu::app::farms {
namespace {

// The state of a rank takes some 500 bytes.
constexpr std::int64_t most_ranks_in_all = 5'000'000;

using studies::Curve;
using studies::Point;

// The properties in which the ways differ, as the label of a curve.
studies::Variation label(const Policy& way, const std::vector<Policy>& all) {
  studies::Variation variation;
  const auto add = [&](const char* name, const auto& value_of) {
    if (std::all_of(all.begin(), all.end(),
                    [&](const Policy& other) { return value_of(other) == value_of(way); }))
      return;
    variation.values.emplace_back(name, value_of(way));
  };
  add("rule", [](const Policy& w) { return advice::rule_names()[static_cast<std::size_t>(w.rule)]; });
  add("chunk", [](const Policy& w) { return std::to_string(w.chunk); });
  add("masters", [](const Policy& w) { return std::to_string(w.masters); });
  add("prefetch", [](const Policy& w) { return std::to_string(w.prefetch); });
  return variation;
}

Result<Costs> costs_of(const Options& options, const target::Target& target) {
  if (!options.csv.empty()) return read_csv(options.csv, options.column);
  if (!options.trace.empty()) return read_trace(options.trace, target);
  return draw(*options.drawn, *options.tasks);
}

Point point_of(const Question& question, const Policy& way, const target::Target& target, int ranks) {
  Point point{.ranks = ranks};
  auto run = simulate(question, way, target, ranks);
  if (run)
    point.runs.push_back(std::move(*run));
  else
    point.failure = run.error().message;
  return point;
}

// Carries out jobs 0, 1, ..., count - 1 on all cores.
template <class Do>
void on_all_cores(std::size_t count, Do work) {
  std::atomic<std::size_t> next = 0;
  const auto worker = [&] {
    for (std::size_t job = next++; job < count; job = next++) work(job);
  };
  const std::size_t cores = std::min<std::size_t>(std::max(1u, std::thread::hardware_concurrency()), count);
  std::vector<std::jthread> others;
  for (std::size_t i = 1; i < cores; ++i) others.emplace_back(worker);
  worker();
}

// Simulates the numbers of ranks that the search asks for, curve by curve.
void search(Answer& answer, const Question& question) {
  on_all_cores(answer.ways.size(), [&](std::size_t i) {
    Curve& curve = answer.study.curves[i];
    while (const auto ranks = studies::next_of_search(answer.study.ranks, curve.known())) {
      const auto place =
          std::upper_bound(curve.points.begin(), curve.points.end(), *ranks,
                           [](int number, const Point& point) { return number < point.ranks; });
      curve.points.insert(place, point_of(question, answer.ways[i], curve.target, *ranks));
    }
  });
}

void run_all(Answer& answer, const Question& question) {
  const std::vector<int>& ranks = answer.study.ranks;
  for (Curve& curve : answer.study.curves) curve.points.resize(ranks.size());
  const std::size_t count = ranks.size() * answer.ways.size();
  Bar bar("farm", count);
  std::mutex drawing;
  on_all_cores(count, [&](std::size_t job) {
    const std::size_t way = job / ranks.size(), place = job % ranks.size();
    Curve& curve = answer.study.curves[way];
    curve.points[place] = point_of(question, answer.ways[way], curve.target, ranks[place]);
    const std::lock_guard lock(drawing);
    bar.advance(1);
  });
}

Result<std::vector<int>> ranks_of(const Options& options, const target::Target& target,
                                  const std::string& path) {
  std::vector<int> ranks = options.ranks;
  if (ranks.empty()) {
    const int slots = target.slots();
    auto all = parse_ranks(std::to_string(std::min(2, slots)) + ".." + std::to_string(slots), options.step);
    if (!all) return all;
    ranks = std::move(*all);
  }
  if (const auto fitting = target::fits(target, ranks.back(), path); !fitting)
    return tl::unexpected(fitting.error());
  if (const auto good = expressible(target, ranks.back(), path); !good) return tl::unexpected(good.error());
  const auto all = std::accumulate(ranks.begin(), ranks.end(), std::int64_t{0}) * std::ssize(options.ways);
  if (!options.search && all > most_ranks_in_all)
    return fail(fmt::format(
        "--ranks: {} ranks in all numbers of ranks together (expected at most {}: give fewer numbers, "
        "a --step, or --search)",
        all, most_ranks_in_all));
  return ranks;
}

}  // namespace

Result<Answer> answer(const Options& options) {
  const auto path = target_path(options.target);
  if (!path) return tl::unexpected(path.error());
  auto target = target::load(*path);
  if (!target) return tl::unexpected(target.error());
  // The host's speed has no effect: all work is declared.
  target->uncertainties.erase("host_speed");
  auto ranks = ranks_of(options, *target, *path);
  if (!ranks) return tl::unexpected(ranks.error());
  auto costs = costs_of(options, *target);
  if (!costs) return tl::unexpected(costs.error());
  Question question = options.question;
  // apps/loops adds up the costs task by task.
  question.job.costs = question.job.protocol == Protocol::request ? costs->listed() : *costs;
  for (const Policy& way : options.ways)
    for (const int number : {ranks->front(), ranks->back()})
      if (const auto good = possible(question, way, *target, number); !good)
        return tl::unexpected(good.error());
  Answer result{.ways = options.ways, .protocol = question.job.protocol, .costs = std::move(*costs)};
  result.study.program = "emu farm";
  result.study.ranks = std::move(*ranks);
  result.study.search = options.search;
  for (const Policy& way : options.ways)
    result.study.curves.push_back({.variation = label(way, options.ways), .target = *target});
  if (options.search)
    search(result, question);
  else
    run_all(result, question);
  return result;
}

std::optional<std::size_t> best_of(const Answer& answer) {
  std::optional<std::size_t> best;
  double least = 0;
  for (std::size_t i = 0; i < answer.study.curves.size(); ++i) {
    const auto found = studies::optimum(answer.study.curves[i]);
    if (!found || (best && found->point->seconds() >= least)) continue;
    best = i;
    least = found->point->seconds();
  }
  return best;
}

std::optional<int> saturation(const Answer& answer, std::size_t curve) {
  for (const Point& point : answer.study.curves[curve].points) {
    if (!point.good() || point.ranks < 2) continue;
    const auto job = studies::only_master(point.typical());
    if (!job) continue;
    const studies::ClosedForm form =
        studies::closed_form(*job, answer.study.curves[curve].target, point.ranks);
    if (form.master >= form.slaves) return point.ranks;
  }
  return {};
}

}  // namespace emu::app::farms
