// Costs of the points of a study: time on nodes, money, energy.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "study/study.h"

namespace emu::app::studies {

// "2.5/node/h", "0.001/node/s": as the price of a node for an hour.
Result<double> parse_price(const std::string& text);

struct Cost {
  int nodes = 0;                 // number of nodes with a rank
  double node_seconds = 0;       // their number times the predicted time
  std::optional<double> price;   // of these node-seconds, with --price
  std::optional<double> joules;  // if the target has node.watts for all of them
};
Cost cost_of(const Study& study, const Curve& curve, const Point& point);

// True if costs are reported: with --grid or --price, or if the target has node.watts.
bool with_costs(const Study& study);

// Successful points of a variation: the points with the least costs, and the knee, the cheapest point whose time
// exceeds the best time by at most a ninth (90 % of the best speed). A pointer is null if there is no such cost.
struct Priced {
  std::size_t curve = 0;
  const Point* point = nullptr;
  Cost cost;
};
struct Costs {
  Priced fastest, least_node_seconds, least_price, least_joules, knee;
};
std::optional<Costs> costs_of(const Study& study, std::size_t variation);

// For users and tools. `efficiency` of a point: the least node-seconds of all points, divided by its own.
std::string costs_table(const Study& study);
std::string costs_text(const Study& study, std::size_t variation);
void add_costs(nlohmann::ordered_json& point, const Study& study, std::size_t curve, const Point& of,
               double least_node_seconds);
void add_costs(nlohmann::ordered_json& to, const Study& study, std::size_t variation);

}  // namespace emu::app::studies
