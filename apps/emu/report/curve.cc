#include "report/curve.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>
#include <vector>

#include "base/units.h"
#include "common/html.h"
#include "launch/gnuplot.h"
#include "report/axis.h"
#include "report/plain_text.h"

namespace emu::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr int width = 900, height = 470;  // of a picture
constexpr const char* colors[] = {"#1f6fb4", "#d9601a", "#2a8a4a", "#a33a8c", "#7a6a1f", "#c02a3a"};

// With more curves, only those with the least times are drawn.
constexpr std::size_t most_curves = std::size(colors);

struct Curve {
  const Json& json;
  std::string label;         // empty: a single curve
  std::vector<Json> points;  // of successful runs, each with "x", its position on the horizontal axis
};

// All curves of a study on one horizontal axis.
struct Curves {
  std::string axis = "ranks";  // or a swept name
  std::vector<Curve> curves;
};

std::string label_of(const Json& values) {
  std::string label;
  for (const auto& [key, value] : values.items())
    label += (label.empty() ? "" : " ") + key + "=" + plain_text(value);
  return label;
}

// The swept name on the horizontal axis, if it is not the number of ranks: the only name
// with several values, all of them numbers, if all points have an equal number of ranks.
std::string axis_of(const Json& json) {
  if (!json.contains("sweep")) return "ranks";
  std::string several;
  for (const auto& [name, values] : json["sweep"].items()) {
    if (values.size() < 2) continue;
    if (!several.empty() ||
        !std::all_of(values.begin(), values.end(), [](const Json& v) { return v.is_number(); }))
      return "ranks";
    several = name;
  }
  const Json& points = json["points"];
  for (const Json& point : points)
    if (point["ranks"] != points.front()["ranks"]) return "ranks";
  return several.empty() || points.empty() ? "ranks" : several;
}

// The points of one target: one curve, or one for each setting.
void add_curves(const Json& json, Curves& to) {
  const std::string of_target = json.contains("values") ? label_of(json["values"]) : "";
  const std::size_t first = to.curves.size();
  if (!json.contains("sweep")) to.curves.push_back({json, of_target, {}});
  for (const Json& known : json["points"]) {
    if (!known.contains("predicted_seconds")) continue;
    Json point = known;
    std::string label = of_target;
    if (to.axis != "ranks") {
      point["x"] = known["sweep"][to.axis];
    } else {
      point["x"] = known["ranks"];
      if (known.contains("sweep")) label += (label.empty() ? "" : " ") + label_of(known["sweep"]);
    }
    auto curve = std::find_if(to.curves.begin() + static_cast<std::ptrdiff_t>(first), to.curves.end(),
                              [&](const Curve& other) { return other.label == label; });
    if (curve == to.curves.end()) {
      to.curves.push_back({json, label, {}});
      curve = std::prev(to.curves.end());
    }
    curve->points.push_back(std::move(point));
  }
}

double least_of(const Curve& curve) {
  double least = std::numeric_limits<double>::infinity();
  for (const Json& point : curve.points) least = std::min(least, point["predicted_seconds"].get<double>());
  return least;
}

Curves curves_of(const Json& study) {
  Curves result;
  if (study.contains("variations")) {
    result.axis = axis_of(study["variations"].front());
    for (const Json& json : study["variations"]) add_curves(json, result);
  } else {
    result.axis = axis_of(study);
    add_curves(study, result);
  }
  const bool swept = study.contains("sweep") ||
                     (study.contains("variations") && study["variations"].front().contains("sweep"));
  if (swept && result.curves.size() > most_curves) {
    std::vector<double> order;
    for (const Curve& curve : result.curves) order.push_back(least_of(curve));
    std::sort(order.begin(), order.end());
    std::vector<Curve> least;
    for (Curve& curve : result.curves)
      if (least.size() < most_curves && least_of(curve) <= order[most_curves - 1])
        least.push_back(std::move(curve));
    return {result.axis, std::move(least)};
  }
  return result;
}

constexpr const char* closed_forms[] = {"master_bound_seconds", "slave_bound_seconds"};

// Extent of all curves: positions on the horizontal axis, and times above 0. For a single curve with its closed forms.
struct Extent {
  double first = 0, last = 0;
  double low = 0, high = 0;
};

