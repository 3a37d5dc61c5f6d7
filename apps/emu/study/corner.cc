#include "study/corner.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <iterator>
#include <sstream>

#include "base/printable.h"
#include "base/units.h"
#include "base/with_interval.h"

namespace emu::app::studies {
namespace {

bool beyond(int ranks, int optimum, bool more) { return more ? ranks > optimum : ranks < optimum; }

// Finds "network.send.fixed" by the table of its first part, recursively.
toml::node* find(toml::table& table, const std::string& key) {
  const auto dot = key.find('.');
  toml::node* node = table.get(key.substr(0, dot));
  if (!node || dot == std::string::npos) return node;
  return node->as_table() ? find(*node->as_table(), key.substr(dot + 1)) : nullptr;
}

std::string in_picoseconds(double picoseconds) { return fmt::format("{:.3f}ps", std::max(0.0, picoseconds)); }

// A time, or a time per byte, in the file's format, increased by `seconds`.
std::string longer(const std::string& text, double seconds) {
  const std::string_view value = split_interval(text).value;
  if (const auto time = parse_interval(value)) return in_picoseconds((time->seconds() + seconds) * 1e12);
  const auto rate = parse_time_per_byte(value);
  return rate ? in_picoseconds(static_cast<double>(rate->femtoseconds_per_byte()) / 1e3 + seconds * 1e12)
              : text;
}

void move_time(toml::table& table, const std::string& key, double seconds) {
  toml::node* node = find(table, key);
  if (toml::value<std::string>* text = node ? node->as_string() : nullptr)
    *text = longer(text->get(), seconds);
}

void move_speed(toml::table& table, const std::string& key, double share) {
  const toml::node* node = table.get(key);
  double speed = 1;
  if (node && node->is_number()) speed = *node->value<double>();
  if (node && node->is_string())
    speed = parse_number(split_interval(*node->value<std::string>()).value).value_or(1);
  table.insert_or_assign(key, std::clamp(speed * (1 + share), 1e-6, 1e6));
}

void for_all(toml::table& root, const std::string& key, const auto& what) {
  toml::array* const tables = root.get_as<toml::array>(key);
  if (!tables) return;
  for (toml::node& node : *tables)
    if (toml::table* table = node.as_table()) what(*table);
}

}  // namespace

std::optional<Direction> direction(const Curve& curve, bool more) {
  const auto best = optimum(curve);
  if (!best) return {};
  std::optional<Direction> result;
  double least = 0;
  for (const Point& point : curve.points) {
    if (!point.good() || !beyond(point.ranks, best->point->ranks, more)) continue;
    const Uncertainty off =
        uncertainty_of_difference(point.typical(), best->point->typical(), curve.target.uncertainties);
    const double behind = point.seconds() - best->point->seconds() - off.worst;
    if (off.parts.empty() || (result && behind >= least)) continue;
    least = behind;
    result = Direction{turned({}, point, *best->point, curve.target.uncertainties), point.ranks};
  }
  return result;
}

Ends turned(const Ends& ends, const Point& there, const Point& optimum, const Uncertainties& intervals) {
  Ends result = ends;
  for (const auto& [key, part] :
       uncertainty_of_difference(there.typical(), optimum.typical(), intervals).parts)
    result[key] = (part > 0 ? -1 : 1) * intervals.at(key);
  return result;
}

Ends of_a_master(const Uncertainties& intervals, bool more) {
  Ends ends;
  for (const auto& [key, half_width] : intervals) {
    const bool wait = key == "network.latency", speed = key == "host_speed" || key == "node.speed";
    ends[key] = (wait == more && !speed) || (speed && !more) ? half_width : -half_width;
  }
  return ends;
}

Result<std::string> moved(const Ends& ends, const std::string& text, const std::string& origin) {
  toml::table root;
  try {
    root = toml::parse(text, origin);
  } catch (const toml::parse_error& error) {
    return fail(origin + ": invalid TOML: " + printable(std::string(error.description())));
  }
  for (const auto& [key, by] : ends) {
    if (key == "host_speed") {
      move_speed(root, key, by);
    } else if (key == "node.speed") {
      for_all(root, "node", [&](toml::table& group) { move_speed(group, "speed", by); });
    } else {
      move_time(root, key, by);
      constexpr std::string_view network = "network.";
      if (key.starts_with(network))
        for_all(root, "link", [&](toml::table& link) { move_time(link, key.substr(network.size()), by); });
    }
  }
  std::ostringstream out;
  out << root << '\n';
  return out.str();
}

std::vector<int> next_of_corner(const Curve& curve, const Corner& corner, const std::vector<int>& ranks,
                                bool search) {
  const Known known = corner.known();
  const auto best = optimum(curve);
  if (!best) return {};
  const int from = best->point->ranks;
  std::vector<int> all, next;  // numbers that ran, from the optimum on
  for (const Point& point : curve.points)
    if (point.good() && !beyond(point.ranks, from, !corner.more)) all.push_back(point.ranks);
  if (!corner.more) std::reverse(all.begin(), all.end());
  std::copy_if(all.begin(), all.end(), std::back_inserter(next), [&](int p) { return !known.contains(p); });
  if (!next.empty() || !search || known.size() >= all.size() + most_between) return next;
  std::vector<int> side;
  for (const int p : ranks)
    if (!beyond(p, from, !corner.more)) side.push_back(p);
  if (const auto beside = next_beside(side, known)) next.push_back(*beside);
  return next;
}

}  // namespace emu::app::studies
