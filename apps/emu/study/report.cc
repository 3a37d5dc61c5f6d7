#include "study/report.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/units.h"
#include "launch/prepared_run.h"
#include "study/losses.h"

namespace emu::app::studies {
namespace {

std::string in_time(double seconds) { return format(Interval::seconds(seconds), 5); }

// All numbers of ranks that ran on any of the targets.
std::vector<int> all_ranks(const Study& study) {
  std::vector<int> all;
  for (const Curve& curve : study.curves)
    for (const Point& point : curve.points) all.push_back(point.ranks);
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

std::string time_of(const Curve& curve, const Point* point) {
  if (!point) return "";
  if (!point->good()) return "failed";
  std::string text = fmt::format("{:.6g}", point->seconds());
  if (const auto interval = curve.interval(*point))
    text += fmt::format(" +- {:.2g}", (interval->high - interval->low) / 2);
  return text;
}

// One target: what each run shows.
std::string detailed_table(const Curve& curve) {
  std::string text = fmt::format("{:>6} {:>18} {:>11} {:>12} {:>11} {:>11}\n", "ranks", "predicted (s)",
                                 "efficiency", "master busy", "master (s)", "slaves (s)");
  bool with_master = false;
  for (const Point& point : curve.points) {
    text += fmt::format("{:>6} {:>18}", point.ranks, time_of(curve, &point));
    if (point.good()) {
      const record::RunSummary& run = point.typical();
      text += fmt::format(" {:>9.1f} %", 100 * shares(run).compute);
      if (const auto job = master_slave(run)) {
        const ClosedForm form = closed_form(*job, curve.target, point.ranks);
        const Losses lost = losses(*job, run, curve.target);
        text +=
            fmt::format(" {:>10.1f} % {:>11.5g} {:>11.5g}", 100 * lost.master_busy, form.master, form.slaves);
        with_master = true;
      }
    }
    text += '\n';
  }
  text += "\nefficiency   share of all ranks' time in which they compute\n";
  if (with_master)
    text +=
        "master       closed form N (o_r + o_s)(P) and its own work: the master alone\n"
        "slaves       closed form N (t + RTT) / (P - 1): the slaves alone\n";
  return text;
}

// Several targets: predicted seconds over both.
std::string wide_table(const Study& study) {
  std::string text = "predicted seconds\n" + fmt::format("{:>6}", "ranks");
  std::vector<std::size_t> widths;
  for (const Curve& curve : study.curves) {
    widths.push_back(std::max<std::size_t>(18, curve.variation.label().size()));
    text += fmt::format("  {:>{}}", curve.variation.label(), widths.back());
  }
  text += '\n';
  for (int ranks : all_ranks(study)) {
    text += fmt::format("{:>6}", ranks);
    for (std::size_t i = 0; i < study.curves.size(); ++i)
      text += fmt::format("  {:>{}}", time_of(study.curves[i], study.curves[i].at(ranks)), widths[i]);
    text += '\n';
  }
  return text;
}

std::string flat_text(const Optimum& optimum) {
  if (optimum.flat.first == optimum.flat.second) return "no other within 2 % of it";
  return fmt::format("within 2 % of it: {} to {} ranks", optimum.flat.first, optimum.flat.second);
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
  return text + "\n";
}

bool nobody_computed(const Curve& curve) {
  if (curve.target.compute != target::Compute::declared) return false;
  return std::all_of(curve.points.begin(), curve.points.end(),
                     [](const Point& point) { return !point.good() || !point.typical().computes(); });
}

// What the search has seen of the curve, and that it has not seen all.
std::string search_text(const Study& study, const Curve& curve) {
  const std::vector<int> all = valleys(curve.known());
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

std::string of_curve(const Study& study, const Curve& curve) {
  const std::vector<int>& ranks = study.ranks;
  const std::string label = curve.variation.label();
  std::string text = label.empty() ? "" : "\n" + label + "\n";
  const auto found = verdict(curve, ranks);
  if (!found) return text + "No run was good: there is no optimum.\n";
  const Optimum& best = found->optimum;
  const Diagnosis& diagnosis = found->diagnosis;
  text += fmt::format("Optimum: {}, {}; {}.\n", counted(best.point->ranks, "rank"),
                      in_time(best.point->seconds()), flat_text(best)) +
          interval_text(curve, best) + search_text(study, curve);
  const bool at_end = best.point->ranks == ranks.back();
  if (at_end) text += "More ranks than these were not asked for. ";
  text += diagnosis.bottleneck == no_bottleneck
              ? "Nothing holds it up in this range.\n"
              : fmt::format("{}: {}.\n", at_end ? "What holds it up" : "Why more do not help",
                            diagnosis.bottleneck);
  if (nobody_computed(curve)) text += fmt::format("Mind: {}.\n", nothing_declared);
  text += fmt::format("With {}:\n", counted(diagnosis.ranks, "rank"));
  for (const std::string& sentence : diagnosis.why) text += "  - " + sentence + ".\n";
  return text;
}

}  // namespace

bool is_local(const Study& study, const Curve& curve) {
  return study.search && curve.points.size() < study.ranks.size();
}

std::optional<Verdict> verdict(const Curve& curve, const std::vector<int>& ranks) {
  const auto best = optimum(curve);
  if (!best) return {};
  return Verdict{*best, diagnose(curve, *best, ranks)};
}

Seconds extent(const Study& study) {
  Seconds times;
  for (const Curve& curve : study.curves) {
    for (const Point& point : curve.points) {
      if (!point.good() || point.seconds() <= 0) continue;
      times.low = times.low == 0 ? point.seconds() : std::min(times.low, point.seconds());
      times.high = std::max(times.high, point.seconds());
    }
  }
  return times;
}

std::string table(const Study& study) {
  return study.curves.size() == 1 ? detailed_table(study.curves.front()) : wide_table(study);
}

std::string verdict_text(const Study& study) {
  std::string text;
  for (const Curve& curve : study.curves) {
    text += of_curve(study, curve);
    for (const Point& point : curve.points)
      if (!point.good())
        text += fmt::format("With {} it failed: {}\n", counted(point.ranks, "rank"), point.failure);
  }
  return text;
}

}  // namespace emu::app::studies