Extent extent(const Curves& all, bool with_closed_forms) {
  Extent extent;
  const auto reach = [&](double seconds) {
    if (seconds <= 0) return;
    extent.low = extent.low == 0 ? seconds : std::min(extent.low, seconds);
    extent.high = std::max(extent.high, seconds);
  };
  bool some = false;
  for (const Curve& curve : all.curves)
    for (const Json& point : curve.points) {
      const double x = point["x"];
      extent.first = some ? std::min(extent.first, x) : x;
      extent.last = some ? std::max(extent.last, x) : x;
      some = true;
      for (const char* key : {"predicted_seconds", "measured_seconds"})
        if (point.contains(key)) reach(point[key]);
      if (!with_closed_forms || all.curves.size() > 1) continue;
      for (const char* form : closed_forms)
        if (point.contains(form)) reach(point[form]);
    }
  return extent;
}

// The data of one curve, as a block of the script: ranks, and the values of `keys`. Points without one of them
// are left out.
std::string block(const std::string& name, const Curve& curve, std::initializer_list<const char*> keys) {
  std::string text = "$" + name + " << END\n";
  for (const Json& point : curve.points) {
    if (!std::all_of(keys.begin(), keys.end(), [&](const char* key) { return point.contains(key); }))
      continue;
    text += fmt::format("{:.10g}", point["x"].get<double>());
    for (const char* key : keys) {
      if (point[key].is_array())
        text += fmt::format(" {:.9g} {:.9g}", point[key][0].get<double>(), point[key][1].get<double>());
      else
        text += fmt::format(" {:.9g}", point[key].get<double>());
    }
    text += '\n';
  }
  return text + "END\n";
}

bool has(const Curve& curve, const char* key) {
  return std::any_of(curve.points.begin(), curve.points.end(),
                     [&](const Json& p) { return p.contains(key); });
}

// The horizontal axis of a swept name: labels at its values, logarithmic if these grow by factors.
std::string swept_axis(const Curves& curves, const Extent& all) {
  std::set<double> places;
  for (const Curve& curve : curves.curves)
    for (const Json& point : curve.points) places.insert(point["x"].get<double>());
  std::string labels;
  for (const double place : places)
    labels += fmt::format("{}\"{:g}\" {:.9g}", labels.empty() ? "" : ",", place, place);
  return std::string(all.first > 0 && all.last >= 16 * all.first ? "set logscale x\n" : "") +
         (places.size() > 20 ? "set xtics autofreq\n" : "set xtics (" + labels + ")\n");
}

// Axes and their names.
std::string axes(const Curves& curves, const Extent& all) {
  std::string text =
      fmt::format("set xlabel '{}' noenhanced\nset ylabel 's'\nset key top right\nset xtics {:.10g}\n{}",
                  gnuplot_text(curves.axis), std::max(1.0, std::floor((all.last - all.first) / 10)),
                  far_apart(all.low, all.high)
                      ? "set logscale y\nset ytics (" + logarithmic_labels(all.low, all.high) + ")\n"
                      : "set yrange [0:*]\n");
  if (curves.axis != "ranks") text += swept_axis(curves, all);
  // gnuplot would choose a range for a single number, with a warning.
  if (all.first == all.last)
    text += fmt::format("set xrange [{:.10g}:{:.10g}]\n", all.first - 1, all.last + 1);
  return text;
}

// The predicted times, which every drawing has.
std::string predicted(const std::vector<Curve>& curves, const char* look_of_one, std::string& data) {
  std::string plots;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const std::string name = fmt::format("curve{}", i);
    data += block(name, curves[i], {"predicted_seconds"});
    const std::string title = curves[i].label.empty() ? "predicted seconds" : gnuplot_text(curves[i].label);
    plots += fmt::format("{}${} using 1:2 with {} title \"{}\" noenhanced", i == 0 ? "" : ", ", name,
                         curves.size() == 1 ? look_of_one : "linespoints", title);
  }
  return plots;
}

// The measured times, if any; they are equal for all curves.
std::string measured(const Curve& curve, const char* look, std::string& data) {
  if (!has(curve, "measured_seconds")) return "";
  data += block("measured", curve, {"measured_seconds"});
  return fmt::format(", $measured using 1:2 with {} title \"measured seconds\"", look);
}

std::string text_script(const Curves& curves, const Extent& all, int columns) {
  std::string data;
  const std::string plots = predicted(curves.curves, "points pointtype 'o'", data) +
                            measured(curves.curves[0], "points pointtype 'x'", data);
  return fmt::format("set terminal dumb {} 28\n", columns) + axes(curves, all) + data + "plot " + plots +
         "\n";
}

