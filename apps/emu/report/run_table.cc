#include "report/run_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "common/html.h"

namespace emu::app {
namespace {

using Json = nlohmann::ordered_json;

enum class Form { plain, seconds, percent };

// A column for a key that some points have.
struct Column {
  const char* key;
  const char* title;
  const char* meaning;
  Form form;
};

constexpr Column run_columns[] = {
    {"nodes", "nodes", "nodes with a rank", Form::plain},
    {"ranks", "ranks", "", Form::plain},
    {"predicted_seconds", "predicted (s)", "the mean, with half of its 95 % interval", Form::seconds},
    {"measured_seconds", "measured (s)", "", Form::plain},
    {"metric", "metric", "of the program's output", Form::plain},
    {"efficiency", "efficiency", "share of all ranks' time in which they compute", Form::percent},
    {"master_busy", "master busy", "share of the master's time", Form::percent},
    {"master_bound_seconds", "master (s)", "closed form: the master alone", Form::plain},
    {"slave_bound_seconds", "slaves (s)", "closed form: the slaves alone", Form::plain},
    {"node_seconds", "node-seconds", "", Form::plain},
    {"price", "price", "", Form::plain},
    {"joules", "joules", "", Form::plain},
    {"node_efficiency", "of node-seconds", "the least node-seconds of all, as a share of the point's own",
     Form::percent}};

std::string short_text(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  return value.is_number_float() ? fmt::format("{:.6g}", value.get<double>()) : value.dump();
}

std::string cell(const Json& point, const Column& column) {
  if (!point.contains(column.key)) return "";
  const Json& value = point[column.key];
  if (!value.is_number() || column.form == Form::plain) return html_text(short_text(value));
  if (column.form == Form::percent) return fmt::format("{:.1f} %", 100 * value.get<double>());
  std::string text = fmt::format("{:.6g}", value.get<double>());
  if (point.contains("interval_seconds")) {
    const Json& interval = point["interval_seconds"];
    text += fmt::format(" &plusmn; {:.2g}", (interval[1].get<double>() - interval[0].get<double>()) / 2);
  }
  if (point.contains("report"))
    text = "<a href='" + html_text(short_text(point["report"])) + "'>" + text + "</a>";
  return text;
}

// The names of `key`'s values over all points or variations, in the order of their first occurrence.
void add_names(const Json& of, const char* key, std::vector<std::string>& names) {
  if (!of.contains(key)) return;
  for (const auto& [name, value] : of[key].items())
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

std::string named_cells(const Json& of, const char* key, const std::vector<std::string>& names) {
  std::string html;
  for (const std::string& name : names)
    html +=
        "<td>" +
        (of.contains(key) && of[key].contains(name) ? html_text(short_text(of[key][name])) : std::string()) +
        "</td>";
  return html;
}

}  // namespace

std::string run_table_as_html(const Json& study) {
  const std::vector<Json> parts =
      study.contains("variations") ? study["variations"].get<std::vector<Json>>() : std::vector<Json>{study};
  std::vector<std::string> of_target, swept;
  std::vector<Column> used;
  for (const Json& part : parts) {
    add_names(part, "values", of_target);
    for (const Json& point : part["points"]) add_names(point, "sweep", swept);
  }
  for (const Column& column : run_columns)
    if (std::any_of(parts.begin(), parts.end(), [&](const Json& part) {
          const Json& points = part["points"];
          return std::any_of(points.begin(), points.end(), [&](const Json& point) {
            return column.form == Form::seconds || point.contains(column.key);
          });
        }))
      used.push_back(column);
  std::string html = "<table class='runs'>\n<tr>";
  for (const auto* names : {&of_target, &swept})
    for (const std::string& name : *names) html += "<th>" + html_text(name) + "</th>";
  for (const Column& column : used)
    html += fmt::format("<th title='{}'>{}</th>", html_text(column.meaning), column.title);
  html += "</tr>\n";
  for (const Json& part : parts)
    for (const Json& point : part["points"]) {
      html += "<tr>" + named_cells(part, "values", of_target) + named_cells(point, "sweep", swept);
      for (const Column& column : used)
        html += "<td>" +
                (std::string(column.key) == "predicted_seconds" && point.contains("failure")
                     ? std::string("failed")
                     : cell(point, column)) +
                "</td>";
      html += "</tr>\n";
    }
  return html + "</table>\n";
}

}  // namespace emu::app
