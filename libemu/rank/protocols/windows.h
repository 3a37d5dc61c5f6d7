// One-sided communication of a rank as the origin: operations on the memory of others, and the results that it awaits.
//
// An operation is a message to a server at its target (rank/protocols/window_server.h). The result is a message back.
// rank/semantics.md, "One-sided operations".
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "rank/core.h"
#include "rank/egress.h"
#include "rank/goals.h"
#include "rank/protocols/requests.h"
#include "rank/protocols/window_server.h"

namespace emu::rank {

// A result that an origin awaits.
struct AwaitedResult {
  std::uint64_t number;  // among all results that this rank has awaited
  match::Context window;
  int from;
  std::function<void(const std::byte* result)> store;  // the use of the result
  std::uint64_t operation;                             // sequence number among this rank's operations
  OneSided* request = nullptr;
  model::Bytes held = 0;  // bytes of the result that are not in the origin buffer yet
};

class Windows final : public Protocol {
 public:
  using Kind = record::OperationKind;
  struct Operation {
    match::Context window = 0;  // the window's name
    int to = 0;                 // in MPI_COMM_WORLD
    Kind kind = Kind::act;
    bool exclusive = false;                // lock
    bool locks = false;                    // takes a shared lock first, unless the origin has a lock
    model::Bytes bytes = 0;                // payload, as the target's network sees it
    model::Bytes answers = 0;              // payload of the result
    std::span<const std::byte> described;  // for WindowMemory::apply()
  };
  using Store = decltype(AwaitedResult::store);

  // All arguments outlive the object.
  Windows(Core& core, Egress& egress, RequestPool& pool, WindowServer& server)
      : core_(core), egress_(egress), pool_(pool), server_(server) {}

  // --- target
  // From here on operations of other ranks, and of this rank itself, act on `memory`.
  void open(match::Context window, WindowMemory& memory) { server_.open(window, memory); }
  // No further operation arrives.
  void close(match::Context window) { server_.close(window); }

  // --- origin
  // Sends an operation without a result.
  void send(const Operation& operation);
  // Sends an operation with a result.
  AwaitedResult* ask(const Operation& operation, Store store);
  // The result is no longer awaited: its sender has failed. It may still arrive.
  void give_up(const AwaitedResult* result);
  // True if the result has arrived in real time, even if this rank's clock is before its arrival.
  bool is_here(const AwaitedResult* result) const;
  // As ask(); the request is complete when the result has been handled.
  Request* request(const Operation& operation, Store store);
  // Returns a request that is complete already.
  Request* complete_request() { return pool_.take_complete<OneSided>(); }
  static constexpr match::Context withdrawals = ~match::Context{0};  // no window has this name

  // Number of results awaited from `from`, in MPI_COMM_WORLD, or from any rank (-1).
  int awaited(match::Context window, int from) const;
  // A rank from which such results are awaited.
  int first_awaited(match::Context window, int from) const;
  // The earliest known failure of a rank from which results are awaited, for a call that began at `entered`.
  Event failure(Protocol& protocol, match::Context window, int from, Instant entered) const;
  // Operations::ending() and end() of a request: the failure of the target, before its result.
  Event ending(Protocol& protocol, OneSided* request, Instant entered) const;
  void fail(OneSided* request, int failed);
  // `from` has failed, and no results come from it: its requests are complete, with the failure.
  void forget(match::Context window, int from);

  // --- long results occupy memory of the host until they are handled
  bool over_budget() const { return held_ > budget_; }
  // Ranks in MPI_COMM_WORLD from which results are awaited.
  std::vector<int> awaited_from() const;
  // Copies results that have arrived to the origin buffers. The program may not read these before the results are
  // handled.
  void unload();

  // --- arrivals
  [[gnu::noinline]] void answered(match::Message* answer);

  // --- events
  void offer(Event& least) override;
  void add_sources(const Event& next, SourceList& sources) const override;
  [[gnu::hot]] bool waits_only_for(const match::Posted&) const override { return awaited_.empty(); }
  void handle(const Event& event) override;
  // A result costs nothing, but the rank acts only if the call waits for it.
  Interval reaction() const override { return Interval::longest(); }

 private:
  using Results = std::map<std::uint64_t, AwaitedResult>;             // by number, in the order of asking
  using Awaited = std::map<std::pair<match::Context, int>, Results>;  // by window and rank
  void post(const Operation& operation, std::uint64_t answer);
  AwaitedResult* expect(const Operation& operation, Store store);
  void erase(Awaited::iterator of, Results::iterator result);
  AwaitedResult* awaited_by(const match::Message& answer);
  [[gnu::noinline]] void offer_answer(Event& least);
  void finish(match::Message* answer);

  Core& core_;
  Egress& egress_;
  RequestPool& pool_;
  WindowServer& server_;
  MessagesInOrder answers_;  // results that have arrived and have not been handled
  MessagesInOrder full_;     // of these, the ones with data that have not been copied
  Awaited awaited_;          // results that have not been handled
  static constexpr model::Bytes roomy = model::Bytes{64} << 20;
  model::Bytes held_ = 0, budget_ = roomy;  // bytes of results, arrived or awaited
  std::uint64_t asked_ = 0;
};

// Goal: no result is awaited any more.
class AnswersGoal final : public Goal {
 public:
  // From `from`, in MPI_COMM_WORLD, or from any rank (-1). Both references outlive the object.
  AnswersGoal(Core& core, Windows& windows, match::Context window, int from)
      : core_(core), windows_(windows), window_(window), from_(from), entered_(core.clock.now()) {}

  bool done() const { return windows_.awaited(window_, from_) == 0; }
  bool may_be_over() const override { return done(); }
  // The last rank that failed before it had answered; -1: all have answered.
  int failed() const { return failed_; }
  void offer(Event& least) override;
  void add_sources(const Event&, SourceList&) const override {}  // Windows adds them
  bool waits_only_for(const match::Posted&) const override { return false; }
  void handle(const Event& event) override;
  Interval reaction() const override { return {}; }
  void describe(match::Waiting& waiting) const override;

 private:
  Core& core_;
  Windows& windows_;
  const match::Context window_;
  const int from_;
  const Instant entered_;
  int failed_ = -1;
};

// Goal: all operations that arrive by a limit in virtual time have taken effect, even those still under way in real
// time.
class SyncGoal final : public Goal {
 public:
  void offer(Event&) override {}
  void add_sources(const Event&, SourceList& sources) const override { sources.everyone = true; }
  bool waits_only_for(const match::Posted&) const override { return false; }
  void handle(const Event&) override {}
  Interval reaction() const override { return {}; }
  void describe(match::Waiting&) const override {}
};

}  // namespace emu::rank
