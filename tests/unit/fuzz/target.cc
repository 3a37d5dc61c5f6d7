// A target file. The text after a first NUL is the contents of all files that it names.
#include "target/target.h"

#include <algorithm>
#include <string_view>

#include "fuzz/harness.h"

using namespace emu;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view all(reinterpret_cast<const char*>(data), size);
  const std::size_t end = std::min(all.find('\0'), all.size());
  const std::string text(all.substr(0, end)), named(all.substr(std::min(end + 1, all.size())));
  const auto target = target::parse(text, "target.toml", [&](const std::string& name) -> Result<std::string> {
    if (named.empty()) return fail(name + ": cannot be read");
    return named;
  });
  if (!target) {
    fuzz::require_message(target.error().message);
    return 0;
  }
  ++fuzz::accepted;
  fuzz::require(target->slots() > 0, "a target without a slot");
  const int ranks = std::min(target->slots(), 40);
  const auto fits = target::fits(*target, ranks, "target.toml");
  fuzz::require(fits.has_value(), "no more ranks than slots, and they do not fit");
  const std::vector<int> places = target->place(ranks);
  fuzz::require(static_cast<int>(places.size()) == ranks, "not a place for each rank");
  for (const int node : places) {
    fuzz::require(node >= 0 && node < target->node_count(), "a place that is no node");
    const model::Speed speed = target->speed(node, ranks);
    fuzz::require(speed.at(Instant()) >= 0 && speed.fastest() >= speed.at(Instant()),
                  "a speed above the fastest");
    target->usual_speed(node, ranks);
    target->outages_of(node);
  }
  target->failures(ranks);
  const model::Network network(target->network, target->topology(ranks));
  for (int from = 0; from < ranks; ++from) {
    for (int to = 0; to < ranks; to += 7) {
      if (to == from) continue;
      const model::Route route = network.route(from, to, 1000, Instant());
      const Interval cost = network.send_overhead(from, to, 1000) + route.latency;
      fuzz::require(cost >= Interval::picoseconds(1), "a message that takes no time");
      fuzz::require(route.occupancy >= Interval(), "an occupancy below 0");
    }
  }
  return 0;
}
