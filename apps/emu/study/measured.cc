#include "study/measured.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/cells.h"
#include "base/number.h"
#include "base/units.h"
#include "common/output.h"
#include "prediction/uncertainty.h"
#include "target/keys.h"

namespace emu::app::studies {
namespace {

constexpr double close_enough = 0.05;   // median error below which nothing needs an explanation
constexpr double enough_to_name = 0.5;  // fraction from which on a value is named

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

// For the points that were measured and predicted: the missing time, and the
// change of the prediction with the value, both relative to the measured time.
struct Shape {
  std::vector<double> missing, moved;
};

// A speed counts by its relative change; other values of the target as they are.
Suspect suspect(const target::Key& key, double value, const Shape& shape) {
  double product = 0, square = 0, all = 0;
  for (std::size_t i = 0; i < shape.missing.size(); ++i) {
    product += shape.missing[i] * shape.moved[i];
    square += shape.moved[i] * shape.moved[i];
    all += shape.missing[i] * shape.missing[i];
  }
  Suspect found{std::string(key.name), value, value, 0};
  if (square <= 0 || all <= 0) return found;
  double change = product / square;
  if (key.unit == target::Unit::speed) {
    // Work takes longer by this fraction: the speed is divided by it.
    change = std::min(change, 0.99);
    found.other = value / (1 - change);
  } else {
    change = std::max(change, -value);
    found.other = value + change;
  }
  double left = 0;
  for (std::size_t i = 0; i < shape.missing.size(); ++i)
    left += std::pow(shape.missing[i] - change * shape.moved[i], 2);
  found.explains = 1 - left / all;
  return found;
}

std::vector<Suspect> suspects(const Curve& curve, const Comparison& comparison) {
  std::vector<Suspect> found;
  for (const target::Key& key : target::keys()) {
    if (key.name == "host_speed") continue;  // equivalent to node.speed
    const std::vector<double> values = target::values(curve.target, key);
    if (values.empty()) continue;
    Shape shape;
    for (const Comparison::Row& row : comparison.rows) {
      const record::RunSummary& run = curve.at(row.ranks)->typical();
      for (const Derivative& derivative : derivatives(run))
        if (derivative.key == key.name) shape.moved.push_back(derivative.value / row.measured);
      shape.missing.push_back((row.measured - row.predicted) / row.measured);
    }
    const Suspect one = suspect(key, values.front(), shape);
    if (one.explains > 0) found.push_back(one);
  }
  std::stable_sort(found.begin(), found.end());
  std::erase_if(found, [&](const Suspect& s) { return s.explains < found.front().explains / 2; });
  return found;
}

std::string amount(const std::string& key, double value) {
  const target::Key* const known = target::find_key(key);
  if (known && known->unit == target::Unit::speed) return fmt::format("{:.3g}", value);
  const char* const per = known && known->unit == target::Unit::second_per_byte ? "/B" : "";
  for (const auto& [unit, seconds] :
       {std::pair("s", 1.0), std::pair("ms", 1e-3), std::pair("us", 1e-6), std::pair("ns", 1e-9)})
    if (std::abs(value) >= seconds) return fmt::format("{:.3g} {}{}", value / seconds, unit, per);
  return fmt::format("{:.3g} ps{}", value / 1e-12, per);
}

// The part of the model to which a key belongs.
std::string part_of_model(const std::string& key) {
  if (key == "node.speed") return "a constant factor of all work: the speed";
  if (key.ends_with("per_process"))
    return "a cost that grows with the number of ranks: overhead for each process, or contention";
  if (key.ends_with("per_byte") || key.ends_with("bandwidth"))
    return "a cost that grows with the size of messages: the rate, or pieces by size";
  if (key == "network.latency") return "a cost of each message on its way: the latency";
  return "a cost of each message or call";
}

}  // namespace

Result<MeasuredTimes> read_measured(const std::string& path) {
  if (const auto readable = can_read({"--measured", path}); !readable)
    return tl::unexpected(readable.error());
  std::ifstream in(path);
  if (!in) return fail("--measured: " + path + " cannot be read: " + std::strerror(errno));
  std::map<int, std::vector<double>> all;
  std::size_t columns = 0;  // 0: the titles are missing yet
  char between = ',';
  int number = 0;
  for (std::string text; std::getline(in, text);) {
    ++number;
    const std::string line(without_mark(text.substr(0, text.find_last_not_of(" \t\r") + 1)));
    if (line.empty() || line.starts_with('#')) continue;
    if (columns == 0) {
      between = separator(line);
      const auto titles = cells(line, between);
      if (titles.size() < 2 || titles[0] != "ranks" || titles[1] != "seconds")
        return fail(fmt::format("--measured: {}:{}: expected the line ranks,seconds", path, number));
      columns = titles.size();
      continue;
    }
    // A row with more cells than titles is refused: "4,1,5" may have a decimal comma.
    const auto values = cells(line, between);
    const auto ranks = read_number(values[0], 1, std::numeric_limits<int>::max());
    const auto seconds = values.size() > 1 && values.size() <= columns
                             ? read_number(values[1], std::numeric_limits<double>::min())
                             : std::nullopt;
    if (!ranks || !seconds)
      return fail(fmt::format(
          "--measured: {}:{}: invalid time: '{}' (expected a number of ranks from 1 and seconds above 0)",
          path, number, line));
    all[*ranks].push_back(*seconds);
  }
  if (columns == 0) return fail("--measured: " + path + ":1: expected the line ranks,seconds");
  if (all.empty()) return fail("--measured: " + path + " has no times");
  MeasuredTimes result;
  for (const auto& [ranks, seconds] : all) result[ranks] = median(seconds);
  return result;
}

std::optional<Comparison> compare(const Curve& curve, const MeasuredTimes& measured) {
  Comparison result;
  std::vector<double> errors;
  for (const auto& [ranks, seconds] : measured) {
    const Point* const point = curve.at(ranks);
    if (!point || !point->good()) {
      result.not_run.push_back(ranks);
      continue;
    }
    result.rows.push_back({ranks, seconds, point->seconds()});
    errors.push_back(std::abs(result.rows.back().error()));
  }
  if (errors.empty()) return {};
  result.median_error = median(errors);
  result.suspects = suspects(curve, result);
  return result;
}

std::string in_words(const Comparison& comparison) {
  std::string text = "Measured beside predicted:\n";
  text += fmt::format("{:>8} {:>12} {:>12} {:>8}\n", "ranks", "measured", "predicted", "error");
  for (const Comparison::Row& row : comparison.rows)
    text += fmt::format("{:>8} {:>12} {:>12} {:>+7.1f} %\n", row.ranks, amount("", row.measured),
                        amount("", row.predicted), 100 * row.error());
  text += fmt::format("The median error is {:.1f} %.", 100 * comparison.median_error);
  if (!comparison.not_run.empty()) {
    text += " Measured, but not predicted:";
    for (const int ranks : comparison.not_run) text += " " + std::to_string(ranks);
    text += " ranks.";
  }
  text += '\n';
  if (comparison.median_error < close_enough) return text;
  if (comparison.suspects.empty() || comparison.suspects.front().explains < enough_to_name)
    return text + "No single value of the target explains the difference.\n";
  for (const Suspect& s : comparison.suspects)
    text += fmt::format("{} {}: {} {} in place of {} would explain {:.0f} % of it.\n",
                        &s == comparison.suspects.data() ? "The difference looks like" : "Or like",
                        part_of_model(s.key), s.key, amount(s.key, s.other), amount(s.key, s.value),
                        100 * s.explains);
  if (comparison.rows.size() == 1) text += "With one measured number of ranks every value explains it.\n";
  return text;
}

nlohmann::ordered_json to_json(const Comparison& comparison) {
  nlohmann::ordered_json json = {{"median_error", comparison.median_error}};
  json["points"] = nlohmann::ordered_json::array();
  for (const Comparison::Row& row : comparison.rows)
    json["points"].push_back({{"ranks", row.ranks},
                              {"measured_seconds", row.measured},
                              {"predicted_seconds", row.predicted},
                              {"error", row.error()}});
  if (!comparison.not_run.empty()) json["not_predicted_ranks"] = comparison.not_run;
  json["looks_like"] = nlohmann::ordered_json::array();
  for (const Suspect& s : comparison.suspects)
    json["looks_like"].push_back(
        {{"key", s.key}, {"value", s.value}, {"would_be", s.other}, {"explains", s.explains}});
  return json;
}

}  // namespace emu::app::studies
