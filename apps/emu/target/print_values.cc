#include "target/print_values.h"

#include <fmt/format.h>

#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "base/units.h"
#include "target/print_table.h"

namespace emu::app {
namespace {

enum class Unit { second, second_per_byte, speed };

struct Value {
  std::string key;
  Unit unit;
  double value;
  std::optional<double> half = {};  // of its interval, in the same unit
};

double per_byte(Rate rate) { return static_cast<double>(rate.femtoseconds_per_byte()) / 1e15; }

void add(std::vector<Value>& values, const std::string& name, const model::Overhead& overhead) {
  values.push_back({name + ".fixed", Unit::second, overhead.fixed.seconds()});
  values.push_back({name + ".per_process", Unit::second, overhead.per_process.seconds()});
  values.push_back({name + ".per_byte", Unit::second_per_byte, per_byte(overhead.per_byte)});
}

// Those that may have an interval. The greatest interval of several groups' speeds counts for all of them.
std::vector<Value> values(const target::Target& t) {
  const model::Parameters& n = t.network;
  std::vector<Value> all = {{"host_speed", Unit::speed, t.host_speed},
                            {"network.latency", Unit::second, n.latency.seconds()},
                            {"network.gap", Unit::second, n.gap.seconds()},
                            {"network.gap_per_byte", Unit::second_per_byte, per_byte(n.gap_per_byte)}};
  add(all, "network.send", n.send);
  add(all, "network.receive", n.receive);
  all.push_back({"network.poll.fixed", Unit::second, n.poll.seconds()});
  if (t.storage.given) {
    all.push_back({"storage.latency", Unit::second, t.storage.latency.seconds()});
    all.push_back({"storage.bandwidth", Unit::second_per_byte, per_byte(t.storage.per_byte)});
  }
  for (const target::NodeGroup& group : t.nodes) all.push_back({"node.speed", Unit::speed, group.speed});
  for (Value& v : all)
    if (const auto known = t.uncertainties.find(v.key); known != t.uncertainties.end())
      v.half = v.unit == Unit::speed ? known->second * v.value : known->second;
  return all;
}

// A time below a picosecond is one per byte mostly.
std::string in_words(double value, Unit unit) {
  if (unit == Unit::speed) return fmt::format("{:.4g}", value);
  const char* const suffix = unit == Unit::second ? "" : "/B";
  if (value != 0 && value < 1e-9) return fmt::format("{:.4g} ps{}", value * 1e12, suffix);
  return format(Interval::seconds(value), 4) + suffix;
}

}  // namespace

void print_values(const target::Target& t) {
  std::vector<Row> rows = {{"value", "", "95 % interval"}};
  for (const Value& v : values(t))
    if (v.half)
      rows.push_back({v.key, in_words(v.value, v.unit),
                      "+- " + in_words(*v.half, v.unit) +
                          (v.value > 0 ? fmt::format(" ({:.3g} %)", 100 * *v.half / v.value) : "")});
  if (rows.size() == 1) return;
  std::cout << "\n";
  print(rows);
}

std::string to_json(const target::Target& t, const std::filesystem::path& file, int ranks) {
  nlohmann::ordered_json json = {
      {"name", t.name},
      {"file", file.string()},
      {"compute", t.compute == target::Compute::measured ? "measured" : "declared"},
      {"nodes", t.node_count()},
      {"slots", t.slots()},
      {"ranks", ranks},
      {"values", nlohmann::ordered_json::array()}};
  for (const Value& v : values(t)) {
    const char* const units[] = {"s", "s/B", ""};
    nlohmann::ordered_json one = {
        {"key", v.key}, {"value", v.value}, {"unit", units[static_cast<int>(v.unit)]}};
    if (v.half) one["half_width"] = *v.half;
    json["values"].push_back(std::move(one));
  }
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace emu::app
