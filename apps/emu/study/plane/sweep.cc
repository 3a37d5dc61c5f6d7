#include "study/plane/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "base/number.h"

namespace emu::app::studies {
namespace {

constexpr std::int64_t greatest = 1'000'000'000'000;  // of a range
constexpr std::size_t most_values = 10'000;           // of all names together

std::optional<double> number_in(const std::string& text) { return read_number<double>(text); }

// True for a text that begins with a number and has two dots.
bool is_range(const std::string& part) {
  const std::size_t at = part.starts_with('-') ? 1 : 0;
  return part.find("..") != std::string::npos && at < part.size() &&
         std::isdigit(static_cast<unsigned char>(part[at]));
}

struct Range {
  std::int64_t first = 0, last = 0, step = 1;
  bool factor = false;  // `step` is a factor
};

std::optional<Range> range_in(const std::string& part) {
  const auto dots = part.find(".."), sign = part.find_first_of(":*", dots);
  const auto first = read_number<std::int64_t>(part.substr(0, dots), -greatest, greatest);
  const auto last = read_number<std::int64_t>(
      part.substr(dots + 2, sign == std::string::npos ? sign : sign - dots - 2), -greatest, greatest);
  if (!first || !last) return {};
  Range range{*first, *last, 1, false};
  if (sign == std::string::npos) return range;
  range.factor = part[sign] == '*';
  const auto step = read_number<std::int64_t>(part.substr(sign + 1), 1, greatest);
  if (!step) return {};
  range.step = *step;
  return range;
}

Result<std::vector<std::string>> values_of_range(const std::string& name, const std::string& part) {
  const auto range = range_in(part);
  if (!range)
    return fail(
        fmt::format("invalid range of --sweep {}: {} (expected whole numbers FIRST..LAST, "
                    "FIRST..LAST:STEP or FIRST..LAST*FACTOR)",
                    name, part));
  if (range->first > range->last)
    return fail(fmt::format("empty range of --sweep {}: {} (expected a last number of {} or more)", name,
                            part, range->first));
  if (range->factor && range->step < 2)
    return fail(fmt::format("invalid factor of --sweep {}: {} (expected 2 or more)", name, range->step));
  if (range->factor && range->first < 1)
    return fail(fmt::format("invalid first number of --sweep {}: {} (expected 1 or more before a factor)",
                            name, range->first));
  std::vector<std::string> values;
  for (std::int64_t v = range->first; v <= range->last;
       v = range->factor ? v * range->step : v + range->step) {
    if (values.size() == most_values)
      return fail(fmt::format("invalid range of --sweep {}: {} (expected at most {} values)", name, part,
                              most_values));
    values.push_back(std::to_string(v));
  }
  return values;
}

Result<std::vector<std::string>> values_in(const std::string& name, const std::string& text) {
  if (text.empty()) return fail(fmt::format("--sweep {0}: no values (expected {0}=V1,V2,...)", name));
  std::vector<std::string> values;
  std::istringstream parts(text + ",");
  for (std::string part; std::getline(parts, part, ',');) {
    if (part.empty()) return fail(fmt::format("--sweep {}: a value is empty in \"{}\"", name, text));
    if (!is_range(part)) {
      values.push_back(part);
      continue;
    }
    const auto range = values_of_range(name, part);
    if (!range) return tl::unexpected(range.error());
    values.insert(values.end(), range->begin(), range->end());
  }
  return values;
}

Result<Sweep> parse_sweep(const std::string& option) {
  const auto equals = option.find('=');
  Sweep sweep{option.substr(0, equals), {}, false};
  if (equals == std::string::npos || sweep.name.empty())
    return fail("invalid --sweep: \"" + option + "\" (expected NAME=V1,V2,... such as T=1,2,4 or T=1..64*2)");
  if (!is_name(sweep.name))
    return fail("invalid name of --sweep: " + sweep.name +
                " (expected letters, digits and underscores, no digit first)");
  if (sweep.name == "P")
    return fail("invalid name of --sweep: P (expected another one; {P} is the number of ranks: --ranks)");
  auto values = values_in(sweep.name, option.substr(equals + 1));
  if (!values) return tl::unexpected(values.error());
  // Ranges may overlap.
  for (std::string& value : *values)
    if (std::find(sweep.values.begin(), sweep.values.end(), value) == sweep.values.end())
      sweep.values.push_back(std::move(value));
  sweep.numbers = std::all_of(sweep.values.begin(), sweep.values.end(),
                              [](const std::string& value) { return number_in(value).has_value(); });
  if (sweep.numbers)
    std::stable_sort(
        sweep.values.begin(), sweep.values.end(),
        [](const std::string& a, const std::string& b) { return *number_in(a) < *number_in(b); });
  return sweep;
}

}  // namespace

std::string Setting::label() const {
  std::string text;
  for (const auto& [name, value] : values) text += (text.empty() ? "" : " ") + name + "=" + value;
  return text;
}

Values values_of(const Setting& setting, int ranks) {
  Values values = setting.in_braces();
  values["P"] = std::to_string(ranks);
  return values;
}

Result<std::vector<Sweep>> parse_sweeps(const std::vector<std::string>& options) {
  std::vector<Sweep> sweeps;
  std::size_t settings = 1;
  for (const std::string& option : options) {
    auto sweep = parse_sweep(option);
    if (!sweep) return tl::unexpected(sweep.error());
    if (std::any_of(sweeps.begin(), sweeps.end(), [&](const Sweep& s) { return s.name == sweep->name; }))
      return fail("duplicate --sweep " + sweep->name);
    settings *= sweep->values.size();
    if (settings > most_values)
      return fail(
          fmt::format("--sweep: the names have {} or more combinations of values (expected at most {})",
                      settings, most_values));
    sweeps.push_back(std::move(*sweep));
  }
  return sweeps;
}

std::vector<Setting> settings_of(const std::vector<Sweep>& sweeps) {
  std::vector<Setting> result(1);
  for (const Sweep& sweep : sweeps) {
    std::vector<Setting> longer;
    for (const Setting& setting : result)
      for (const std::string& value : sweep.values) {
        longer.push_back(setting);
        longer.back().values.emplace_back(sweep.name, value);
      }
    result = std::move(longer);
  }
  return result;
}

Result<void> names_fit(const std::vector<Sweep>& sweeps, const std::vector<Sweep>& optional,
                       const std::vector<Program>& programs) {
  std::vector<std::string> names;
  for (const Program& program : programs)
    for (const std::string& word : program.arguments) {
      const std::vector<std::string> found = names_in_braces(word);
      names.insert(names.end(), found.begin(), found.end());
    }
  for (const std::string& name : names) {
    const auto known = [&](const Sweep& sweep) { return sweep.name == name; };
    if (name != "P" && std::none_of(sweeps.begin(), sweeps.end(), known) &&
        std::none_of(optional.begin(), optional.end(), known))
      return fail(fmt::format(
          "invalid name in the program's arguments: {{{0}}} (expected {{P}}, or --sweep {0}=..., or "
          "{{{{{0}}}}} for the word {{{0}}} itself)",
          name));
  }
  for (const Sweep& sweep : sweeps)
    if (std::find(names.begin(), names.end(), sweep.name) == names.end() &&
        environment_with_values({{sweep.name, ""}}).empty())
      return fail(
          fmt::format("--sweep {0}: {{{0}}} occurs neither in the program's arguments nor in the environment",
                      sweep.name));
  return {};
}

nlohmann::ordered_json value_json(const std::string& value) {
  if (const auto whole = read_number<std::int64_t>(value)) return *whole;
  if (const auto number = number_in(value)) return *number;
  return value;
}

}  // namespace emu::app::studies
