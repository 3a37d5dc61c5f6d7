// What determined a virtual instant: the chain of causes and effects that led to it, and nothing beside.
//
// Whoever acts at an instant has a path to it. A cost makes it longer. Where something waits for something
// else, the later of the two instants wins and brings its own path; at a tie, the one that was there stays. A
// message carries the path of the instant at which it is ready. So without a trace every instant is the exact
// sum of its causes, and the path to the last finish is the run's critical path.
//
// The counts are derivatives: lengthening every latency a little moves the instant by `latencies` times as
// much, as long as the same path stays the latest and messages are chosen in the same order.
#pragma once

#include <array>
#include <cstdint>

#include "base/time.h"

namespace emu::trace {

// A message: the rank that sent it, and its place among all that this rank sent.
struct Hop {
  std::uint64_t rank : 20 = 0xfffff;  // all ones: there is none
  std::uint64_t sequence : 44 = 0;

  Hop() = default;
  Hop(int from, std::uint64_t n)
      : rank(static_cast<std::uint64_t>(from) & 0xfffff), sequence(n & 0xfffffffffff) {}
  friend bool operator==(const Hop&, const Hop&) = default;
};

struct Path {
  Interval compute;
  Interval send_overhead;
  Interval receive_overhead;
  Interval latency;
  Interval gap_per_byte;  // (k-1)G of messages; with card "serial" also of those that kept a card busy
  Interval handshake;     // overheads of control messages; their latency is in `latency`
  Interval poll;          // Iprobe and Test that answered false
  Interval gap;           // g between two sends of a rank
  Interval down;          // the node was down; or, to its failure for good, waiting for that

  // How often the target's parameters are in it. Overheads of control messages count too, with 1 byte each.
  std::int64_t sends = 0;           // o_s: fixed, and P times per_process
  std::int64_t sent_bytes = 0;      // o_s: per_byte
  std::int64_t receives = 0;        // o_r
  std::int64_t received_bytes = 0;  // o_r
  std::int64_t latencies = 0;       // L
  std::int64_t gap_bytes = 0;       // G
  std::int64_t polls = 0;           // the cost of a poll
  std::int64_t gaps = 0;            // g

  Hop hop;  // the last message that it came by

  Interval total() const {
    return compute + send_overhead + receive_overhead + latency + gap_per_byte + handshake + poll + gap +
           down;
  }
  void travel(Interval d, int hops) {
    latency += d;
    latencies += hops;
  }
  // `bytes` trail the first one.
  void occupy(Interval d, std::int64_t bytes) {
    gap_per_byte += d;
    gap_bytes += bytes;
  }

  friend bool operator==(const Path&, const Path&) = default;
};

// Every cause by the name that outputs give it, in the order in which people read them.
struct Cause {
  const char* name;
  Interval Path::*part;
};
inline constexpr std::array<Cause, 9> causes = {{
    {"compute", &Path::compute},
    {"send_overhead", &Path::send_overhead},
    {"receive_overhead", &Path::receive_overhead},
    {"latency", &Path::latency},
    {"gap_per_byte", &Path::gap_per_byte},
    {"handshake", &Path::handshake},
    {"poll", &Path::poll},
    {"gap", &Path::gap},
    {"node_down", &Path::down},
}};

struct Count {
  const char* name;
  std::int64_t Path::*count;
};
inline constexpr std::array<Count, 8> counts = {{
    {"sends", &Path::sends},
    {"sent_bytes", &Path::sent_bytes},
    {"receives", &Path::receives},
    {"received_bytes", &Path::received_bytes},
    {"latencies", &Path::latencies},
    {"gap_bytes", &Path::gap_bytes},
    {"polls", &Path::polls},
    {"gaps", &Path::gaps},
}};

}  // namespace emu::trace
