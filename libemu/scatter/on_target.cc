#include "scatter/on_target.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

namespace emu::scatter {
namespace {

// fixed + per_byte * k, in picoseconds and femtoseconds.
struct Affine {
  std::int64_t fixed = 0, per_byte = 0;

  friend Affine operator+(Affine a, Affine b) { return {a.fixed + b.fixed, a.per_byte + b.per_byte}; }
};

// For a cost that is affine in the bytes, from two of its values: rates are whole femtoseconds, so a million
// bytes determine them exactly.
template <class Of>
Affine affine(Of of) {
  constexpr model::Bytes many = 1'000'000;
  const std::int64_t one = of(1).picoseconds();
  const std::int64_t per_byte = (of(1 + many).picoseconds() - one + many / 2000) / (many / 1000);
  return {one - (per_byte + 500) / 1000, per_byte};
}

Result<Rate> rate(double seconds, const std::string& of) {
  if (!(std::isfinite(seconds) && seconds >= 0 && seconds <= 3600))
    return fail(of + ": invalid cost of an item: " + std::to_string(seconds) + " s (expected 0 to 3600 s)");
  return Rate::femtoseconds_per_byte(std::llround(seconds * 1e15));
}

Cost cost(Affine bytes, Rate work, model::Bytes item_bytes) {
  constexpr std::int64_t most = INT64_MAX / 2;
  std::int64_t per_item = 0;
  if (__builtin_mul_overflow(bytes.per_byte, item_bytes, &per_item) || per_item > most) per_item = most;
  per_item += work.femtoseconds_per_byte();
  // (k-1)G is negative at k = 0, but no number of items gives that, except for rounding.
  return Cost::affine(Interval::picoseconds(std::max(bytes.fixed, -(per_item / 1000))),
                      Rate::femtoseconds_per_byte(per_item));
}

}  // namespace

Result<std::vector<Processor>> processors(const target::Target& target, int ranks, int root,
                                          const Work& work) {
  if (work.items < 0 || work.items > most_items)
    return fail("invalid number of items: " + std::to_string(work.items) + " (expected 0 to " +
                std::to_string(most_items) + ")");
  if (work.item_bytes < 0 || work.item_bytes > most_items)
    return fail("invalid number of bytes of an item: " + std::to_string(work.item_bytes) +
                " (expected 0 to " + std::to_string(most_items) + ")");
  const model::Network network(target.network, target.topology(ranks));
  const std::vector<int> nodes = target.place(ranks);
  const bool all_alike = work.item_seconds.size() == 1;
  // True if the root's messages are usually so long that they need a handshake.
  const double part = static_cast<double>(work.items) / ranks * static_cast<double>(work.item_bytes);
  const auto takes_handshake = [&](int rank) {
    return part < 1e18 && !network.eager(root, rank, static_cast<model::Bytes>(part));
  };
  std::vector<Processor> result;
  for (int rank = 0; rank < ranks; ++rank) {
    const auto at = static_cast<std::size_t>(rank);
    const double speed = target.nominal_speed(nodes[at], ranks);
    const auto compute = rate(all_alike ? work.item_seconds[0] / speed : work.item_seconds[at],
                              "rank " + std::to_string(rank));
    if (!compute) return tl::unexpected(compute.error());
    if (rank == root || work.item_bytes == 0) {
      result.push_back({Cost(), Cost::affine(Interval(), *compute)});
      continue;
    }
    Affine send = affine([&](model::Bytes k) { return network.passage(root, rank, k).send; });
    const Affine receive = affine([&](model::Bytes k) { return network.receive_overhead(root, rank, k); });
    const model::Route way = network.route(root, rank, 1, Instant());
    const Affine wire = network.sends_whole(root, rank) ? Affine{0, 0} : affine([&](model::Bytes k) {
      return network.route(root, rank, k, Instant()).occupancy;
    });
    if (way.passes(model::Resource::sending_card) && wire.per_byte > send.per_byte) send = wire;
    if (takes_handshake(rank))
      send.fixed += (network.control_send(root, rank) + network.control_receive(rank, root)).picoseconds();
    const Affine latency{way.latency.picoseconds(), 0};
    result.push_back(
        {cost(send, Rate(), work.item_bytes), cost(latency + wire + receive, *compute, work.item_bytes)});
  }
  return result;
}

Interval moving(const target::Target& target, int ranks, int from, int to, const Work& work) {
  if (from == to || work.items == 0 || work.item_bytes == 0) return Interval();
  const model::Network network(target.network, target.topology(ranks));
  const Affine way = affine([&](model::Bytes k) { return network.one_way(from, to, k); });
  const double time = static_cast<double>(way.fixed) + 1e-3 * static_cast<double>(way.per_byte) *
                                                           static_cast<double>(work.items) *
                                                           static_cast<double>(work.item_bytes);
  return time < static_cast<double>(too_long.picoseconds())
             ? Interval::picoseconds(static_cast<std::int64_t>(time))
             : too_long;
}

}  // namespace emu::scatter
