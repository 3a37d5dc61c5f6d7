#include "common/resources.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/units.h"
#include "common/table.h"

namespace emu::app {

std::string resource_name(const record::RunSummary& run, std::int32_t number) {
  for (const record::ResourceUse& use : run.resources)
    if (use.number == number) return use.name;
  return "resource " + std::to_string(number);
}

std::vector<const record::ResourceUse*> busiest(const record::RunSummary& run, std::size_t most) {
  std::vector<const record::ResourceUse*> uses;
  for (const record::ResourceUse& use : run.resources) uses.push_back(&use);
  std::stable_sort(uses.begin(), uses.end(), [](const auto* a, const auto* b) {
    return a->busy != b->busy ? a->busy > b->busy : a->bytes > b->bytes;
  });
  uses.resize(std::min(most, uses.size()));
  return uses;
}

nlohmann::ordered_json resource_json(const record::ResourceUse& use) {
  nlohmann::ordered_json json = {{"name", use.name},
                                 {"bytes", use.bytes},
                                 {"messages", use.messages},
                                 {"busy_seconds", use.busy.seconds()}};
  if (use.longest > 0) json["most_messages_at_once"] = use.longest;
  if (use.most_by >= 0) json["most_bytes_from_rank"] = use.most_by;
  return json;
}

std::string resource_table(const record::RunSummary& run) {
  if (run.resources.empty()) return "";
  constexpr std::size_t shown = 8, longest_name = 30;
  const double end = std::max(1e-12, run.predicted().seconds());
  using enum Table::Align;
  Table table({{"card, memory or link", left, longest_name, 0},
               {"bytes", right, 14},
               {"messages", right, 10},
               {"busy", right, 12},
               {"of the time", right, 12},
               {"most at once", right, 13},
               {"mostly from", right, 12}});
  for (const record::ResourceUse* use : busiest(run, shown))
    table.add({use->name.substr(0, longest_name), std::to_string(use->bytes), std::to_string(use->messages),
               format(use->busy, 4), fmt::format("{:.1f} %", 100 * use->busy.seconds() / end),
               use->longest > 0 ? std::to_string(use->longest) : "-",
               use->most_by >= 0 ? "rank " + std::to_string(use->most_by) : "-"});
  return "\n" + table.text() +
         (run.resources.size() > shown
              ? "... and " + counted(static_cast<std::int64_t>(run.resources.size() - shown), "other") +
                    "; the JSON has them all\n"
              : "");
}

}  // namespace emu::app
