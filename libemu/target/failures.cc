#include "target/failures.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>

#include "base/units.h"
#include "target/selection.h"

namespace emu::target {
namespace {

// One node goes down or comes up.
struct StateChange {
  Instant at;
  bool fails;
  const Event* event;
};

void read(const Event& event, const Target& target, std::map<int, std::vector<StateChange>>& turns) {
  const Table& t = event.table;
  const bool fails = event.kind == EventKind::fail;
  const std::vector<int> nodes = select_nodes(t, "node", target);
  const Instant at = t.instant("at");
  std::optional<Instant> until;
  if (t.has("until")) until = t.instant("until");
  if (until && !fails)
    t.wrong("until", "is nothing that a node recovers with; it fails again by an event of kind \"fail\"");
  if (until && *until <= at)
    t.wrong("until", "is not after the event begins, " + format(at - Instant::start(), 9));
  for (int node : nodes) {
    turns[node].push_back({at, fails, &event});
    if (until && fails && *until > at) turns[node].push_back({*until, false, &event});
  }
}

// The node's outages; reports contradictions.
model::Outages outages(int node, std::vector<StateChange> turns) {
  std::stable_sort(turns.begin(), turns.end(), [](const StateChange& a, const StateChange& b) {
    return a.at != b.at ? a.at < b.at : !a.fails && b.fails;  // a node may recover and fail at one instant
  });
  std::vector<model::Outage> list;
  std::size_t down_by = 0;  // number of the event
  const auto down = [&] { return !list.empty() && list.back().for_good(); };
  const auto name = [&](Instant at) {
    return "node " + std::to_string(node) + " is " + (down() ? "" : "not ") + "down at " +
           format(at - Instant::start(), 9);
  };
  for (const StateChange& turn : turns) {
    const Table& t = turn.event->table;
    if (turn.fails && down()) {
      t.wrong("kind", name(turn.at) + " already, by event " + std::to_string(down_by) + " of the file");
    } else if (turn.fails) {
      if (!list.empty() && list.back().until == turn.at)
        list.back().until = Instant::never();
      else
        list.push_back({turn.at, Instant::never()});
      down_by = turn.event->number;
    } else if (!down()) {
      t.wrong("kind", name(turn.at) + ", so it cannot recover; let an event of kind \"fail\" come before");
    } else if (turn.at > list.back().from) {
      list.back().until = turn.at;
    } else {
      list.pop_back();
    }
  }
  return model::Outages(std::move(list));
}

}  // namespace

void read_failures(const std::vector<Event>& events, Target& target) {
  std::map<int, std::vector<StateChange>> turns;
  for (const Event& event : events)
    if (event.kind == EventKind::fail || event.kind == EventKind::recover) read(event, target, turns);
  for (const auto& [node, list] : turns) {
    model::Outages o = outages(node, list);
    std::vector<model::Windows::Window> windows;
    for (const model::Outage& outage : o.list()) windows.push_back({outage.from, outage.until, 0});
    target.speeds.try_emplace(node, target.undivided_speed(node))
        .first->second.change(std::make_shared<model::Windows>(std::move(windows)));
    target.outages[node] = std::move(o);
  }
}

}  // namespace emu::target
