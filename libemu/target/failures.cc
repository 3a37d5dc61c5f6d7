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

void read(const Event& event, const Target& target, std::map<int, std::vector<StateChange>>& changes) {
  const Table& t = event.table;
  const bool fails = event.kind == EventKind::fail;
  const std::vector<int> nodes = select_nodes(t, "node", target);
  const Instant at = t.instant("at");
  std::optional<Instant> until;
  if (t.has("until")) until = t.instant("until");
  if (until && !fails)
    t.wrong("until", "not a key of kind = \"recover\" (expected an event of kind \"fail\")");
  if (until && *until <= at)
    t.wrong("until", "too early (expected after the event begins, " + format(at - Instant::start(), 9) + ")");
  for (int node : nodes) {
    changes[node].push_back({at, fails, &event});
    if (until && fails && *until > at) changes[node].push_back({*until, false, &event});
  }
}

// The node's outages; reports contradictions.
model::Outages outages(int node, std::vector<StateChange> changes) {
  std::stable_sort(changes.begin(), changes.end(), [](const StateChange& a, const StateChange& b) {
    return a.at != b.at ? a.at < b.at : !a.fails && b.fails;  // a node may recover and fail at one instant
  });
  std::vector<model::Outage> list;
  std::size_t down_by = 0;  // number of the event
  const auto down = [&] { return !list.empty() && list.back().for_good(); };
  const auto name = [&](Instant at) {
    return "node " + std::to_string(node) + " is " + (down() ? "" : "not ") + "down at " +
           format(at - Instant::start(), 9);
  };
  for (const StateChange& change : changes) {
    const Table& t = change.event->table;
    if (change.fails && down()) {
      t.wrong("kind", name(change.at) + " already, by event " + std::to_string(down_by) + " of the file");
    } else if (change.fails) {
      if (!list.empty() && list.back().until == change.at)
        list.back().until = Instant::never();
      else
        list.push_back({change.at, Instant::never()});
      down_by = change.event->number;
    } else if (!down()) {
      t.wrong("kind", name(change.at) + " (expected an event of kind \"fail\" before)");
    } else if (change.at > list.back().from) {
      list.back().until = change.at;
    } else {
      list.pop_back();
    }
  }
  return model::Outages(std::move(list));
}

}  // namespace

void read_failures(const std::vector<Event>& events, Target& target) {
  std::map<int, std::vector<StateChange>> changes;
  for (const Event& event : events)
    if (event.kind == EventKind::fail || event.kind == EventKind::recover) read(event, target, changes);
  for (const auto& [node, list] : changes) {
    model::Outages o = outages(node, list);
    std::vector<model::Windows::Window> windows;
    for (const model::Outage& outage : o.list()) windows.push_back({outage.from, outage.until, 0});
    target.speeds.try_emplace(node, target.undivided_speed(node))
        .first->second.change(std::make_shared<model::Windows>(std::move(windows)));
    target.outages[node] = std::move(o);
  }
}

}  // namespace emu::target
