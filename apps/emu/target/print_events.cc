#include "target/print_events.h"

#include <algorithm>
#include <iostream>
#include <map>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "base/units.h"
#include "target/print_table.h"

namespace emu::app {
namespace {

struct EventRow {
  Instant from, until;
  std::string what;
};

std::string nodes(const std::vector<int>& list) {
  return (list.size() == 1 ? "node " : "nodes ") + ranges(list);
}

// In words.
struct Shown {
  std::string operator()(const target::SpeedChange::Event& e) const {
    return "speed x " + number(static_cast<double>(e.factor) / model::one);
  }
  std::string operator()(const target::SpeedChange::Availability& a) const {
    return "speed as recorded in " + a.file;
  }
  std::string operator()(const target::SpeedChange::Load& l) const {
    return "random load, " + number(static_cast<double>(l.mean) / 1e6) + " on average, another each " +
           format(l.period, 9);
  }
};

void add_speed_changes(const target::Target& t, std::vector<EventRow>& to) {
  for (const target::SpeedChange& c : t.speed_changes)
    to.push_back({c.from, c.until, std::visit(Shown(), c.what) + ": " + nodes(c.nodes)});
}

void add_outages(const target::Target& t, std::vector<EventRow>& to) {
  std::map<std::pair<Instant, Instant>, std::vector<int>> down;
  for (const auto& [node, outages] : t.outages)
    for (const model::Outage& o : outages.list()) down[{o.from, o.until}].push_back(node);
  for (const auto& [when, list] : down) to.push_back({when.first, when.second, "down: " + nodes(list)});
}

void add_link_events(const target::Target& t, std::vector<EventRow>& to) {
  const int groups = static_cast<int>(t.nodes.size());
  std::map<std::tuple<Instant, Instant, std::int64_t, std::int64_t>, std::vector<std::string>> links;
  for (int a = 0; a < groups; ++a)
    for (int b = a; b < groups; ++b)
      for (const model::LinkChange& c : t.between[static_cast<std::size_t>(a * groups + b)].changes)
        links[{c.from, c.until, c.latency, c.bandwidth}].push_back(link_name(t, a, b, true));
  const auto all = static_cast<std::size_t>(groups * (groups + 1) / 2);
  for (const auto& [change, names] : links) {
    const auto [from, until, latency, bandwidth] = change;
    std::string what = names.size() == all ? "all links" : "";
    for (std::size_t i = 0; names.size() < all && i < names.size(); ++i) what += (i ? ", " : "") + names[i];
    if (latency != model::one) what += ": latency x " + number(static_cast<double>(latency) / model::one);
    if (bandwidth != model::one)
      what += (latency != model::one ? ", bandwidth x " : ": bandwidth x ") +
              number(static_cast<double>(bandwidth) / model::one);
    to.push_back({from, until, what});
  }
}

void warn(const std::string& file, const std::string& what) {
  std::cerr << "emu: warning: " << file << ": " << what << "\n";
}

}  // namespace

void print_events(const target::Target& t) {
  std::vector<EventRow> list;
  add_speed_changes(t, list);
  add_outages(t, list);
  add_link_events(t, list);
  if (list.empty()) return;
  std::stable_sort(list.begin(), list.end(),
                   [](const EventRow& a, const EventRow& b) { return a.from < b.from; });
  std::vector<Row> rows = {{"from", "to", "what"}};
  for (const EventRow& h : list)
    rows.push_back({format(h.from - Instant::start(), 9),
                    h.until.is_never() ? "the end" : format(h.until - Instant::start(), 9), h.what});
  const char* const noticed[] = {"nothing", "MPIX_ERR_PROC_FAILED", "the end of the job"};
  std::cout << "\n";
  print(rows);
  const auto for_good = [](const auto& outages) { return !outages.second.end().is_never(); };
  if (std::any_of(t.outages.begin(), t.outages.end(), for_good))
    std::cout << "  what other ranks notice of one that has failed for good: "
              << noticed[static_cast<int>(t.on_failure)] << "\n";
}

void warn_of_ends(const target::Target& t, int ranks, const std::string& file) {
  const std::vector<Instant> failures = t.failures(ranks);
  const Instant last =
      failures.empty() ? Instant::never() : *std::max_element(failures.begin(), failures.end());
  if (!last.is_never())
    warn(file, "every node that has a rank fails for good, the last one at " +
                   format(last - Instant::start(), 9) +
                   ": of a program that is not over by then nothing is left to predict");
  for (const auto& [from, list] : t.stopped_nodes(ranks))
    warn(file, "from " + format(from - Instant::start(), 9) + " on the speed of " + nodes(list) +
                   " stays 0: a rank there that still computes then ends the run, as starved; end the event "
                   "with speed 0, or write kind = \"fail\"");
}

}  // namespace emu::app
