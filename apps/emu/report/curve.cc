#include "report/curve.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <vector>

#include "base/units.h"
#include "common/html.h"
#include "launch/gnuplot.h"

namespace emu::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr int width = 900, height = 470;  // of a picture
constexpr const char* colors[] = {"#1f6fb4", "#d9601a", "#2a8a4a", "#a33a8c", "#7a6a1f", "#c02a3a"};

struct Curve {
  const Json& json;
  std::string label;         // empty: the only one
  std::vector<Json> points;  // those that were good
};

std::vector<Curve> curves_of(const Json& study) {
  const auto one = [](const Json& json) {
    Curve curve{json, "", {}};
    if (json.contains("values"))
      for (const auto& [key, value] : json["values"].items())
        curve.label += (curve.label.empty() ? "" : " ") + key + "=" +
                       (value.is_string() ? value.get<std::string>() : value.dump());
    for (const Json& point : json["points"])
      if (point.contains("predicted_seconds")) curve.points.push_back(point);
    return curve;
  };
  std::vector<Curve> curves;
  if (study.contains("variations"))
    for (const Json& json : study["variations"]) curves.push_back(one(json));
  else
    curves.push_back(one(study));
  return curves;
}

// What all curves together reach: numbers of ranks, and seconds above 0.
struct Extent {
  double first = 0, last = 0;
  double low = 0, high = 0;
};

Extent extent(const std::vector<Curve>& curves) {
  Extent all;
  for (const Curve& curve : curves)
    for (const Json& point : curve.points) {
      const double ranks = point["ranks"];
      all.first = all.first == 0 ? ranks : std::min(all.first, ranks);
      all.last = std::max(all.last, ranks);
      for (const char* key : {"predicted_seconds", "measured_seconds"}) {
        const double seconds = point.value(key, 0.0);
        if (seconds <= 0) continue;
        all.low = all.low == 0 ? seconds : std::min(all.low, seconds);
        all.high = std::max(all.high, seconds);
      }
    }
  return all;
}

// So far apart that a plot from 0 would show the greatest alone.
bool far_apart(const Extent& all) { return all.high > 8 * all.low; }

