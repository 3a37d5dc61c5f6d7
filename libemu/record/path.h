// Critical path to a virtual instant: the chain of causes and effects that determined it.
//
// Each act of a rank has a path to its instant. A cost extends the path. At a wait, the later of two instants
// wins and brings its own path; at a tie, the path that was there stays. A
// message carries the path to the instant at which it is ready. So without a trace every instant is the exact
// sum of its causes, and the path to the last finish is the run's critical path.
//
// The weights are derivatives: if every latency grows a little, the instant moves by `latencies` times as
// much, as long as the same path remains the latest and messages are chosen in the same order. On a target
// that does not change with time, a weight is the number of times that a parameter is in the path. If work
// begins at one speed and ends at another, everything before it is weighted by the ratio of the first speed
// to the second: work that begins later leaves more to do at the second speed. Everything before an instant
// that the target sets, such as the end of an outage, has weight 0. A rank that polls finds a message at
// its next look: then the weights are the mean over all positions of the arrival between two looks.
#pragma once

#include <array>
#include <cstdint>

#include "base/time.h"

namespace emu::record {

// A message: the rank that sent it, and its number among all messages of this rank. Or an operation
// on another rank's memory (rank/protocols/windows.h), with its number among the rank's operations.
struct Hop {
  std::uint64_t rank : 20 = 0xfffff;  // all ones: no message
  std::uint64_t operation : 1 = 0;
  std::uint64_t sequence : 43 = 0;

  Hop() = default;
  Hop(int from, std::uint64_t n, bool is_operation = false)
      : rank(static_cast<std::uint64_t>(from) & 0xfffff),
        operation(is_operation),
        sequence(n & 0x7ffffffffff) {}
  // In place of a message: the failure of the node of `rank` for good.
  static Hop failure_of(int rank) { return {rank, ~std::uint64_t{0}, true}; }
  bool is_failure() const { return *this == failure_of(static_cast<int>(rank)); }
  friend bool operator==(const Hop&, const Hop&) = default;
};

struct Path {
  Interval compute;
  Interval stopped;  // work that waited for a speed other than 0
  Interval send_overhead;
  Interval receive_overhead;
  Interval latency;
  Interval gap_per_byte;  // (k-1)G of messages; with card "serial" also of those that kept a card busy
  Interval contention;    // additional time of messages that shared resources with others
  Interval handshake;     // overheads of control messages; their latency is in `latency`
  Interval poll;     // Iprobe and Test that answered false; time from an arrival to the look that finds it
  Interval gap;      // g between two sends of a rank
  Interval storage;  // accesses to files
  Interval asleep;   // the program slept, or waited in the system for a time to pass
  Interval down;     // the node was down
  // Waits for a permanent failure, an instant that the target sets. For the own node the time counts from the start of
  // the wait; for another node from the start of the run, whatever happened before.
  Interval until_failure;

  // Weights of the target's parameters. Overheads of control messages count too, with 1 byte each.
  double sends = 0;            // o_s: fixed, and P times per_process
  double sent_bytes = 0;       // o_s: per_byte
  double receives = 0;         // o_r
  double received_bytes = 0;   // o_r
  double latencies = 0;        // L
  double gap_bytes = 0;        // G
  double polls = 0;            // the cost of a poll
  double gaps = 0;             // g
  double accesses = 0;         // the storage's latency
  double accessed_bytes = 0;   // the storage's time per byte
  double reduced_bytes = 0;    // by predefined reductions of collectives
  double copied_bytes = 0;     // by copies of collectives
  double temporary_bytes = 0;  // of temporary memory of collectives
  // Picoseconds by which the instant is earlier, per relative growth of the bandwidth of `resource`, if the arrivals of
  // other messages at the resource do not change.
  double bandwidth = 0;
  double work = 0;  // picoseconds by which the instant is earlier, per relative increase of all CPU speeds

  // The resource to which most of `contention` is due, or a part that no other resource exceeds by much; -1: none.
  std::int32_t resource = -1;
  Interval at_resource;

  Hop hop;  // the last message of the path

