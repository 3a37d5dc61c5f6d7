#include "report/heat_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "base/units.h"
#include "common/html.h"
#include "launch/gnuplot.h"
#include "report/axis.h"
#include "report/curve.h"
#include "report/plain_text.h"

namespace emu::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr int map_width = 900;  // of a picture

int map_height(const HeatMap& map) {
  return static_cast<int>(std::clamp<std::size_t>(200 + 24 * map.y.size(), 320, 1200));
}

// Labels of an axis, at most about 20.
std::string tics(char axis, const std::vector<std::string>& labels) {
  std::string text = fmt::format("set {}tics (", axis);
  const std::size_t every = labels.size() / 20 + 1;
  for (std::size_t i = 0; i < labels.size(); i += every)
    text += fmt::format("{}\"{}\" {}", i ? "," : "", gnuplot_text(labels[i]), i);
  return text + ") noenhanced\n";
}

// The range of the colours, with labels at round values.
std::string colors_of(double least, double most) {
  if (least >= most) return "";
  const std::string range = fmt::format("set cbrange [{:.9g}:{:.9g}]\n", least, most);
  if (least <= 0 || !far_apart(least, most)) return range;
  return range + "set logscale cb\nset cbtics (" + logarithmic_labels(least, most) + ")\n";
}

std::string script(const HeatMap& map) {
  std::string cells;
  double most = 0;
  for (const HeatMap::Cell& cell : map.cells) {
    most = std::max(most, cell.seconds);
    cells += fmt::format("{} {} {:.9g}\n", cell.x, cell.y, cell.seconds);
  }
  return tics('x', map.x) + tics('y', map.y) +
         fmt::format(
             "set xrange [-0.5:{}]\nset yrange [-0.5:{}]\nset xlabel '{}' noenhanced\nset ylabel '{}' "
             "noenhanced\n"
             "set cblabel 's'\n{}"
             "set palette defined (0 '#2a8a4a', 1 '#f4f0c0', 2 '#c02a3a')\nset key off\n"
             "set title \"{}\" noenhanced\n$cells << END\n{}END\n"
             "plot $cells using 1:2:($1-0.5):($1+0.5):($2-0.5):($2+0.5):3 with boxxyerror fillstyle solid "
             "noborder "
             "linecolor palette, '+' using ({}):({}) every ::0::0 with points pointtype 7 linecolor rgb "
             "'black'\n",
             static_cast<double>(map.x.size()) - 0.5, static_cast<double>(map.y.size()) - 0.5,
             gnuplot_text(map.x_name), gnuplot_text(map.y_name), colors_of(map.best.seconds, most),
             gnuplot_text(map.title), cells, map.best.x, map.best.y);
}

// A varying property of a study: the numbers of ranks, or a swept name. Values are in the order of the axis.
struct Dimension {
  std::string name;
  std::vector<Json> values;
};

const Json& value_of(const Json& point, const std::string& name) {
  return name == "ranks" || name == "nodes" ? point[name] : point["sweep"][name];
}

std::vector<Dimension> dimensions_of(const Json& json) {
  const std::string first = json.contains("nodes") ? "nodes" : "ranks";  // of a grid of the cluster: nodes
  std::set<int> numbers;
  for (const Json& point : json["points"])
    if (point.contains(first)) numbers.insert(point[first].get<int>());
  std::vector<Dimension> all{{first, {numbers.begin(), numbers.end()}}};
  for (const auto& [name, values] : json["sweep"].items())
    all.push_back({name, {values.begin(), values.end()}});
  std::erase_if(all, [](const Dimension& dimension) { return dimension.values.size() < 2; });
  return all;
}

std::string title_of(const Json& json, const HeatMap& map) {
  std::string title;
  if (json.contains("values"))
    for (const auto& [key, value] : json["values"].items()) title += key + "=" + plain_text(value) + ", ";
  return fmt::format("{}optimum: {} {}, {} {}, {}", title, map.x_name, map.x[map.best.x], map.y_name,
                     map.y[map.best.y], format(Interval::seconds(map.best.seconds), 5));
}

