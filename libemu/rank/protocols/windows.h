// One-sided communication of a rank: operations on the memory of others, and the server of its own.
//
// An operation is a message to a server at its target. The server is a logical process of its own: it takes no time of
// the target's CPU, and the target's clock has nothing to do with it. Operations take effect at the instants at which
// they arrive, in the order of their keys, each when it is certain that none comes before it, as receives from any
// source choose. What answers leaves at that very instant. rank/semantics.md, "One-sided operations".
//
// The server runs in the target's process, since the memory is there, whenever that is inside the library: in calls that
// wait, as events among others (the scheduler's, rank/scheduler.h), and at the end of all calls. That delays the host
// alone: as long as an operation has not taken effect, the target's bound is no later than its arrival, though its clock
// may be far beyond; so nobody counts on anything that its answer could change (wire/table.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

#include "rank/core.h"
#include "rank/egress.h"
#include "rank/goals.h"
#include "rank/protocols/requests.h"
#include "rank/scheduler.h"

namespace emu::rank {

// A rank's memory in a window, where others' operations take effect. Of operations the rank knows how long they are and
// when they arrive, nothing else.
class WindowMemory {
 public:
  virtual ~WindowMemory() = default;
  // `operation`, as its origin described it, takes effect. What it answers goes to `answer`, which has room for what it
  // said that it would.
  virtual void apply(std::span<const std::byte> operation, std::byte* answer) = 0;
};

class Windows final : public Served {
 public:
  using Kind = record::OperationKind;
  struct Operation {
    match::Context window = 0;  // its name
    int to = 0;                 // in MPI_COMM_WORLD
    Kind kind = Kind::act;
    bool exclusive = false;                // lock
    bool locks = false;                    // takes a shared lock first, unless its origin has a lock
    model::Bytes bytes = 0;                // that it carries, as the target's network sees it
    model::Bytes answers = 0;              // that its answer carries
    std::span<const std::byte> described;  // for WindowMemory::apply()
  };
  // What is done with the answer.
  using Store = std::function<void(const std::byte* answer)>;

  // All outlive it.
  Windows(Core& core, Egress& egress, RequestPool& pool) : core_(core), egress_(egress), pool_(pool) {}

  // --- as the target
  // From here on operations of others, and of this rank itself, find `memory`.
  void open(match::Context window, WindowMemory& memory);
  // None comes any more.
  void close(match::Context window);

  // --- as the origin
  // The operation leaves; nobody waits for it.
  void send(const Operation& operation);
  // It leaves, and is answered.
  struct Answer {
    std::uint64_t number;  // of all that this rank awaited
    match::Context window;
    int from;
    Store store;
    std::uint64_t operation;  // its place among this rank's
    Request* request = nullptr;
    model::Bytes held = 0;  // that it brings, and that are not in their place
  };
  Answer* ask(const Operation& operation, Store store);
  // Nobody waits for the answer any more: who would give it has failed. It may still come.
  void give_up(const Answer* answer);
  // It is here, though this rank need not have come so far.
  bool is_here(const Answer* answer) const;
  // The same, and the request is complete when the answer is here.
  Request* request(const Operation& operation, Store store);
  // A request that is complete already.
  Request* complete_request() { return pool_.take_complete(); }
  // Whether what a send's request awaits is whether it was taken back.
  static bool withdraws(const Request* send) {
    return send->answer && static_cast<const Answer*>(send->answer)->window == withdrawals;
  }
  static constexpr match::Context withdrawals = ~match::Context{0};  // no window has this name

  // How many answers are still to come from `from`, in MPI_COMM_WORLD, or from anyone (-1).
  int awaited(match::Context window, int from) const;
  // One of those that they are awaited from.
  int first_awaited(match::Context window, int from) const;
  // The failure, by a call that began at `entered`, of one of those that answers are awaited from: the one that is known first.
  Event failure(Protocol& protocol, match::Context window, int from, Instant entered) const;
  // No answers come from `from` any more, which has failed: their requests are complete, and say so.
  void forget(match::Context window, int from);

