#include "target/print_values.h"

#include <fmt/format.h>

#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "base/units.h"
#include "target/keys.h"
#include "target/print_table.h"

namespace emu::app {
namespace {

using target::Unit;

struct Value {
  std::string key;
  Unit unit;
  double value;
  std::optional<double> half = {};  // of its interval, in the same unit
};

// The greatest interval of several groups' speeds applies to all of them.
std::vector<Value> values(const target::Target& t) {
  std::vector<Value> all;
  for (const target::Key& key : target::keys()) {
    if (key.table() == "storage" && !t.storage.given) continue;
    for (const double value : target::values(t, key)) all.push_back({std::string(key.name), key.unit, value});
  }
  for (Value& v : all)
    if (const auto known = t.uncertainties.find(v.key); known != t.uncertainties.end())
      v.half = v.unit == Unit::speed ? known->second * v.value : known->second;
  return all;
}

// A time below a picosecond is usually a time per byte.
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
