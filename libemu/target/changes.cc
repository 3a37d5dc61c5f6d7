#include "target/changes.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "base/units.h"
#include "target/availability.h"
#include "target/events.h"
#include "target/failures.h"
#include "target/network/link_events.h"
#include "target/selection.h"

namespace emu::target {
namespace {

using Window = model::Windows::Window;

void change_speed(Target& target, int node, std::shared_ptr<const model::Factor> factor) {
  target.speeds.try_emplace(node, target.undivided_speed(node)).first->second.change(std::move(factor));
}

// Keeps a change for display of the target.
void note(SpeedChange change, Target& target) {
  std::sort(change.nodes.begin(), change.nodes.end());
  target.speed_changes.push_back(std::move(change));
}

void read_availability(const Table& root, const ReadFile& read, Target& target) {
  for (const Table& t : root.tables("availability", {"nodes", "file", "loop_after"}, false)) {
    const std::vector<int> nodes = select_nodes(t, "nodes", target);
    const std::string name = t.text("file", "node5.profile");
    std::optional<Interval> loop_after;
    if (t.has("loop_after")) loop_after = t.interval("loop_after");
    if (name.empty()) continue;
    const auto text = read(name);
    if (!text) {
      t.wrong("file", text.error().message);
      continue;
    }
    const auto steps = parse_availability(*text, name, loop_after);
    if (!steps) {
      t.wrong("file", steps.error().message);
      continue;
    }
    for (int node : nodes) change_speed(target, node, *steps);
    note({Instant(), Instant::never(), SpeedChange::Availability{name}, nodes}, target);
  }
}

// A speed event that was read, for comparison with others on the same node.
struct SaidSpeed {
  Window window;
  std::size_t number;  // of the event
};

void read_speeds(const std::vector<Event>& events, Target& target) {
  std::map<int, std::vector<SaidSpeed>> by_node;
  for (const Event& event : events) {
    if (event.kind != EventKind::speed) continue;
    const Table& t = event.table;
    const std::vector<int> nodes = select_nodes(t, "node", target);
    const Window w{t.instant("at"), t.instant("until", Instant::never()), t.factor("speed", "0.25")};
    if (w.until <= w.from && t.has("until") && t.has("at"))
      t.wrong("until",
              "too early (expected after the event begins, " + format(w.from - Instant::start(), 9) + ")");
    note({w.from, w.until, SpeedChange::Event{w.factor}, nodes}, target);
    for (int node : nodes) {
      std::vector<SaidSpeed>& said = by_node[node];
      const auto contradicts = [&](const SaidSpeed& other) {
        return other.window.factor != w.factor && other.window.from < w.until && w.from < other.window.until;
      };
      const auto other = std::find_if(said.begin(), said.end(), contradicts);
      if (other != said.end()) {
        t.wrong("speed", "node " + std::to_string(node) + " has another speed by " +
                             name(other->number, other->window.from, other->window.until) +
                             ", and by this one, " + period(w.from, w.until) +
                             " (expected that one ends where the other begins)");
        break;
      }
      said.push_back({w, event.number});
    }
  }
  for (const auto& [node, said] : by_node) {
    std::vector<Window> windows;
    for (const SaidSpeed& s : said) windows.push_back(s.window);
    change_speed(target, node, std::make_shared<model::Windows>(std::move(windows)));
  }
}

void read_loads(const Table& root, Target& target) {
  constexpr Interval least = Interval::picoseconds(1'000'000);
  std::set<std::pair<int, std::int64_t>> seeds;  // of each node
  for (const Table& t : root.tables("load", {"nodes", "mean", "period", "seed"}, false)) {
    const std::vector<int> nodes = select_nodes(t, "nodes", target);
    const std::int64_t mean = t.factor("mean", "0.5") / 1000;
    const std::optional<Interval> period = t.required_interval("period");
    const std::int64_t seed = t.whole("seed", 1);
    if (period && *period < least) t.wrong("period", "too short (expected at least \"1us\")");
    if (!period || *period < least) continue;
    for (int node : nodes) {
      if (seeds.insert({node, seed}).second) continue;
      t.wrong(t.has("seed") ? "seed" : "nodes",
              "duplicate load of node " + std::to_string(node) + " with the seed " + std::to_string(seed) +
                  ": it would use the same random numbers twice (expected another seed)");
      break;
    }
    note({Instant(), Instant::never(), SpeedChange::Load{mean, *period}, nodes}, target);
    for (int node : nodes)
      change_speed(target, node,
                   std::make_shared<model::Load>(mean, *period, static_cast<std::uint64_t>(seed), node));
  }
}

}  // namespace

void read_changes(const Table& root, const ReadFile& read, Target& target) {
  if (target.nodes.empty()) return;
  read_availability(root, read, target);
  const std::vector<Event> events = read_events(root);
  read_speeds(events, target);
  read_failures(events, target);
  read_link_events(events, target);
  read_loads(root, target);
}

}  // namespace emu::target
