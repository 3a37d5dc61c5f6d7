#include "study/plane/sweep_verdict.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/units.h"
#include "common/in_words.h"
#include "common/table.h"
#include "study/losses.h"
#include "study/plane/best.h"
#include "study/plane/cost.h"

namespace emu::app::studies {
namespace {

// Greatest number of combinations of words to be compared.
constexpr std::size_t most_compared = 20;

std::string point_in_words(const Study& study, std::size_t curve, int ranks) {
  return counted(ranks, "rank") + " with " + study.curves[curve].setting.label();
}

// Table for one number of ranks: a row for each setting.
std::string rows_of_settings(const Study& study) {
  using enum Table::Align;
  std::vector<Table::Column> columns{
      {"", left, 8, 0}, {"predicted (s)", right, 14}, {"efficiency", right, 11}, {"master busy", right, 12}};
  if (!study.metric.empty()) columns.push_back({"metric", right, 12});
  Table table(std::move(columns));
  for (const Curve& curve : study.curves) {
    Table::Row row{curve.label()};
    for (const Point& point : curve.points) {
      row.push_back(time_of(curve, &point));
      if (!point.good()) continue;
      const auto job = only_master(point.typical());
      row.push_back(percent(shares(point.typical()).compute));
      row.push_back(job ? percent(losses(*job, point.typical(), curve.target).master_busy) : "");
      if (const auto metric = point.metric()) row.push_back(fmt::format("{:.6g}", *metric));
    }
    table.add(std::move(row));
  }
  return counted(study.ranks.front(), "rank") + "\n" + table.text();
}

// Table with a row for each number of ranks and a column for each setting; `cell` gives the contents.
template <class Of>
std::string ranks_by_settings(const Study& study, const Of& cell) {
  using enum Table::Align;
  std::vector<Table::Column> columns{{"ranks", right, 6, 0}};
  for (const Curve& curve : study.curves) columns.push_back({curve.label(), right, 9, 2});
  Table table(std::move(columns));
  for (const int ranks : study.ranks) {
    Table::Row row{std::to_string(ranks)};
    bool some = false;
    for (const Curve& curve : study.curves) {
      const Point* const point = curve.at(ranks);
      some = some || point;
      row.push_back(point ? cell(curve, *point) : "");
    }
    if (some) table.add(std::move(row));
  }
  return table.text();
}

// "24, 26 to 33 ranks": the flat numbers of a curve; "to" if all runs between are flat.
std::string ranges(const Curve& curve, const std::vector<int>& flat) {
  std::vector<std::string> parts;
  const std::vector<Point>& points = curve.points;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto in = [&](std::size_t at) {
      return at < points.size() && std::binary_search(flat.begin(), flat.end(), points[at].ranks);
    };
    if (!in(i)) continue;
    const std::size_t first = i;
    while (in(i + 1)) ++i;
    parts.push_back(first == i ? std::to_string(points[i].ranks)
                               : fmt::format("{} to {}", points[first].ranks, points[i].ranks));
  }
  return fmt::format("{} {}", fmt::join(parts, ", "),
                     parts == std::vector<std::string>{"1"} ? "rank" : "ranks");
}

std::string flat_text(const Study& study, std::size_t variation, const Best& best) {
  if (best.flat.size() == 1) return "; no other within 2 % of it.\n";
  std::size_t ran = 0;
  for (std::size_t i = 0; i < study.settings(); ++i)
    ran += study.curves[variation * study.settings() + i].points.size();
  std::string text = fmt::format("; {} of {} that ran are within 2 % of it:\n", best.flat.size(),
                                 counted(static_cast<std::int64_t>(ran), "point"));
  for (std::size_t i = 0; i < best.flat.size();) {
    const std::size_t curve = best.flat[i].curve;
    std::vector<int> ranks;
    for (; i < best.flat.size() && best.flat[i].curve == curve; ++i) ranks.push_back(best.flat[i].ranks);
    text +=
        fmt::format("  - {}: {}\n", study.curves[curve].setting.label(), ranges(study.curves[curve], ranks));
  }
  return text;
}

std::string side_text(const Study& study, const Side& side) {
  if (side.at_end) return fmt::format("  - {}: not asked for\n", side.name);
  if (!side.point) return fmt::format("  - {}: nothing; all that ran is within 2 %\n", side.name);
  return fmt::format("  - {}: {} take {} longer; the critical path has {} more of {}{}\n", side.name,
                     point_in_words(study, side.curve, side.point->ranks), percent(side.longer),
                     in_time(side.cause_seconds), side.cause,
                     side.bottleneck == no_bottleneck ? "" : "; bottleneck: " + side.bottleneck);
}

std::string sureness_text(const Study& study, std::size_t variation, const Best& best) {
  const auto sure = sureness(study, variation, best);
  if (!sure) return "";
  return fmt::format(
      "Searched with {} of {} points: a local optimum. Its {} neighbours ran, and take no less time. {} "
      "points drawn at "
      "random ran too: with 95 % confidence less than {:.0f} % of all points are better.\n",
      sure->ran, sure->all, sure->neighbours, sure->drawn, std::ceil(100 * sure->better_share));
}

// The best point of each combination of words.
std::string compared_text(const Study& study, std::size_t variation, const Best& best) {
  const std::vector<Plane> planes = search_planes_of(study, variation);
  if (planes.size() == 1) return "";
  std::vector<std::pair<double, std::string>> rows;
  for (const Plane& plane : planes) {
    std::optional<std::size_t> least;
    for (const std::size_t curve : plane.curves())
      if (const auto found = optimum(study.curves[curve]);
          found && (!least || found->point->seconds() < optimum(study.curves[*least])->point->seconds()))
        least = curve;
    if (!least) continue;
    const Point& point = *optimum(study.curves[*least])->point;
    rows.emplace_back(
        point.seconds(),
        fmt::format("{}, {} (+{})", point_in_words(study, *least, point.ranks), in_time(point.seconds()),
                    percent(point.seconds() / best.verdict.optimum.point->seconds() - 1)));
  }
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::string text = "The best of each:\n";
  for (std::size_t i = 0; i < std::min(rows.size(), most_compared); ++i)
    text += "  - " + rows[i].second + "\n";
  return text;
}

// The points with the least and the greatest metric.
std::string metric_text(const Study& study, std::size_t variation) {
  std::optional<std::pair<double, Request>> least, most;
  for (std::size_t i = variation * study.settings(); i < (variation + 1) * study.settings(); ++i)
    for (const Point& point : study.curves[i].points) {
      const auto metric = point.metric();
      if (!metric) continue;
      if (!least || *metric < least->first) least = {*metric, {i, point.ranks}};
      if (!most || *metric > most->first) most = {*metric, {i, point.ranks}};
    }
  if (!least) return fmt::format("No line of the output matches {}.\n", study.metric);
  const auto at = [&](const Request& request) {
    return study.sweeps.empty() ? counted(request.ranks, "rank")
                                : point_in_words(study, request.curve, request.ranks);
  };
  return fmt::format("Metric {}: least {:.6g} ({}), most {:.6g} ({}).\n", study.metric, least->first,
                     at(least->second), most->first, at(most->second));
}

}  // namespace

