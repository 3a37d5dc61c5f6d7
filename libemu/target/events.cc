#include "target/events.h"

#include "base/units.h"

namespace emu::target {
namespace {

void refuse(const Table& t, const Keys& keys, const std::string& why) {
  for (const std::string_view key : keys)
    if (t.has(key)) t.wrong(key, why);
}

}  // namespace

std::vector<Event> read_events(const Table& root) {
  const Keys known = {"kind", "node", "link", "at", "until", "speed", "latency", "bandwidth"};
  std::vector<Event> events;
  std::size_t number = 0;
  for (const Table& t : root.tables("event", known, false)) {
    ++number;
    if (t.has("link")) {
      refuse(t, {"kind", "node", "speed"}, "invalid for an event of a link (expected for events of nodes)");
      events.push_back({t, EventKind::link, number});
      continue;
    }
    refuse(t, {"latency", "bandwidth"}, "invalid without link (expected for events of a link)");
    const auto kind = t.one_of("kind", {"speed", "fail", "recover"});
    if (!kind) continue;
    events.push_back({t, static_cast<EventKind>(*kind), number});
    if (events.back().kind != EventKind::speed) refuse(t, {"speed"}, "needs kind = \"speed\"");
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
