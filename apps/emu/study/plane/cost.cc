#include "study/plane/cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/number.h"
#include "base/units.h"
#include "common/in_words.h"
#include "common/table.h"

namespace emu::app::studies {
namespace {

using Json = nlohmann::ordered_json;

// The knee has at least this fraction of the best speed.
constexpr double knee_share = 0.9;

// Energy of the nodes, by their ranks' activity; nothing if a node's power is unknown.
std::optional<double> joules_of(const Curve& curve, const Point& point,
                                const std::map<int, double>& busy_seconds) {
  const double seconds = point.seconds();
  double joules = 0;
  for (const auto& [node, busy] : busy_seconds) {
    const auto group = static_cast<std::size_t>(curve.target.group_of(node));
    if (group >= curve.power.size() || !curve.power[group]) return {};
    const target::Power& power = *curve.power[group];
    const double share = seconds > 0 ? busy / (curve.target.nodes[group].slots * seconds) : 0;
    joules += seconds * (power.idle + std::min(1.0, share) * (power.busy - power.idle));
  }
  return joules;
}

std::string words_of(const Study& study, const Priced& priced) {
  const std::string label = study.curves[priced.curve].setting.label();
  return fmt::format("{} on {}{}", counted(priced.point->ranks, "rank"), counted(priced.cost.nodes, "node"),
                     label.empty() ? "" : " with " + label);
}

// The cost that determines the knee: money if there is a price, or else node-seconds.
double knee_cost(const Cost& cost) { return cost.price.value_or(cost.node_seconds); }

template <class Of>
void keep_least(Priced& least, const Priced& other, Of value) {
  if (value(other.cost) && (!least.point || *value(other.cost) < *value(least.cost))) least = other;
}

Json priced_json(const Study& study, const Priced& priced) {
  Json json = {{"ranks", priced.point->ranks}, {"nodes", priced.cost.nodes}};
  for (const auto& [name, value] : study.curves[priced.curve].setting.values)
    json["sweep"][name] = value_json(value);
  json["predicted_seconds"] = priced.point->seconds();
  json["node_seconds"] = priced.cost.node_seconds;
  if (priced.cost.price) json["price"] = *priced.cost.price;
  if (priced.cost.joules) json["joules"] = *priced.cost.joules;
  return json;
}

}  // namespace

Result<double> parse_price(const std::string& text) {
  const auto slash = text.find('/');
  const std::string unit = slash == std::string::npos ? "" : text.substr(slash);
  const auto number = read_number<double>(text.substr(0, slash), 0, 1e12);
  if (!number || (unit != "/node/h" && unit != "/node/s"))
    return fail("invalid price: " + text + " (expected such as 2.5/node/h or 0.001/node/s)");
  return unit == "/node/h" ? *number : *number * 3600;
}

Cost cost_of(const Study& study, const Curve& curve, const Point& point) {
  std::map<int, double> busy;  // seconds of the ranks of each node
  const std::vector<int> nodes = curve.target.place(point.ranks);
  const std::vector<record::RankSummary>& ranks = point.typical().ranks;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank)
    busy[nodes[rank]] += ranks[rank].time.busy().seconds();
  Cost cost{.nodes = static_cast<int>(busy.size()), .price = {}, .joules = joules_of(curve, point, busy)};
  cost.node_seconds = cost.nodes * point.seconds();
  if (study.price) cost.price = cost.node_seconds / 3600 * *study.price;
  return cost;
}

bool with_costs(const Study& study) {
  const auto& power = study.curves.front().power;
  return !study.nodes.empty() || study.price ||
         std::any_of(power.begin(), power.end(), [](const auto& group) { return group.has_value(); });
}

std::optional<Costs> costs_of(const Study& study, std::size_t variation) {
  std::vector<Priced> all;
  for (std::size_t i = variation * study.settings(); i < (variation + 1) * study.settings(); ++i)
    for (const Point& point : study.curves[i].points)
      if (point.good()) all.push_back({i, &point, cost_of(study, study.curves[i], point)});
  if (all.empty()) return {};
  Costs costs;
  for (const Priced& each : all) {
    if (!costs.fastest.point || each.point->seconds() < costs.fastest.point->seconds()) costs.fastest = each;
    keep_least(costs.least_node_seconds, each, [](const Cost& c) { return std::optional(c.node_seconds); });
    keep_least(costs.least_price, each, [](const Cost& c) { return c.price; });
    keep_least(costs.least_joules, each, [](const Cost& c) { return c.joules; });
  }
  for (const Priced& each : all)
    if (each.point->seconds() * knee_share <= costs.fastest.point->seconds())
      keep_least(costs.knee, each, [](const Cost& c) { return std::optional(knee_cost(c)); });
  return costs;
}

