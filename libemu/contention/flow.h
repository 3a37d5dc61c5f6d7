// Flow: the bytes of one message on the resources that it passes.
//
// Flows are in memory that several processes share, possibly at different addresses, so they are linked by relative
// pointers.
#pragma once

#include <boost/interprocess/offset_ptr.hpp>
#include <boost/intrusive/list_hook.hpp>
#include <boost/intrusive/set_hook.hpp>
#include <cstddef>
#include <cstdint>

#include "base/rate.h"
#include "base/time.h"
#include "record/path.h"

namespace emu::contention {

namespace intrusive = boost::intrusive;

using Relative = intrusive::void_pointer<boost::interprocess::offset_ptr<void>>;
using NoCheck = intrusive::link_mode<intrusive::normal_link>;
using ListHook = intrusive::list_member_hook<Relative, NoCheck>;
using SetHook = intrusive::set_member_hook<Relative, NoCheck, intrusive::optimize_size<true>>;

// Bytes, and bytes per picosecond, in units of 2^-80: exact enough that an end is wrong by less than half a picosecond
// after hours at a thousandth of 10 Mbit/s.
__extension__ using Fraction = unsigned __int128;
constexpr int fraction_bits = 80;

// First-order changes of an instant, if heads do not change: picoseconds by which it is earlier per relative growth of
// a rate; for a moving flow, additional bytes that have passed.
struct Gain {
  double resource = 0;  // of the bandwidth of the limiting resource
  double own = 0;       // of the message's own rate
};

struct Flow;

// A flow's place on one resource.
struct Stage {
  ListHook on;  // the list of the resource's flows
  boost::interprocess::offset_ptr<Flow> flow;
  std::int32_t resource = 0;
};

// Its stages follow in memory.
struct Flow {
  enum class State : std::uint8_t {
    coming,  // its head has not come to the resources
    moving,
    landed,  // its last byte has arrived at `next`
  };

  // --- set by its sender
  Instant head;             // when its first byte comes to the resources
  std::int32_t source = 0;  // with `sequence`: its place among heads of one instant
  std::uint64_t sequence = 0;
  std::int64_t bytes = 0;      // bytes after the first one
  Rate limit;                  // time per byte of this message alone
  std::int32_t receiver = -1;  // the slot of its receiver; -1: the receiver is on another host node
  bool operation = false;      // it takes effect at its arrival, independently of the receiver's state
  std::int32_t stages = 0;
  bool bus = false;         // its one stage is the bus
  std::uint64_t block = 0;  // its memory, used by its sender
  // On the bus: the path to its head, then to its arrival; the weight of G in the time of its bytes.
  record::Path path;
  double trailing = 0;

  // --- set by the contention
  State state = State::coming;
  bool tracked = false;         // in the list of flows for its receiver
  bool in_order = false;        // its resources are fifo
  std::int32_t reached = 0;     // fifo: the next stage
  std::int32_t limiting = -1;   // the resource that limited its rate last; -1: none
  std::int32_t limit_now = -1;  // fair: the resource that determines its present rate; -1: its own limit
  Instant next;                 // its next event: head; end at the present rates; landed: its arrival
  Instant since;                // moving, fair: the instant of `left` and `rate`
  Fraction left = 0, rate = 0;  // fair
  Fraction own = 0;             // the rate of `limit`
  Fraction best = 0;            // its rate alone
  Interval alone;               // its time at that rate
  double growth = 0;            // fair: of `rate`, per relative growth of the bandwidth of `limit_now`
  Gain gain;                    // of its end; fair: in bytes, until it lands
  Gain of_head;                 // fifo: of its head at the present stage
  std::uint32_t mark = 0;       // scratch of the share-out
  SetHook in_events, in_receiver;

  Stage* stage(int i) { return reinterpret_cast<Stage*>(this + 1) + i; }
  const Stage* stage(int i) const { return reinterpret_cast<const Stage*>(this + 1) + i; }
  static constexpr std::size_t size(std::size_t stages) { return sizeof(Flow) + stages * sizeof(Stage); }
};

// The order of events: instant, source, number.
struct EventLess {
  bool operator()(const Flow& a, const Flow& b) const {
    if (a.next != b.next) return a.next < b.next;
    if (a.source != b.source) return a.source < b.source;
    return a.sequence < b.sequence;
  }
};

// The order in which flows were sent.
struct ByHead {
  bool operator()(const Flow& a, const Flow& b) const {
    if (a.head != b.head) return a.head < b.head;
    if (a.source != b.source) return a.source < b.source;
    return a.sequence < b.sequence;
  }
};

}  // namespace emu::contention
