#include "target/keys.h"

#include <algorithm>
#include <array>

namespace emu::target {
namespace {

using Path = record::Path;

constexpr std::optional<std::int64_t> required = {};
constexpr double picoseconds = 1e12;  // in a second

constexpr auto table = std::to_array<Key>({
    {"host_speed", Unit::speed, nullptr, nullptr, 0,
     [](const Path& p, double) { return p.work / picoseconds; }},
    {"network.latency", Unit::second, [](Target& t) { return &t.network.latency; }, nullptr, required,
     [](const Path& p, double) { return p.latencies; }},
    {"network.gap", Unit::second, [](Target& t) { return &t.network.gap; }, nullptr, 0,
     [](const Path& p, double) { return p.gaps; }},
    {"network.gap_per_byte", Unit::second_per_byte, nullptr,
     [](Target& t) { return &t.network.gap_per_byte; }, required,
     [](const Path& p, double) { return p.gap_bytes; }},
    {"network.reduce_per_byte", Unit::second_per_byte, nullptr,
     [](Target& t) { return &t.network.reduce_per_byte; }, 0,
     [](const Path& p, double) { return p.reduced_bytes; }},
    {"network.copy_per_byte", Unit::second_per_byte, nullptr,
     [](Target& t) { return &t.network.copy_per_byte; }, 0,
     [](const Path& p, double) { return p.copied_bytes; }},
    {"network.temporary_per_byte", Unit::second_per_byte, nullptr,
     [](Target& t) { return &t.network.temporary_per_byte; }, 0,
     [](const Path& p, double) { return p.temporary_bytes; }},
    {"network.send.fixed", Unit::second, [](Target& t) { return &t.network.send.fixed; }, nullptr, required,
     [](const Path& p, double) { return p.sends; }},
    {"network.send.per_process", Unit::second, [](Target& t) { return &t.network.send.per_process; }, nullptr,
     0, [](const Path& p, double ranks) { return p.sends * ranks; }},
    {"network.send.per_byte", Unit::second_per_byte, nullptr,
     [](Target& t) { return &t.network.send.per_byte; }, 0,
     [](const Path& p, double) { return p.sent_bytes; }},
    {"network.receive.fixed", Unit::second, [](Target& t) { return &t.network.receive.fixed; }, nullptr,
     required, [](const Path& p, double) { return p.receives; }},
    {"network.receive.per_process", Unit::second, [](Target& t) { return &t.network.receive.per_process; },
     nullptr, 0, [](const Path& p, double ranks) { return p.receives * ranks; }},
    {"network.receive.per_byte", Unit::second_per_byte, nullptr,
     [](Target& t) { return &t.network.receive.per_byte; }, 0,
     [](const Path& p, double) { return p.received_bytes; }},
    {"network.poll.fixed", Unit::second, [](Target& t) { return &t.network.poll; }, nullptr, 1'000'000,
     [](const Path& p, double) { return p.polls; }},
    {"storage.latency", Unit::second, [](Target& t) { return &t.storage.latency; }, nullptr, required,
     [](const Path& p, double) { return p.accesses; }},
    {"storage.bandwidth", Unit::second_per_byte, nullptr, [](Target& t) { return &t.storage.per_byte; },
     required, [](const Path& p, double) { return p.accessed_bytes; }},
    {"node.speed", Unit::speed, nullptr, nullptr, 0,
     [](const Path& p, double) { return 0 - p.work / picoseconds; }},
});

}  // namespace

std::span<const Key> keys() { return table; }

const Key* find_key(std::string_view name) {
  std::string plain(name);
  constexpr std::string_view piece = "network.piece.";
  if (plain.starts_with(piece)) plain.replace(0, piece.size(), "network.");
  const auto* const found =
      std::find_if(table.begin(), table.end(), [&](const Key& key) { return key.name == plain; });
  return found == table.end() ? nullptr : found;
}

std::vector<double> values(const Target& target, const Key& key) {
  auto& t = const_cast<Target&>(target);  // `time` and `rate` only return the location of the value
  if (key.time) return {key.time(t)->seconds()};
  if (key.rate) return {static_cast<double>(key.rate(t)->femtoseconds_per_byte()) / 1e15};
  if (key.name == "host_speed") return {target.host_speed};
  std::vector<double> speeds;
  for (const NodeGroup& group : target.nodes) speeds.push_back(group.speed);
  return speeds;
}

}  // namespace emu::target