std::string costs_table(const Study& study) {
  using enum Table::Align;
  std::vector<Table::Row> rows;
  std::vector<Cost> all;
  for (std::size_t variation = 0; variation < study.variations(); ++variation) {
    const auto costs = costs_of(study, variation);
    for (std::size_t i = variation * study.settings(); costs && i < (variation + 1) * study.settings(); ++i) {
      const Curve& curve = study.curves[i];
      for (const Point& point : curve.points) {
        if (!point.good()) continue;
        const Cost& cost = all.emplace_back(cost_of(study, curve, point));
        rows.push_back(
            {curve.label(), std::to_string(cost.nodes), std::to_string(point.ranks),
             fmt::format("{:.6g}", point.seconds()), fmt::format("{:.5g}", cost.node_seconds),
             fmt::format("{:.1f} %", 100 * costs->least_node_seconds.cost.node_seconds / cost.node_seconds)});
      }
    }
  }
  std::vector<Table::Column> columns{{"", left, 10, 0},           {"nodes", right, 6},
                                     {"ranks", right, 6},         {"predicted (s)", right, 14},
                                     {"node-seconds", right, 13}, {"efficiency", right, 11}};
  for (const auto& [title, value] : {std::pair("joules", &Cost::joules), std::pair("price", &Cost::price)}) {
    if (std::none_of(all.begin(), all.end(), [&](const Cost& cost) { return (cost.*value).has_value(); }))
      continue;
    columns.insert(columns.begin() + 5, {title, right, 10});
    for (std::size_t i = 0; i < rows.size(); ++i)
      rows[i].insert(rows[i].begin() + 5, all[i].*value ? fmt::format("{:.5g}", *(all[i].*value)) : "");
  }
  Table table(std::move(columns));
  for (Table::Row& row : rows) table.add(std::move(row));
  return table.text() + "\nefficiency   the least node-seconds of all, as a share of a point's own\n";
}

std::string costs_text(const Study& study, std::size_t variation) {
  const auto found = with_costs(study) ? costs_of(study, variation) : std::nullopt;
  if (!found) return "";
  const double best = found->fastest.point->seconds();
  const auto line = [&](const char* what, const std::string& value, const Priced& priced) {
    return fmt::format("  - {}: {}, {} ({} and {:.1f} % more time than the best)\n", what, value,
                       words_of(study, priced), in_time(priced.point->seconds()),
                       best > 0 ? 100 * (priced.point->seconds() / best - 1) : 0.0);
  };
  const double least = found->least_node_seconds.cost.node_seconds;
  std::string text = "What it costs:\n";
  text += fmt::format(
      "  - the best time: {}, {}; {:.5g} node-seconds{}, {:.0f} % of the efficiency of the most efficient\n",
      in_time(best), words_of(study, found->fastest), found->fastest.cost.node_seconds,
      found->fastest.cost.price ? fmt::format(", price {:.4g}", *found->fastest.cost.price) : "",
      found->fastest.cost.node_seconds > 0 ? 100 * least / found->fastest.cost.node_seconds : 100.0);
  text += line("the least node-seconds", fmt::format("{:.5g}", least), found->least_node_seconds);
  if (found->least_price.point)
    text +=
        line("the least price", fmt::format("{:.4g}", *found->least_price.cost.price), found->least_price);
  if (found->least_joules.point)
    text += line("the least energy", fmt::format("{:.5g} J", *found->least_joules.cost.joules),
                 found->least_joules);
  text += line("the knee, 90 % of the best speed at the least cost",
               found->knee.cost.price ? fmt::format("price {:.4g}", *found->knee.cost.price)
                                      : fmt::format("{:.5g} node-seconds", found->knee.cost.node_seconds),
               found->knee);
  return text;
}

void add_costs(Json& point, const Study& study, std::size_t curve, const Point& of,
               double least_node_seconds) {
  const Cost cost = cost_of(study, study.curves[curve], of);
  point["nodes"] = cost.nodes;
  point["node_seconds"] = cost.node_seconds;
  if (cost.price) point["price"] = *cost.price;
  if (cost.joules) point["joules"] = *cost.joules;
  point["node_efficiency"] = cost.node_seconds > 0 ? least_node_seconds / cost.node_seconds : 1;
}

void add_costs(Json& to, const Study& study, std::size_t variation) {
  const auto costs = costs_of(study, variation);
  if (!costs) return;
  to["least_node_seconds"] = priced_json(study, costs->least_node_seconds);
  if (costs->least_price.point) to["least_price"] = priced_json(study, costs->least_price);
  if (costs->least_joules.point) to["least_joules"] = priced_json(study, costs->least_joules);
  to["knee"] = priced_json(study, costs->knee);
}

}  // namespace emu::app::studies
