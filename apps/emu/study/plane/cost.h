// Costs of the points of a study: time on nodes, money, energy.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "study/report.h"

namespace emu::app::studies {

// "2.5/node/h", "0.001/node/s": as a price of a node for an hour.
Result<double> parse_price(const std::string& text);

struct Cost {
  int nodes = 0;                 // that have a rank
  double node_seconds = 0;       // their number times the predicted time
  std::optional<double> price;   // for that, where --price is given
  std::optional<double> joules;  // where the target has node.watts for all of them
};
Cost cost_of(const Study& study, const Curve& curve, const Point& point);

// Whether costs are told: with --grid or --price, or where the target has node.watts.
bool with_costs(const Study& study);

// Of all good points of a variation: those that cost least, and the knee, the cheapest of those that take no longer than the best time
// by more than a ninth, which has 90 % of its speed. Pointers are null if there is no such cost.
struct Priced {
  std::size_t curve = 0;
  const Point* point = nullptr;
  Cost cost;
};
struct Costs {
  Priced fastest, least_node_seconds, least_price, least_joules, knee;
};
std::optional<Costs> costs_of(const Study& study, std::size_t variation);

// For people and tools. `efficiency` of a point: the least node-seconds of all, over its own.
std::string costs_table(const Study& study);
std::string costs_text(const Study& study, std::size_t variation);
void add_costs(nlohmann::ordered_json& point, const Study& study, std::size_t curve, const Point& of,
               double least_node_seconds);
void add_costs(nlohmann::ordered_json& to, const Study& study, std::size_t variation);

}  // namespace emu::app::studies