std::optional<HeatMap> heat_map_of(const Json& json) {
  if (!json.contains("sweep")) return {};
  const std::vector<Dimension> dimensions = dimensions_of(json);
  if (dimensions.size() != 2) return {};
  const Dimension &x = dimensions[0], &y = dimensions[1];
  HeatMap map{.title = "", .x_name = x.name, .y_name = y.name, .x = {}, .y = {}, .cells = {}};
  for (const Json& value : x.values) map.x.push_back(plain_text(value));
  for (const Json& value : y.values) map.y.push_back(plain_text(value));
  const auto place = [](const Dimension& dimension, const Json& point) {
    const auto at =
        std::find(dimension.values.begin(), dimension.values.end(), value_of(point, dimension.name));
    return static_cast<std::size_t>(at - dimension.values.begin());
  };
  for (const Json& point : json["points"])
    if (point.contains("predicted_seconds"))
      map.cells.push_back({place(x, point), place(y, point), point["predicted_seconds"]});
  if (map.cells.empty()) return {};
  map.best = *std::min_element(map.cells.begin(), map.cells.end(),
                               [](const auto& a, const auto& b) { return a.seconds < b.seconds; });
  map.title = title_of(json, map);
  return map;
}

// The shade of a time, by its ratio to the least time.
char shade(double ratio) {
  if (ratio <= 1.02) return '#';
  if (ratio <= 1.1) return '*';
  if (ratio <= 1.5) return '+';
  if (ratio <= 3) return '-';
  return '.';
}

constexpr const char* map_legend =
    "O optimum   # within 2 %   * within 10 %   + within 50 %   - up to 3 times   . more   blank: did not "
    "run\n";

// Labels below the columns, as many as fit.
std::string labels_below(const std::vector<std::string>& labels, std::size_t each, std::size_t cell) {
  std::string line;
  for (std::size_t i = 0; i < labels.size(); i += each) {
    const std::size_t place = i / each * cell;
    if (!line.empty() && line.size() + 1 > place) continue;
    line.resize(place, ' ');
    line += labels[i];
  }
  return line;
}

}  // namespace

std::vector<HeatMap> heat_maps_of(const Json& study) {
  std::vector<HeatMap> maps;
  const auto add = [&](const Json& json) {
    if (auto map = heat_map_of(json)) maps.push_back(std::move(*map));
  };
  if (study.contains("variations"))
    for (const Json& json : study["variations"]) add(json);
  else
    add(study);
  return maps;
}

std::string heat_map_as_text(const HeatMap& map, int columns) {
  std::size_t label = map.y_name.size();
  for (const std::string& y : map.y) label = std::max(label, y.size());
  const std::size_t room = std::max(20, columns) - std::min<std::size_t>(label + 3, 15);
  const std::size_t each = (map.x.size() + room - 1) / room;  // values in a column of characters
  const std::size_t count = (map.x.size() + each - 1) / each,
                    cell = std::clamp<std::size_t>(room / count, 1, 4);
  std::vector<std::vector<double>> least(map.y.size(),
                                         std::vector<double>(count, std::numeric_limits<double>::infinity()));
  for (const HeatMap::Cell& known : map.cells) {
    double& here = least[known.y][known.x / each];
    here = std::min(here, known.seconds);
  }
  std::string text = fmt::format("{:>{}}\n", map.y_name, label);
  for (std::size_t y = map.y.size(); y-- > 0;) {
    std::string line;
    for (std::size_t x = 0; x < count; ++x) {
      const bool best = y == map.best.y && x == map.best.x / each;
      const bool known = least[y][x] < std::numeric_limits<double>::infinity();
      const double ratio = map.best.seconds > 0 ? least[y][x] / map.best.seconds : 1;
      line.append(cell, best ? 'O' : known ? shade(ratio) : ' ');
    }
    text += fmt::format("{:>{}} |{}\n", map.y[y], label, line.substr(0, line.find_last_not_of(' ') + 1));
  }
  text += fmt::format("{:{}} +{:-<{}}\n", "", label, "", cell * count);
  text += fmt::format("{:{}}  {}  {}\n", "", label, labels_below(map.x, each, cell), map.x_name);
  return text + map_legend;
}

std::string heat_map_as_svg(const HeatMap& map) {
  const auto drawn = svg_element(script(map), map_width, map_height(map));
  return drawn ? *drawn : "<p>" + html_text("No heat map: " + drawn.error().message) + ".</p>";
}

std::string pictures_as_svg(const Json& study, int marked) {
  std::string svg;
  for (const HeatMap& map : heat_maps_of(study)) svg += heat_map_as_svg(map);
  return svg + curve_as_svg(study, marked);
}

Result<void> draw_heat_map(const HeatMap& map, const std::string& path) {
  return draw_picture(script(map), map_width, map_height(map), path);
}

}  // namespace emu::app
