#include "target/power.h"

namespace emu::target {

void check_power(const Table& group) {
  const auto t = group.table("watts", {"idle", "busy"}, false);
  if (!t) return;
  for (const char* key : {"idle", "busy"})
    if (!t->has(key)) t->missing(key, std::string(key) + " = 250");
  const double idle = t->positive("idle", 1), busy = t->positive("busy", 1e6);
  if (busy < idle) t->wrong("busy", "invalid number: less than idle (expected idle or more)");
}

std::vector<std::optional<Power>> powers(const std::string& text) {
  std::vector<std::optional<Power>> result;
  const toml::table root = toml::parse(text);
  const toml::array* const groups = root.get_as<toml::array>("node");
  if (!groups) return result;
  for (const toml::node& group : *groups) {
    const auto watts = toml::node_view(group)["watts"];
    const auto idle = watts["idle"].value<double>(), busy = watts["busy"].value<double>();
    result.push_back(idle && busy ? std::optional(Power{*idle, *busy}) : std::nullopt);
  }
  return result;
}

}  // namespace emu::target