// The data of one curve, as a block of the script itself: ranks, and what `keys` name. Points without one of them
// are left out.
std::string block(const std::string& name, const Curve& curve, std::initializer_list<const char*> keys) {
  std::string text = "$" + name + " << END\n";
  for (const Json& point : curve.points) {
    if (!std::all_of(keys.begin(), keys.end(), [&](const char* key) { return point.contains(key); }))
      continue;
    text += fmt::format("{:.10g}", point["ranks"].get<double>());
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

// Axes and their names.
std::string axes(const Extent& all) {
  std::string text =
      fmt::format("set xlabel 'ranks'\nset ylabel 's'\nset key top right\nset xtics {:.10g}\n{}\n",
                  std::max(1.0, std::floor((all.last - all.first) / 10)),
                  far_apart(all) ? "set logscale y" : "set yrange [0:*]");
  // gnuplot would make a range for a single number, but warn.
  if (all.first == all.last)
    text += fmt::format("set xrange [{:.10g}:{:.10g}]\n", all.first - 1, all.last + 1);
  return text;
}

// The predicted times: what every drawing has.
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

// The measured times, if there are any; they are the same for all curves.
std::string measured(const Curve& curve, const char* look, std::string& data) {
  if (!has(curve, "measured_seconds")) return "";
  data += block("measured", curve, {"measured_seconds"});
  return fmt::format(", $measured using 1:2 with {} title \"measured seconds\"", look);
}

std::string text_script(const std::vector<Curve>& curves, const Extent& all, int columns) {
  std::string data;
  const std::string plots =
      predicted(curves, "points pointtype 'o'", data) + measured(curves[0], "points pointtype 'x'", data);
  return fmt::format("set terminal dumb {} 28\n", columns) + axes(all) + data + "plot " + plots + "\n";
}

// Of a curve that stands alone: the region around the optimum, the optimum, and the closed form.
std::string surroundings(const Curve& curve, const Extent& all, std::string& data, std::string& plots) {
  const Json& json = curve.json;
  for (const auto& [key, color, title] :
       {std::tuple("master_bound_seconds", "#bb3333", "closed form: the master alone"),
        std::tuple("slave_bound_seconds", "#338833", "closed form: the slaves alone")}) {
    if (!has(curve, key)) continue;
    data += block(key, curve, {key});
    plots +=
        fmt::format(", ${} using 1:2 with lines dashtype 2 linecolor rgb '{}' title '{}'", key, color, title);
  }
  if (json["optimum_ranks"].is_null()) return "";
  const double best = json["optimum_ranks"];
  const double least = json["optimum_seconds"];
  return fmt::format(
      "set object rectangle from {},graph 0 to {},graph 1 behind fillcolor rgb '#e2f4ec' fillstyle solid "
      "noborder\n"
      "set label 'optimum: {:g} ranks, {}' at {:.10g},{:.9g} offset 0,3 {} point pointtype 7 linecolor rgb "
      "'#c00000'\n",
      json["flat_region"][0].get<double>() - 0.3, json["flat_region"][1].get<double>() + 0.3, best,
      format(Interval::seconds(least), 5), best, least, 2 * best > all.first + all.last ? "right" : "left");
}

std::string picture_script(const std::vector<Curve>& curves, const Extent& all, int marked) {
  std::string data, plots = predicted(curves, "linespoints pointtype 7 pointsize 0.6 linewidth 2", data),
                    around;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    if (!has(curves[i], "interval_seconds")) continue;
    const std::string name = fmt::format("interval{}", i);
    data += block(name, curves[i], {"predicted_seconds", "interval_seconds"});
    plots += fmt::format(", ${} using 1:2:3:4 with yerrorbars pointtype 0 linecolor {} notitle", name, i + 1);
  }
  if (curves.size() == 1) around = surroundings(curves[0], all, data, plots);
  plots += measured(curves[0], "points pointtype 2 pointsize 1.2 linewidth 2 linecolor rgb '#222222'", data);
  if (marked)
    around += fmt::format("set arrow from {0},graph 0 to {0},graph 1 nohead back dashtype 3\n", marked);
  std::string look = "set grid linecolor rgb '#dddddd'\nset border 3\nset tics nomirror\n";
  for (std::size_t i = 0; i < curves.size(); ++i)
    look +=
        fmt::format("set linetype {} linecolor rgb '{}' pointtype 7\n", i + 1, colors[i % std::size(colors)]);
  // The closed form of few slaves is far above all that was predicted.
  const std::string range = fmt::format("set yrange [{:.9g}:{:.9g}]\n", far_apart(all) ? all.low * 0.9 : 0.0,
                                        std::max(all.high, all.low) * 1.05);
  return axes(all) + look + range + around + data + "plot " + plots + "\n";
}

// Curves of which each has a point, and which take time.
bool drawable(const std::vector<Curve>& curves, const Extent& all) {
  return all.high > 0 &&
         std::all_of(curves.begin(), curves.end(), [](const Curve& curve) { return !curve.points.empty(); });
}

std::string no_picture(const Failure& why) { return "No plot: " + why.message + ".\n"; }

// Of a file that gnuplot wrote, what a page takes: the element, without the names that a file of its own needs.
std::string element(std::string svg) {
  svg.erase(0, std::min(svg.find("<svg"), svg.size()));
  for (const std::string_view name : {" xmlns=\"", " xmlns:xlink=\""}) {
    const std::size_t at = svg.find(name);
    if (at == std::string::npos) continue;
    svg.erase(at, svg.find('"', at + name.size()) + 1 - at);
  }
  return svg;
}

}  // namespace

std::string curve_as_text(const Json& study, int columns) {
  const std::vector<Curve> curves = curves_of(study);
  const Extent all = extent(curves);
  if (!drawable(curves, all)) return "";
  const auto drawn = gnuplot(text_script(curves, all, columns));
  return drawn ? *drawn : no_picture(drawn.error());
}

std::string curve_as_svg(const Json& study, int marked) {
  const std::vector<Curve> curves = curves_of(study);
  const Extent all = extent(curves);
  if (!drawable(curves, all)) return "";
  const auto drawn =
      gnuplot(fmt::format("set terminal svg size {},{} dynamic font 'sans-serif,12'\n", width, height) +
              picture_script(curves, all, marked));
  return drawn ? element(*drawn) : "<p>" + html_text(no_picture(drawn.error())) + "</p>";
}

Result<void> draw_curve(const Json& study, const std::string& path) {
  const std::vector<Curve> curves = curves_of(study);
  const Extent all = extent(curves);
  if (!drawable(curves, all)) return fail(path + ": no picture: nothing that ran took time");
  return draw_picture(picture_script(curves, all, 0), width, height, path);
}

}  // namespace emu::app