// For a single curve: the region around the optimum, and the optimum.
std::string optimum_script(const Curves& curves, const Extent& all) {
  const Json& json = curves.curves.front().json;
  if (json["optimum_ranks"].is_null()) return "";
  const bool over_ranks = curves.axis == "ranks";
  const double best = over_ranks ? json["optimum_ranks"] : json["optimum_sweep"][curves.axis];
  const double least = json["optimum_seconds"];
  const std::string flat =
      over_ranks ? fmt::format(
                       "set object rectangle from {},graph 0 to {},graph 1 behind fillcolor rgb '#e2f4ec' "
                       "fillstyle solid noborder\n",
                       json["flat_region"][0].get<double>() - 0.3, json["flat_region"][1].get<double>() + 0.3)
                 : "";
  const std::string where = over_ranks ? fmt::format("{:g} ranks", best)
                                       : fmt::format("{} = {:g}", gnuplot_text(curves.axis), best);
  return fmt::format(
      "{}set label 'optimum: {}, {}' at {:.10g},{:.9g} offset 0,3 {} noenhanced point pointtype 7 linecolor "
      "rgb "
      "'#c00000'\n",
      flat, where, format(Interval::seconds(least), 5), best, least,
      2 * best > all.first + all.last ? "right" : "left");
}

// For a single curve: the closed form, too.
std::string surroundings(const Curves& curves, const Extent& all, std::string& data, std::string& plots) {
  const Curve& curve = curves.curves.front();
  for (const auto& [key, color, title] :
       {std::tuple(closed_forms[0], "#bb3333", "closed form: the master alone"),
        std::tuple(closed_forms[1], "#338833", "closed form: the slaves alone")}) {
    if (!has(curve, key)) continue;
    data += block(key, curve, {key});
    plots +=
        fmt::format(", ${} using 1:2 with lines dashtype 2 linecolor rgb '{}' title '{}'", key, color, title);
  }
  return optimum_script(curves, all);
}

std::string picture_script(const Curves& all_curves, const Extent& all, int marked) {
  const std::vector<Curve>& curves = all_curves.curves;
  std::string data, plots = predicted(curves, "linespoints pointtype 7 pointsize 0.6 linewidth 2", data),
                    around;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    if (!has(curves[i], "interval_seconds")) continue;
    const std::string name = fmt::format("interval{}", i);
    data += block(name, curves[i], {"predicted_seconds", "interval_seconds"});
    plots += fmt::format(", ${} using 1:2:3:4 with yerrorbars pointtype 0 linecolor {} notitle", name, i + 1);
  }
  if (curves.size() == 1) around = surroundings(all_curves, all, data, plots);
  plots += measured(curves[0], "points pointtype 2 pointsize 1.2 linewidth 2 linecolor rgb '#222222'", data);
  if (marked)
    around += fmt::format("set arrow from {0},graph 0 to {0},graph 1 nohead back dashtype 3\n", marked);
  std::string look = "set grid linecolor rgb '#dddddd'\nset border 3\nset tics nomirror\n";
  for (std::size_t i = 0; i < curves.size(); ++i)
    look +=
        fmt::format("set linetype {} linecolor rgb '{}' pointtype 7\n", i + 1, colors[i % std::size(colors)]);
  const bool logarithmic = far_apart(all.low, all.high);
  const std::string range = fmt::format("set yrange [{:.9g}:{:.9g}]\n", logarithmic ? all.low * 0.9 : 0.0,
                                        std::max(all.high, all.low) * (logarithmic ? 1.4 : 1.1));
  return axes(all_curves, all) + look + range + around + data + "plot " + plots + "\n";
}

// True if each curve has a point, and times are above 0.
bool drawable(const Curves& curves, const Extent& all) {
  return all.high > 0 && std::all_of(curves.curves.begin(), curves.curves.end(),
                                     [](const Curve& curve) { return !curve.points.empty(); });
}

std::string no_picture(const Failure& why) { return "No plot: " + why.message + ".\n"; }

}  // namespace

std::string curve_as_text(const Json& study, int columns) {
  const Curves curves = curves_of(study);
  const Extent all = extent(curves, false);
  if (!drawable(curves, all)) return "";
  const auto drawn = gnuplot(text_script(curves, all, columns));
  return drawn ? *drawn : no_picture(drawn.error());
}

std::string curve_as_svg(const Json& study, int marked) {
  const Curves curves = curves_of(study);
  const Extent all = extent(curves, true);
  if (!drawable(curves, all)) return "";
  const auto drawn = svg_element(picture_script(curves, all, marked), width, height);
  return drawn ? *drawn : "<p>" + html_text(no_picture(drawn.error())) + "</p>";
}

Result<void> draw_curve(const Json& study, const std::string& path) {
  const Curves curves = curves_of(study);
  const Extent all = extent(curves, true);
  if (!drawable(curves, all)) return fail(path + ": no picture: nothing that ran took time");
  return draw_picture(picture_script(curves, all, 0), width, height, path);
}

}  // namespace emu::app