  Interval total() const;
  void travel(Interval d, double times) {
    latency += d;
    latencies += times;
  }
  // `bytes`: the bytes after the first one.
  void occupy(Interval d, double bytes) {
    gap_per_byte += d;
    gap_bytes += bytes;
  }
  // A message took `d` longer than alone, because of resource `at`. `gain`: as bandwidth.
  void contend(Interval d, std::int32_t at, double gain) {
    contention += d;
    if (at == resource) {
      at_resource += d;
      bandwidth += gain;
    } else if (d > at_resource) {
      at_resource = d;
      bandwidth = gain;
      resource = at;
    }
  }
  // Costs of receiving and answering a control message.
  void handle(Interval d) {
    handshake += d;
    ++receives;
    ++received_bytes;
    ++sends;
    ++sent_bytes;
  }
  void store(Interval d, double times, double bytes) {
    storage += d;
    accesses += times;
    accessed_bytes += bytes;
  }
  // A rank finds the event to which the path leads, `late` after it. It has
  // polled for the time `polled`, of which it slept `slept`. `cost`: of one poll;
  // 0: it depends on this time alone.
  void find(Interval late, Interval slept, Interval polled, Interval cost);
  // Multiplies all weights by `times`.
  void weigh(double times);

  friend bool operator==(const Path&, const Path&) = default;
};

// Category of a cause in the shares of a run's time (`emu study`).
enum class Category {
  work,
  overhead,
  latency,
  bytes,    // the time due to the length of messages
  storage,  // files
  asleep,   // set by the program, on any target
  outside,  // set by the target, for any program
};

// List of all causes, over which all functions about causes iterate. A new
// cause needs a part of Path, a row here, and the place that charges it.
struct Cause {
  const char* name;   // in outputs
  const char* words;  // for people
  const char* color;  // in the report's page
  Category category;
  Interval Path::*part;
};
// In reading order.
inline constexpr std::array causes = std::to_array<Cause>({
    {"compute", "compute", "#3f8f5b", Category::work, &Path::compute},
    {"waiting_for_speed_change", "waiting for speed change", "#8a6d4f", Category::work, &Path::stopped},
    {"send_overhead", "send overhead", "#e0912f", Category::overhead, &Path::send_overhead},
    {"receive_overhead", "receive overhead", "#d8592f", Category::overhead, &Path::receive_overhead},
    {"latency", "latency", "#3c78c3", Category::latency, &Path::latency},
    {"gap_per_byte", "gap per byte", "#5fb0d6", Category::bytes, &Path::gap_per_byte},
    {"contention", "contention", "#2f6f8f", Category::bytes, &Path::contention},
    {"handshake", "handshake", "#9a62b8", Category::overhead, &Path::handshake},
    {"poll", "poll", "#b9a13c", Category::overhead, &Path::poll},
    {"gap", "gap", "#777", Category::overhead, &Path::gap},
    {"storage", "storage", "#4f9a94", Category::storage, &Path::storage},
    {"sleep", "sleep", "#a9b7c4", Category::asleep, &Path::asleep},
    {"node_down", "node down", "#39424e", Category::outside, &Path::down},
    {"until_failure", "until a node failed", "#b0485f", Category::outside, &Path::until_failure},
});

inline Interval Path::total() const {
  Interval sum;
  for (const Cause& cause : causes) sum += this->*cause.part;
  return sum;
}

// The part of a path that counts as `category`.
inline Interval spent(const Path& path, Category category) {
  Interval sum;
  for (const Cause& cause : causes)
    if (cause.category == category) sum += path.*cause.part;
  return sum;
}

inline constexpr std::array weights = {
    &Path::sends,        &Path::sent_bytes,      &Path::receives,       &Path::received_bytes,
    &Path::latencies,    &Path::gap_bytes,       &Path::polls,          &Path::gaps,
    &Path::work,         &Path::accesses,        &Path::accessed_bytes, &Path::reduced_bytes,
    &Path::copied_bytes, &Path::temporary_bytes, &Path::bandwidth};

// Records and traces contain one number for each weight, in this order. Another list leads to another
// version for an equal `layout`.
constexpr std::uint32_t with_causes(std::uint32_t layout) {
  return layout << 16 | static_cast<std::uint32_t>(causes.size() << 8 | weights.size());
}

inline void Path::find(Interval late, Interval slept, Interval polled, Interval cost) {
  const __int128 share = static_cast<__int128>(late.picoseconds()) * slept.picoseconds();
  const Interval in_sleep =
      slept == Interval() ? Interval()
                          : Interval::picoseconds(static_cast<std::int64_t>(share / polled.picoseconds()));
  asleep += in_sleep;
  poll += late - in_sleep;
  if (cost > Interval())
    polls += static_cast<double>((late - in_sleep).picoseconds()) / static_cast<double>(cost.picoseconds());
}

inline void Path::weigh(double times) {
  for (const auto weight : weights) this->*weight *= times;
}

}  // namespace emu::record
