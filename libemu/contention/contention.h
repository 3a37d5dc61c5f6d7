// Contention: messages that share resources, in virtual order.
//
// A message whose head comes to its resources at h and whose other bytes take d where it meets no other arrives at h + d.
// Others that are on the same resources delay it:
// - fair: all flows on a resource move at once, at max-min fair rates (Bertsekas and Gallager, "Data Networks", 2nd ed.,
//   1992, 6.5.2), which are worked out anew whenever a flow begins or ends. No flow is faster than alone.
// - fifo: a resource serves one flow after another, in the order (head, source, number). A flow's head is at its next
//   resource as soon as the one before serves it, and its bytes follow without a break.
//
// Nothing happens between events, which are heads and ends; so the state depends on the flows alone, never on the instants
// up to which somebody asked. All numbers are whole: the same on every host.
//
// Certainty. Let all flows be here whose heads come before t. Then all that happens up to t is certain: a head at t or
// later changes no rate before t. A flow that has not landed by t still takes as long, at the least, as the bytes that are
// left take alone: no flow is ever faster than that. `landing` says so, and never less than it said before.
//
// The state is in memory that the processes of a host node share; whoever uses it holds a lock (wire/shared_contention.h).
// Each host node has its own copy, and all flows are added to each.
#pragma once

#include <boost/intrusive/list.hpp>
#include <boost/intrusive/set.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "contention/flow.h"
#include "contention/load.h"
#include "model/resources.h"

namespace emu::contention {

// What a resource has carried so far.
struct Usage {
  std::int64_t bytes = 0;
  std::int64_t messages = 0;
  Interval busy;             // with at least one flow
  std::int32_t longest = 0;  // the most flows at once
  // The only source that may have sent over half of the bytes (Boyer and Moore's vote), and how many it sent at the least.
  std::int32_t most_by = -1;
  std::int64_t by_it = 0;
  std::int64_t votes = 0;
  Load load;

  void carry(std::int32_t source, std::int64_t more);
  void keep_busy(Instant from, Instant until);
};

struct Landing {
  Instant at;                  // no sooner
  bool certain = false;        // at this very instant
  std::int32_t resource = -1;  // that it waited for last; -1: for none
};

class Contention {
 public:
  // Bytes of the shared state.
  static std::size_t bytes(int resources, int receivers);
  // In zeroed memory of that many bytes, by one process.
  static void create(std::byte* at, const model::Resources& resources, int receivers);
  explicit Contention(std::byte* at);

  // A flow with its sender's part and the resources of its stages filled in. False, and nothing is changed, if its head would
  // come before now(): then somebody was wrongly certain.
  [[nodiscard]] bool add(Flow& flow);
  // Works out what happens up to `until`. All flows whose heads come before that are here; of those that come at that instant,
  // those of sources up to `source`. (What is served first of one instant depends on the source.)
  void advance(Instant until, int source = -1);
  // Up to when that is worked out.
  Instant now() const;
  // Grows whenever more is worked out: as long as it stays, so do the landings of all flows that are here.
  std::uint64_t steps() const;

  Landing landing(const Flow& flow) const;
  // No sooner than this `receiver`, whose clock is at `clock`, acts upon a flow that is for it and that it has not taken: at a
  // landing, if that is an operation; else `reaction` after it, or after the clock. Never: there is none.
  Instant acts_from(int receiver, Instant clock, Interval reaction) const;
  // The receiver has taken it. Whether it has landed; if not, it will be among gone().
  bool untrack(Flow& flow);
  // Flows that nobody tracks, and that have landed since the last call: their memory is free.
  std::vector<Flow*> take_gone();

  int resources() const;
  Usage usage(int resource) const;

 private:
  struct State;
  struct Link;
  struct Receiver;

  Link& link(int resource) const;
  Receiver& receiver(int slot) const;
  void schedule(Flow& flow, Instant next);
  void begin(Flow& flow);
  void serve(Flow& flow);
  Instant served_from(const Flow& flow) const;
  void enter(Flow& flow, Stage& stage);
  void land(Flow& flow);
  void leave(Flow& flow, Stage& stage);
  void settle(Flow& flow, Instant at);
  // --- max-min fair rates of the flows that are connected with `changed_`
  void share_out();
  void collect();
  void fill();
  void fix(Flow& flow, Fraction rate, int limiting);

  State* state_;
  Link* links_;
  Receiver* receivers_;

  // Scratch of one advance, of this process.
  std::vector<int> changed_;  // resources that a flow has come to or left
  std::vector<int> connected_;
  std::vector<Flow*> flows_;
  std::vector<Flow*> gone_;
  struct Share {
    Fraction rate;
    int resource;
  };
  std::vector<Share> heap_;
};

}  // namespace emu::contention
