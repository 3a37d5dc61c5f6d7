#include "reference/batch.h"

#include <cstdio>

#include "reference/random.h"

namespace emu::reference {
namespace {

Interval ps(std::int64_t n) { return Interval::picoseconds(n); }

// Free sometimes, because with free calls many more events fall on the same instant.
model::Overhead overhead(Random& random, std::int64_t unit) {
  model::Overhead o;
  if (random.chance(30)) return o;
  o.fixed = ps(random.pick<std::int64_t>({0, unit / 10, unit / 2, unit, unit + 1}));
  if (random.chance(30)) o.per_process = ps(unit / 50);
  if (random.chance(50))
    o.per_byte = Rate::femtoseconds_per_byte(random.pick<std::int64_t>({unit / 3, unit, 2 * unit}));
  return o;
}

// Exact decimals: `value` units of 10^-digits microseconds.
std::string microseconds(std::int64_t value, int digits) {
  std::int64_t scale = 1;
  for (int i = 0; i < digits; ++i) scale *= 10;
  char text[64];
  std::snprintf(text, sizeof text, "\"%lld.%0*lldus\"", static_cast<long long>(value / scale), digits,
                static_cast<long long>(value % scale));
  return text;
}

std::string text(Interval t) { return microseconds(t.picoseconds(), 6); }
std::string text(Rate r) { return microseconds(r.femtoseconds_per_byte(), 9); }

std::string text(const char* section, const model::Overhead& o) {
  return "[network." + std::string(section) + "]\nfixed = " + text(o.fixed) +
         "\nper_process = " + text(o.per_process) + "\nper_byte = " + text(o.per_byte) + "\n";
}

}  // namespace

Batch make_batch(std::uint64_t seed, int ranks) {
  Random random(Random::mix(seed) ^ 0xba7c4);
  Batch b;
  b.seed = seed;
  const int usual = random.between(2, 8);
  b.ranks = ranks > 0 ? ranks : usual;
  b.unit = random.pick<std::int64_t>({1'000, 1'000'000, 50'000'000});
  model::Parameters& n = b.network;
  n.latency = ps(random.pick<std::int64_t>({0, 1, b.unit, b.unit, b.unit, 5 * b.unit}));
  n.gap = ps(random.pick<std::int64_t>({0, 0, 0, b.unit, 3 * b.unit}));
  n.gap_per_byte =
      Rate::femtoseconds_per_byte(random.pick<std::int64_t>({0, b.unit / 7, b.unit, b.unit, 2 * b.unit}));
  n.eager_limit = random.pick<model::Bytes>({0, 16, 64, 64, 1024, 1024});
  n.always_eager = random.chance(15);
  n.card = random.chance(40) ? model::Card::serial : model::Card::free;
  n.send = overhead(random, b.unit);
  n.receive = random.chance(50) ? n.send : overhead(random, b.unit);
  n.poll = ps(random.pick<std::int64_t>({b.unit / 3 + 1, b.unit, 2 * b.unit}));
  return b;
}

std::string target_file(const model::Parameters& n, int ranks) {
  return "name = \"random programs\"\ncompute = \"declared\"\nhost_speed = 1.0\n[network]\nlatency = " +
         text(n.latency) + "\ngap = " + text(n.gap) + "\ngap_per_byte = " + text(n.gap_per_byte) +
         "\neager_limit = \"" + (n.always_eager ? "unlimited" : std::to_string(n.eager_limit) + "B") +
         "\"\ncard = \"" + (n.card == model::Card::serial ? "serial" : "free") + "\"\n" +
         text("send", n.send) + text("receive", n.receive) + "[network.poll]\nfixed = " + text(n.poll) +
         "\n[[node]]\ncount = " + std::to_string(ranks) + "\nslots = 1\nspeed = 1.0\n";
}

std::string describe(const Batch& b) {
  const model::Parameters& n = b.network;
  char line[400];
  std::snprintf(line, sizeof line,
                "batch %llu: %d ranks, L %lld ps, g %lld ps, G %lld fs/B, S %lld, card %s, o_s %lld+%lld P "
                "ps %lld fs/B, "
                "o_r %lld+%lld P ps %lld fs/B, poll %lld ps",
                static_cast<unsigned long long>(b.seed), b.ranks,
                static_cast<long long>(n.latency.picoseconds()), static_cast<long long>(n.gap.picoseconds()),
                static_cast<long long>(n.gap_per_byte.femtoseconds_per_byte()),
                n.always_eager ? -1LL : static_cast<long long>(n.eager_limit),
                n.card == model::Card::serial ? "serial" : "free",
                static_cast<long long>(n.send.fixed.picoseconds()),
                static_cast<long long>(n.send.per_process.picoseconds()),
                static_cast<long long>(n.send.per_byte.femtoseconds_per_byte()),
                static_cast<long long>(n.receive.fixed.picoseconds()),
                static_cast<long long>(n.receive.per_process.picoseconds()),
                static_cast<long long>(n.receive.per_byte.femtoseconds_per_byte()),
                static_cast<long long>(n.poll.picoseconds()));
  return line;
}

}  // namespace emu::reference
