#include "target/network/link_events.h"

#include <algorithm>
#include <optional>

#include "base/units.h"
#include "target/network/links.h"

namespace emu::target {
namespace {

const char* const write_groups =
    " (expected the names of two groups, such as [\"fast\", \"slow\"], or \"all\")";

// The group that `node` names; nullopt after a reported mistake.
std::optional<int> read_group(const Table& t, const toml::node& node, const Target& target) {
  const auto name = node.value_exact<std::string>();
  if (name && *name == "all") return all_groups;
  for (std::size_t i = 0; name && i < target.nodes.size(); ++i)
    if (!name->empty() && target.nodes[i].name == *name) return static_cast<int>(i);
  t.wrong(node, "link",
          (name ? "unknown group of nodes: \"" + *name + "\"" : std::string("invalid name")) + write_groups);
  return {};
}

std::optional<std::pair<int, int>> read_ends(const Table& t, const Target& target) {
  const toml::node& value = *t.find("link");
  if (value.value_exact<std::string>() == "all") return std::pair(all_groups, all_groups);
  const toml::array* array = value.as_array();
  if (!array || array->size() != 2) {
    t.wrong("link", std::string("invalid link") + write_groups);
    return {};
  }
  const auto a = read_group(t, *array->get(0), target), b = read_group(t, *array->get(1), target);
  if (!a || !b) return {};
  return std::pair(*a, *b);
}

model::LinkChange read_change(const Table& t) {
  model::LinkChange c{t.instant("at"), t.instant("until", Instant::never()), model::one, model::one};
  if (t.has("latency")) c.latency = t.factor("latency", "4.0");
  if (t.has("bandwidth")) c.bandwidth = t.factor("bandwidth", "0.25");
  if (!t.has("latency") && !t.has("bandwidth")) t.missing("latency", "latency = 4.0 or bandwidth = 0.25");
  if (t.has("bandwidth") && c.bandwidth == 0) {
    t.wrong("bandwidth", "invalid factor: 0 (expected a number above 0, such as 0.25)");
    c.bandwidth = model::one;
  }
  if (t.has("until") && c.until <= c.from)
    t.wrong("until",
            "too early (expected after the event begins, " + format(c.from - Instant::start(), 9) + ")");
  return c;
}

// A link event that was read, for comparison with others on the same link.
struct SaidChange {
  model::LinkChange change;
  std::size_t number;  // of the event
};

// The greatest factor of a link's latency with which it fits into the range of instants.
std::int64_t most_latency(const model::Link& link) {
  constexpr std::int64_t room = std::int64_t{1} << 61;  // picoseconds
  return link.latency > Interval() ? room / link.latency.picoseconds() : room;
}

bool contradict(const model::LinkChange& a, const model::LinkChange& b) {
  return (a.latency != b.latency || a.bandwidth != b.bandwidth) && a.from < b.until && b.from < a.until;
}

}  // namespace

void read_link_events(const std::vector<Event>& events, Target& target) {
  const int groups = static_cast<int>(target.nodes.size());
  const auto covers = [](int stated, int group) { return stated == all_groups || stated == group; };
  std::vector<std::vector<SaidChange>> said(target.between.size());
  for (const Event& event : events) {
    if (event.kind != EventKind::link) continue;
    const Table& t = event.table;
    const auto pair = read_ends(t, target);
    const model::LinkChange c = read_change(t);
    bool noted = !pair;
    for (int i = 0; !noted && i < groups * groups; ++i) {
      const int a = i / groups, b = i % groups;
      if (!(covers(pair->first, a) && covers(pair->second, b)) &&
          !(covers(pair->first, b) && covers(pair->second, a)))
        continue;
      std::vector<SaidChange>& here = said[static_cast<std::size_t>(i)];
      const auto other = std::find_if(
          here.begin(), here.end(), [&](const SaidChange& earlier) { return contradict(earlier.change, c); });
      noted = other != here.end();
      if (noted)
        t.wrong("at", "the link between " + group_name(target, a) + " and " + group_name(target, b) +
                          " is changed by " + name(other->number, other->change.from, other->change.until) +
                          ", too, and by this one " + period(c.from, c.until) +
                          " (expected that one ends where the other begins)");
      const model::Link& link = target.between[static_cast<std::size_t>(i)];
      if (!noted && c.latency / model::one >= most_latency(link)) {
        noted = true;
        t.wrong("latency", "too large for the link between " + group_name(target, a) + " and " +
                               group_name(target, b) + ", whose latency is " + format(link.latency, 9) +
                               " without it (expected at most " + std::to_string(most_latency(link) - 1) +
                               ")");
      }
      here.push_back({c, event.number});
      target.between[static_cast<std::size_t>(i)].changes.push_back(c);
    }
  }
}

}  // namespace emu::target
