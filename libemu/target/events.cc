#include "target/events.h"

#include "base/units.h"

namespace emu::target {
namespace {

void take_away(const Table& t, const Keys& keys, const std::string& why) {
  for (const std::string_view key : keys)
    if (t.has(key)) t.wrong(key, why + "; take it away");
}

}  // namespace

std::vector<Event> read_events(const Table& root) {
  const Keys known = {"kind", "node", "link", "at", "until", "speed", "latency", "bandwidth"};
  std::vector<Event> events;
  std::size_t number = 0;
  for (const Table& t : root.tables("event", known, false)) {
    ++number;
    if (t.has("link")) {
      take_away(t, {"kind", "node", "speed"}, "is for events of nodes, and this one is of a link");
      events.push_back({t, EventKind::link, number});
      continue;
    }
    take_away(t, {"latency", "bandwidth"}, "is for events of a link, and this one names no link");
    const auto kind = t.one_of("kind", {"speed", "fail", "recover"});
    if (!kind) continue;
    events.push_back({t, static_cast<EventKind>(*kind), number});
    if (events.back().kind != EventKind::speed) take_away(t, {"speed"}, "is for events of kind \"speed\"");
  }
  return events;
}

std::string period(Instant from, Instant until) {
  const std::string end = until.is_never() ? "" : " to " + format(until - Instant::start(), 9);
  return "from " + format(from - Instant::start(), 9) + end;
}

std::string name(std::size_t number, Instant from, Instant until) {
  return "event " + std::to_string(number) + " of the file, " + period(from, until);
}

}  // namespace emu::target
