#include "study/plane/grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "program/rank_numbers.h"

namespace emu::app::studies {
namespace {

std::optional<std::string> value_of(const Setting& setting, const std::string& name) {
  for (const auto& [known, value] : setting.values)
    if (known == name) return value;
  return {};
}

Sweep as_sweep(const std::string& name, const std::vector<int>& numbers) {
  Sweep sweep{name, {}, true};
  for (const int number : numbers) sweep.values.push_back(std::to_string(number));
  return sweep;
}

}  // namespace

std::vector<Sweep> Grid::sweeps() const {
  std::vector<Sweep> result{as_sweep("slots", slots)};
  if (!threads.empty()) result.push_back(as_sweep("threads", threads));
  return result;
}

Result<Grid> parse_grid(const std::string& text) {
  Grid grid;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const auto equals = word.find('=');
    const std::string name = word.substr(0, equals);
    std::vector<int>* const to = name == "nodes"     ? &grid.nodes
                                 : name == "slots"   ? &grid.slots
                                 : name == "threads" ? &grid.threads
                                                     : nullptr;
    if (!to || equals == std::string::npos)
      return fail("invalid part of --grid: " + word +
                  " (expected nodes=..., slots=... or threads=..., such as nodes=1..8)");
    if (!to->empty()) return fail("duplicate --grid " + name);
    auto values = parse_numbers("--grid " + name, word.substr(equals + 1), 1);
    if (!values) return tl::unexpected(values.error());
    *to = std::move(*values);
  }
  if (grid.nodes.empty())
    return fail("--grid: the numbers of nodes are missing (expected such as nodes=1..8 slots=1,2,4)");
  if (grid.slots.empty()) grid.slots = {1};
  return grid;
}

int slots_of(const Setting& setting) { return std::stoi(value_of(setting, "slots").value_or("1")); }

Variation placed(const Variation& variation, const Setting& setting) {
  Variation result = variation;
  result.values.emplace_back("node.slots", std::to_string(slots_of(setting)));
  result.values.emplace_back("placement.policy", "block");
  if (const auto threads = value_of(setting, "threads")) result.values.emplace_back("node.cores", *threads);
  return result;
}

std::map<std::string, std::string> environment_of(const Setting& setting, bool in_grid) {
  std::map<std::string, std::string> variables = environment_with_values(setting.in_braces());
  if (const auto threads = in_grid ? value_of(setting, "threads") : std::nullopt)
    variables["OMP_NUM_THREADS"] = *threads;
  return variables;
}

}  // namespace emu::app::studies
