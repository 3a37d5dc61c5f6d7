// Shared state of a contention: its links, receivers and events.
#pragma once

#include <boost/intrusive/list.hpp>
#include <boost/intrusive/set.hpp>

#include "contention/contention.h"

namespace emu::contention {

struct Contention::Link {
  using Flows = intrusive::list<Stage, intrusive::member_hook<Stage, ListHook, &Stage::on>>;

  model::Share share;
  Rate gap;
  Fraction capacity = 0;
  Flows flows;  // fair
  Instant busy_since;
  Instant free;       // fifo: the instant from which it is free
  Gain gain;          // fifo: of `free`; fair: of the last landing of a flow that this resource limited
  Instant landed;     // fair: the instant of that landing
  record::Path path;  // of the bus: to `free`
  Usage usage;
  // Scratch of the share-out.
  std::uint32_t mark = 0;
  std::int32_t users = 0;  // flows without a rate
  Fraction rest = 0;       // remaining capacity for them
};

struct Contention::Receiver {
  using Flows = intrusive::set<Flow, intrusive::member_hook<Flow, SetHook, &Flow::in_receiver>,
                               intrusive::compare<ByHead>, intrusive::constant_time_size<false>>;
  Flows flows;
};

struct Contention::State {
  using Events = intrusive::set<Flow, intrusive::member_hook<Flow, SetHook, &Flow::in_events>,
                                intrusive::compare<EventLess>, intrusive::constant_time_size<false>>;
  std::int32_t resources;
  std::int32_t receivers;
  std::uint32_t epoch;
  Instant now;
  std::uint64_t steps;
  Events events;    // of fair resources
  Events in_order;  // of fifo resources
};

// The rate of a time per byte; practically unlimited if that is 0.
inline Fraction rate_of(Rate gap) {
  constexpr int unlimited = 120;
  if (gap == Rate()) return Fraction{1} << unlimited;
  return (static_cast<Fraction>(1000) << fraction_bits) / static_cast<Fraction>(gap.femtoseconds_per_byte());
}

constexpr double unit_of_fraction = 0x1p-80;
// In bytes, or in bytes per picosecond.
inline double real(Fraction x) { return static_cast<double>(x) * unit_of_fraction; }

constexpr Interval picosecond = Interval::picoseconds(1);

// The time that `left` takes at `rate`, to the nearest picosecond.
inline Interval duration(Fraction left, Fraction rate) {
  const Fraction ps = (left + rate / 2) / rate;
  const auto most = static_cast<Fraction>(Interval::longest().picoseconds());
  return Interval::picoseconds(static_cast<std::int64_t>(ps < most ? ps : most));
}

}  // namespace emu::contention