std::string sweep_table(const Study& study) {
  if (!study.nodes.empty()) return costs_table(study);
  if (study.ranks.size() == 1) return rows_of_settings(study);
  std::string text =
      "predicted seconds\n" +
      ranks_by_settings(study, [](const Curve& curve, const Point& point) { return time_of(curve, &point); });
  if (!study.metric.empty())
    text +=
        "\nmetric " + study.metric + "\n" + ranks_by_settings(study, [](const Curve&, const Point& point) {
          const auto metric = point.metric();
          return metric ? fmt::format("{:.6g}", *metric) : std::string();
        });
  return text;
}

std::string metric_verdict(const Study& study, std::size_t variation) {
  return study.metric.empty() ? "" : metric_text(study, variation);
}

std::string sweep_verdict(const Study& study, std::size_t variation) {
  const Curve& first = study.curves[variation * study.settings()];
  const std::string label = first.variation.label();
  std::string text = label.empty() ? "" : "\n" + label + "\n";
  const auto best = best_of(study, variation);
  if (!best) return text + "No run was good, so there is no optimum.\n";
  const Optimum& optimum = best->verdict.optimum;
  const Curve& curve = study.curves[best->curve];
  text += fmt::format("Optimum: {}, {}", point_in_words(study, best->curve, optimum.point->ranks),
                      in_time(optimum.point->seconds())) +
          flat_text(study, variation, *best) + interval_text(curve, optimum) +
          sureness_text(study, variation, *best);
  if (!best->sides.empty()) text += "What limits each side:\n";
  for (const Side& side : best->sides) text += side_text(study, side);
  text += compared_text(study, variation, *best) + costs_text(study, variation) +
          metric_verdict(study, variation) + doubt_text(curve);
  const Diagnosis& diagnosis = best->verdict.diagnosis;
  text += fmt::format("With {}:\n", point_in_words(study, best->curve, diagnosis.ranks));
  for (const std::string& sentence : diagnosis.why) text += "  - " + sentence + ".\n";
  return text;
}

}  // namespace emu::app::studies
