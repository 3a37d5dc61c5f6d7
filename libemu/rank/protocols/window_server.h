// Server of a rank's memory: carries out the one-sided operations that other ranks, and this rank itself, request.
//
// The server is a logical process of its own: it takes no CPU time of the target and does not depend on the target's
// clock. Operations take effect at their arrivals, in key order, each when it is certain that no other operation
// precedes it, like choices of receives from any source. The result leaves at that instant. rank/semantics.md,
// "One-sided operations".
//
// The server runs in the target's process, where the memory is, whenever that process is inside the library: in calls
// that wait, as events among others, and at the end of all calls (rank/scheduler.h). This delays only the host: until
// an operation has taken effect, the target's bound is at most the operation's arrival, even if its clock is far
// beyond. So no rank relies on anything that the result could change (wire/table.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <span>
#include <unordered_map>

#include "rank/core.h"
#include "rank/egress.h"

namespace emu::rank {

// A rank's memory in a window, on which operations of other ranks take effect. Of an operation, the rank knows only its
// length and its arrival.
class WindowMemory {
 public:
  virtual ~WindowMemory() = default;
  // Applies `operation`, in the form in which its origin described it. Writes
  // its result to `answer`, which has the size that the origin announced.
  virtual void apply(std::span<const std::byte> operation, std::byte* answer) = 0;
};

// First part of an operation's message.
struct OperationHeader {
  match::Context window;
  std::uint64_t answer;  // the number of the origin's AwaitedResult; 0: no result
  model::Bytes answers;  // payload of the result
  record::OperationKind kind;
  bool exclusive, locks;
};

// Messages in key order.
using MessagesInOrder = std::set<match::Message*, match::MessageIndex::ByKey>;

class WindowServer final : public Server {
 public:
  // Both outlive the object.
  WindowServer(Core& core, Egress& egress) : core_(core), egress_(egress) {}

  // From here on operations act on `memory`.
  void open(match::Context window, WindowMemory& memory);
  // No further operation arrives.
  void close(match::Context window);

  [[gnu::noinline]] void arrived(match::Message* operation);

  // --- events: operations that take effect, and failures of ranks that have or await a lock
  bool serving() const override { return !windows_.empty(); }
  void offer(Event& least) override;
  void add_sources(const Event& next, SourceList& sources) const override;
  [[gnu::hot]] bool waits_only_for(const match::Posted&) const override { return true; }
  void handle(const Event& event) override;

 private:
  struct Window {
    WindowMemory* memory;
    std::map<int, bool> holders;  // lock holders by origin; true: exclusive
    // Origins that wait for the lock, in the order of their requests, and all their operations from the request on.
    std::deque<int> waiting;
    std::map<int, std::deque<match::Message*>> behind;
  };

  [[gnu::noinline]] void offer_operation(Event& least);
  void take_effect(match::Message* operation);
  void act(Window& window, match::Message* operation);
  void answer(match::Message* operation, const OperationHeader& header, Window& window);
  int first_to_be_lost() const;
  [[gnu::noinline]] void offer_loss(Event& least);
  void give_back(int origin);
  void release(Window& window, int origin, Instant at, const record::Path& way);

  Core& core_;
  Egress& egress_;
  std::unordered_map<match::Context, Window> windows_;
  MessagesInOrder pending_;  // operations that have not taken effect
};

}  // namespace emu::rank
