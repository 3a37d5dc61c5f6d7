#include "study/verdict.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/units.h"
#include "common/in_words.h"
#include "common/table.h"
#include "launch/prepared_run.h"
#include "study/losses.h"
#include "study/plane/cost.h"
#include "study/plane/sweep_verdict.h"

namespace emu::app::studies {
namespace {

// All numbers of ranks that ran on any of the targets.
std::vector<int> all_ranks(const Study& study) {
  std::vector<int> all;
  for (const Curve& curve : study.curves)
    for (const Point& point : curve.points) all.push_back(point.ranks);
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

// One target: the results of each run.
std::string detailed_table(const Curve& curve, bool with_metric) {
  using enum Table::Align;
  std::vector<Table::Column> columns{{"ranks", right, 6, 0}, {"predicted (s)", right, 18}};
  if (with_metric) columns.push_back({"metric", right, 11});
  columns.insert(columns.end(), {{"efficiency", right, 11},
                                 {"master busy", right, 12},
                                 {"master (s)", right, 11},
                                 {"slaves (s)", right, 11}});
  Table table(std::move(columns));
  bool with_master = false;
  for (const Point& point : curve.points) {
    Table::Row row{std::to_string(point.ranks), time_of(curve, &point)};
    if (with_metric) row.push_back(point.metric() ? fmt::format("{:.6g}", *point.metric()) : "");
    if (point.good()) {
      const record::RunSummary& run = point.typical();
      row.push_back(fmt::format("{:.1f} %", 100 * shares(run).compute));
      if (const auto job = only_master(run)) {
        const ClosedForm form = closed_form(*job, curve.target, point.ranks);
        const Losses lost = losses(*job, run, curve.target);
        row.insert(row.end(), {fmt::format("{:.1f} %", 100 * lost.master_busy),
                               fmt::format("{:.5g}", form.master), fmt::format("{:.5g}", form.slaves)});
        with_master = true;
      }
    }
    table.add(std::move(row));
  }
  std::string text = table.text() + "\nefficiency   share of all ranks' time in which they compute\n";
  if (with_master)
    text +=
        "master       closed form N (o_r + o_s)(P) and its own work: the master alone\n"
        "slaves       closed form N (t + RTT) / (P - 1): the slaves alone\n";
  return text;
}

// Several targets: predicted seconds by ranks and target.
std::string wide_table(const Study& study) {
  using enum Table::Align;
  std::vector<Table::Column> columns{{"ranks", right, 6, 0}};
  for (const Curve& curve : study.curves) columns.push_back({curve.variation.label(), right, 18, 2});
  Table table(std::move(columns));
  for (int ranks : all_ranks(study)) {
    Table::Row row{std::to_string(ranks)};
    for (const Curve& curve : study.curves) row.push_back(time_of(curve, curve.at(ranks)));
    table.add(std::move(row));
  }
  return "predicted seconds\n" + table.text();
}

std::string flat_text(const Curve& curve, const Optimum& optimum) {
  const std::vector<int> elsewhere = curve.as_good_elsewhere(optimum);
  const auto [first, last] = optimum.flat;
  if (first == last && elsewhere.empty()) return "no other within 2 % of it";
  std::string text = first == last ? "" : fmt::format("{} to {}", first, last);
  if (!elsewhere.empty())
    text += fmt::format("{}{}", text.empty() ? "" : ", and ", fmt::join(elsewhere, ", "));
  return fmt::format("within 2 % of it: {} ranks", text);
}

// Method by which the range of the optimum was found.
std::string how_text(const Curve& curve, const Optimum& optimum) {
  if (curve.target.uncertainties.empty()) return "";
  if (curve.corners.empty())
    return optimum.possible.first == optimum.possible.second ? "" : ", to first order";
  std::size_t runs = 0;
  for (const Corner& corner : curve.corners)
    for (const Point& point : corner.points) runs += point.runs.size();
  std::string text = fmt::format(" (checked by {} at the ends of the values' intervals",
                                 counted(static_cast<std::int64_t>(runs), "run"));
  if (optimum.possible != optimum.first_order)
    text +=
        fmt::format("; to first order from {} to {}", optimum.first_order.first, optimum.first_order.second);
  return text + ")";
}

bool nobody_computed(const Curve& curve) {
  if (curve.target.compute != target::Compute::declared) return false;
  return std::all_of(curve.points.begin(), curve.points.end(),
                     [](const Point& point) { return !point.good() || !point.typical().computes(); });
}

// The part of the curve that the search has run, with a note that other parts are unknown.
std::string search_text(const Study& study, const Curve& curve) {
  const std::vector<int> all = curve.certain_valleys();
  std::string text;
  for (std::size_t i = 1; i < all.size(); ++i)
    text += fmt::format("{} {} ({})", i == 1 ? "The curve has other valleys: at" : ", at",
                        counted(all[i], "rank"), in_time(curve.at(all[i])->seconds()));
  if (!text.empty()) text += ".\n";
  if (is_local(study, curve))
    text += fmt::format(
        "Searched with {} of {} numbers of ranks: a local optimum, if the curve falls and rises again "
        "between them.\n",
        curve.points.size(), study.ranks.size());
  return text;
}

std::string of_curve(const Study& study, std::size_t index) {
  const Curve& curve = study.curves[index];
  const std::vector<int>& ranks = study.ranks;
  const std::string label = curve.variation.label();
  std::string text = label.empty() ? "" : "\n" + label + "\n";
  const auto found = verdict(curve, ranks);
  if (!found) return text + "No run was good, so there is no optimum.\n";
  const Optimum& best = found->optimum;
  const Diagnosis& diagnosis = found->diagnosis;
  text += fmt::format("Optimum: {}, {}; {}.\n", counted(best.point->ranks, "rank"),
                      in_time(best.point->seconds()), flat_text(curve, best)) +
          interval_text(curve, best) + search_text(study, curve);
  const bool at_end = best.point->ranks == ranks.back();
  if (at_end) text += "More ranks than these were not asked for. ";
  text += diagnosis.bottleneck == no_bottleneck
              ? "Nothing holds it up in this range.\n"
              : fmt::format("{}: {}.\n", at_end ? "What holds it up" : "Why more do not help",
                            diagnosis.bottleneck);
  text += costs_text(study, index) + metric_verdict(study, index) + doubt_text(curve);
  text += fmt::format("With {}:\n", counted(diagnosis.ranks, "rank"));
  for (const std::string& sentence : diagnosis.why) text += "  - " + sentence + ".\n";
  return text;
}

}  // namespace

std::string time_of(const Curve& curve, const Point* point) {
  if (!point) return "";
  if (!point->good()) return "failed";
  std::string text = fmt::format("{:.6g}", point->seconds());
  if (const auto interval = curve.interval(*point))
    text += fmt::format(" +- {:.2g}", (interval->high - interval->low) / 2);
  return text;
}

std::string interval_text(const Curve& curve, const Optimum& optimum) {
  const auto interval = curve.interval(*optimum.point);
  if (!interval) return "";
  const std::size_t runs = optimum.point->runs.size();
  std::string why = runs > 1 ? fmt::format("{} runs each", runs) : "";
  if (!curve.target.uncertainties.empty())
    why += std::string(why.empty() ? "" : ", ") + "the target's values as well as known";
  std::string text = fmt::format("{}: {} to {} (95 %)", why, in_time(interval->low), in_time(interval->high));
  if (optimum.possible.first != optimum.possible.second)
    text += fmt::format("; the optimum can lie from {} to {} ranks", optimum.possible.first,
                        optimum.possible.second);
  else if (!curve.corners.empty())
    text += fmt::format("; the optimum stays at {}", counted(optimum.possible.first, "rank"));
  return text + how_text(curve, optimum) + "\n";
}

std::string doubt_text(const Curve& curve) {
  return nobody_computed(curve) ? fmt::format("Mind: {}.\n", nothing_declared) : "";
}

bool is_local(const Study& study, const Curve& curve) {
  const std::size_t asked = study.nodes.empty() ? study.ranks.size() : study.nodes.size();
  return study.search && curve.points.size() < asked;
}

std::optional<std::size_t> best_curve(const Study& study, std::size_t first, std::size_t count) {
  std::optional<std::size_t> best;
  double least = 0;
  for (std::size_t i = first; i < first + count; ++i) {
    const auto found = optimum(study.curves[i]);
    if (!found || (best && found->point->seconds() >= least)) continue;
    best = i;
    least = found->point->seconds();
  }
  return best;
}

std::optional<Verdict> verdict(const Curve& curve, const std::vector<int>& ranks) {
  const auto best = optimum(curve);
  if (!best) return {};
  return Verdict{*best, diagnose(curve, *best, ranks)};
}

std::string table(const Study& study) {
  if (!study.sweeps.empty()) return sweep_table(study);
  return study.curves.size() == 1 ? detailed_table(study.curves.front(), !study.metric.empty())
                                  : wide_table(study);
}

std::string verdict_text(const Study& study) {
  std::string text;
  for (std::size_t variation = 0; variation < study.variations(); ++variation) {
    const std::size_t first = variation * study.settings();
    text += study.sweeps.empty() ? of_curve(study, variation) : sweep_verdict(study, variation);
    if (const auto comparison = compare(study.curves[first], study.measured))
      text += in_words(*comparison);
    else if (!study.measured.empty())
      text += "No measured number of ranks was predicted.\n";
    for (std::size_t i = first; i < first + study.settings(); ++i)
      for (const Point& point : study.curves[i].points)
        if (!point.good())
          text += fmt::format("With {}{} it failed: {}\n", counted(point.ranks, "rank"),
                              study.sweeps.empty() ? "" : " and " + study.curves[i].setting.label(),
                              point.failure);
  }
  return text;
}

}  // namespace emu::app::studies
