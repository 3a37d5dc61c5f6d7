// Contention: messages that share resources, in virtual order.
//
// A message whose head comes to its resources at h, and whose other bytes take d if it shares
// them with no other message, arrives at h + d. Other messages on its resources delay it:
// - fair: all flows on a resource move at once, at max-min fair rates (Bertsekas and Gallager, "Data Networks",
//   2nd ed., 1992, 6.5.2), which are computed anew whenever a flow begins or ends. No flow is faster than alone.
// - fifo: a resource serves one flow after another, in the order (head, source, number). A flow's head is at its next
//   resource as soon as the preceding one serves it, and its bytes are pipelined. On the bus, a flow that waited takes
//   over the path to the end of the preceding flow.
// The resources of one flow have the same rule.
//
// The state changes only at events, which are heads and ends. So it depends on the flows alone, not on the instants
// up to which it was computed. All numbers are whole: equal on every host.
//
// Certainty. If all flows are present whose heads come before t, everything that happens up to t is certain: a head
// at t or later changes no rate before t. A flow that has not landed by t still takes at least the time that its
// remaining bytes take alone, since no flow is ever faster. `landing` is computed from that, and never decreases.
//
// The state is in memory that the processes of a host node share; its user holds a lock (wire/shared_contention.h).
// Each host node has its own copy, and all flows are added to each copy.
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

// Use of a resource.
struct Usage {
  std::int64_t bytes = 0;
  std::int64_t messages = 0;
  Interval busy;             // with at least one flow
  std::int32_t longest = 0;  // the greatest number of flows at once
  // The only source that may have sent over half of the bytes (Boyer and Moore's vote), and a lower bound of its bytes.
  std::int32_t most_by = -1;
  std::int64_t by_it = 0;
  std::int64_t votes = 0;
  Load load;

  void carry(std::int32_t source, std::int64_t more);
  void keep_busy(Instant from, Instant until);
};

struct Landing {
  Instant at;                          // lower bound
  bool certain = false;                // `at` is exact
  std::int32_t resource = -1;          // the resource that limited it last; -1: none
  Gain gain;                           // of a certain landing
  const record::Path* path = nullptr;  // to a certain landing, on the bus
};

class Contention {
 public:
  // Size of the shared state.
  static std::size_t bytes(int resources, int receivers);
  // Initialises zeroed memory of that size. Called by one process.
  static void create(std::byte* at, const model::Resources& resources, int receivers);
  explicit Contention(std::byte* at);

  // Adds a flow whose sender's part and resources of its stages are filled in. Returns false,
  // without a change, if its head would come before now(): then some rank was certain by mistake.
  [[nodiscard]] bool add(Flow& flow);
  // Advances the state to `until`. All flows whose heads come before `until` must be present. Of the flows that come at
  // that instant, those of sources before `source` must be present, and those of `source` up to `sequence`: the order
  // of service at one instant depends on these.
  void advance(Instant until, int source = -1, std::uint64_t sequence = ~std::uint64_t{0});
  // The instant up to which the state is computed.
  Instant now() const;
  // Number of changes of the state. While it is constant, so are the landings of all present flows.
  std::uint64_t steps() const;

  Landing landing(const Flow& flow) const;
  // Lower bound of the instant at which `receiver`, with this clock, acts upon a flow that it has not taken: the
  // landing of an operation; otherwise `reaction` after the landing or the clock. Never if there is no such flow.
  Instant acts_from(int receiver, Instant clock, Interval reaction) const;
  // The receiver has taken the flow. Returns true if it has landed; otherwise the flow will be among take_gone().
  bool untrack(Flow& flow);
  // Flows that are not tracked and have landed since the last call: their memory is free.
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
  Gain earlier(const Flow& flow) const;
  // --- max-min fair rates of the flows that are connected with `changed_`
  void share_out();
  void collect();
  void fill();
  bool find_least();
  void take_level();
  void fix(Flow& flow, Fraction rate, int limiting, double growth);

  State* state_;
  Link* links_;
  Receiver* receivers_;

  // Scratch of one advance, in this process.
  std::vector<int> changed_;  // resources that a flow has joined or left
  std::vector<int> connected_;
  std::vector<Flow*> flows_;
  std::vector<Flow*> gone_;
  struct Share {
    Fraction rate;
    int resource;
  };
  std::vector<Share> heap_;
  struct Limit {
    int resource;
    double growth;
  };
  std::vector<Limit> level_;
};

}  // namespace emu::contention