  // --- answers that are long take up memory of the host until they are handled
  bool crowded() const { return held_ > crowd_; }
  // Ranks in MPI_COMM_WORLD.
  std::vector<int> awaited_from() const;
  // What those bring that are here goes to its place, where the program may not look before they are handled.
  void unload();

  // --- what has come in
  [[gnu::noinline]] void arrived(match::Message* operation);
  [[gnu::noinline]] void answered(match::Message* answer);

  // --- events
  bool serving() const override { return !windows_.empty(); }
  Instant pending() const override;
  void offer_operation(Event& least) override;
  void offer(Event& least) override;
  void add_sources(const Event& next, SourceList& sources) const override;
  [[gnu::hot]] bool waits_only_for(const match::Posted&) const override { return awaited_.empty(); }
  void handle(const Event& event) override;

 private:
  struct Header;                                    // what an operation's message begins with
  using Answers = std::map<std::uint64_t, Answer>;  // by number, in the order of asking
  using Awaited = std::map<std::pair<match::Context, int>, Answers>;  // by window and rank
  struct ByTurn {
    bool operator()(const match::Message* a, const match::Message* b) const { return a->turn() < b->turn(); }
  };
  using InOrder = std::set<match::Message*, ByTurn>;
  // A window at its target.
  struct Server {
    WindowMemory* memory;
    std::map<int, bool> holders;  // by origin: whether exclusively
    // Those who wait for the lock, in the order in which they asked for it, and what they sent since, that included.
    std::deque<int> waiting;
    std::map<int, std::deque<match::Message*>> behind;
  };

  void post(const Operation& operation, std::uint64_t answer);
  Answer* expect(const Operation& operation, Store store);
  void erase(Awaited::iterator of, Answers::iterator answer);
  Answer* awaited_by(const match::Message& answer);
  void take_effect(match::Message* operation);
  void act(Server& server, match::Message* operation);
  void answer(match::Message* operation, const Header& header, Server& server);
  int first_to_be_lost() const;
  [[gnu::noinline]] void offer_loss(Event& least);
  [[gnu::noinline]] void offer_answer(Event& least);
  void give_back(int origin);
  void release(Server& server, int origin, Instant at, const record::Path& way);
  void finish(match::Message* answer);

  Core& core_;
  Egress& egress_;
  RequestPool& pool_;
  std::unordered_map<match::Context, Server> windows_;
  InOrder pending_;  // operations that have not taken effect
  InOrder answers_;  // that are here and have not been handled
  InOrder full_;     // of these, whose bytes have not been looked at
  Awaited awaited_;  // answers still to be handled
  static constexpr model::Bytes roomy = model::Bytes{64} << 20;
  model::Bytes held_ = 0, crowd_ = roomy;  // by answers, here or awaited
  std::uint64_t asked_ = 0;
};

// Waits until nothing is awaited any more.
class AnswersGoal final : public Goal {
 public:
  // From `from`, in MPI_COMM_WORLD, or from anyone (-1). Both outlive it.
  AnswersGoal(Core& core, Windows& windows, match::Context window, int from)
      : Goal(Interval()),
        core_(core),
        windows_(windows),
        window_(window),
        from_(from),
        entered_(core.clock.now()) {}

  bool done() const { return windows_.awaited(window_, from_) == 0; }
  // The last rank that failed before it had answered; -1: all have.
  int failed() const { return failed_; }
  void offer(Event& least) override;
  void add_sources(const Event&, SourceList&) const override {}  // those of Windows
  bool waits_only_for(const match::Posted&) const override { return false; }
  void handle(const Event& event) override;
  void describe(match::Waiting& waiting) const override;

 private:
  Core& core_;
  Windows& windows_;
  const match::Context window_;
  const int from_;
  const Instant entered_;
  int failed_ = -1;
};

// All operations of others that have arrived by a limit, even those that are still on their way in real time.
class SyncGoal final : public Goal {
 public:
  SyncGoal() : Goal(Interval()) {}
  void offer(Event&) override {}
  void add_sources(const Event&, SourceList& sources) const override { sources.everyone = true; }
  bool waits_only_for(const match::Posted&) const override { return false; }
  void handle(const Event&) override {}
  void describe(match::Waiting&) const override {}
};

}  // namespace emu::rank
