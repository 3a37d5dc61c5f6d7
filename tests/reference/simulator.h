// The meaning of a program in virtual time, as libemu/rank/semantics.md has it, by the plainest means: all
// ranks in one process, one after the other, and always the rank whose next action has the least instant.
// Since whatever a rank does reaches others at least one lookahead (1 ps or more) later, every message that
// can matter to that action exists by then. Nothing is asked of the engine; both share only the
// collectives' schedules of libemu/model.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "reference/cluster.h"
#include "reference/mailbox.h"
#include "reference/outcome.h"
#include "reference/program.h"
#include "reference/script.h"
#include "trace/summary.h"

namespace emu::reference {

// What was met so far, to see that the tests test something.
struct Coverage {
  std::int64_t messages = 0;    // of programs, not of collectives
  std::int64_t rendezvous = 0;  // of any origin
  std::int64_t choices = 0;     // messages bound to receives from any source
  std::int64_t contested = 0;   // those another source's message could have got
  std::int64_t ties = 0;
  std::int64_t held = 0;    // messages let go by another one's choice, see Mailbox::settle
  std::int64_t probes = 0;  // blocking
  std::int64_t iprobes = 0;
  std::int64_t tests = 0;
  std::int64_t false_polls = 0;
  std::int64_t waits = 0;       // completion calls that wait
  std::int64_t progressed = 0;  // handshake messages handled by a call on other requests
  std::int64_t collectives = 0;
  std::int64_t queued = 0;       // messages that had to wait for the bus
  std::int64_t kept_behind = 0;  // messages on a link that became faster, behind one before them
  std::int64_t lost = 0;         // messages that came to a node that was down, or were not sent any more
  std::int64_t stopped = 0;      // costs and waits that a node's being down made longer
  std::int64_t failed = 0;       // ranks that failed for good
  std::int64_t crossings = 0;    // computations during which the speed of their node changed
};

// Copy it to try a program and go back.
class Simulator {
 public:
  enum class End {
    finished,
    deadlock,
    endless,   // polls without end, or too many for a test
    leftover,  // messages or requests were not done with
  };

  Simulator(const Cluster& cluster, int ranks);
  Simulator(const model::Parameters& network, int ranks) : Simulator(Cluster(network, ranks), ranks) {}

  // Goes on from the clocks at hand. Useless afterwards unless finished.
  End run(const Program& program);

  // Of the last program, per rank and operation.
  const std::vector<std::vector<Outcome>>& outcomes() const { return outcomes_; }
  Instant clock(int rank) const { return ranks_[static_cast<std::size_t>(rank)].clock; }
  const trace::Breakdown& time(int rank) const { return ranks_[static_cast<std::size_t>(rank)].time; }
  // All that a run's record says of a rank that stops here.
  trace::RankSummary summary(int rank) const;
  Coverage coverage() const;
  // Is told of each message that is handled, in words.
  void observe(std::function<void(const std::string&)> observer) { observer_ = std::move(observer); }
  // For the tests: which of two ranks acts first at the same instant must not matter.
  void reverse_ties() { reverse_ties_ = true; }

 private:
  struct Request {
    bool receive = false;
    int slot = -1;
    bool complete = false;
    Outgoing out;
    match::Context context = 0;
    int destination = nobody;
    int posted = -1;  // receives: index in the mailbox; -1: from nobody
  };

  struct Rank {
    Instant clock;
    bool failed = false;  // for good; the clock is at that instant
    trace::Breakdown time;
    std::optional<Instant> last_send;  // start of the send before
    Instant card_out;                  // serial card: free for sending from then on
    std::uint64_t sent = 0;            // messages of all kinds
    std::int64_t messages_sent = 0;    // of the program and its collectives
    std::int64_t bytes_sent = 0;       // by these
    Mailbox mailbox;
    std::vector<Request> requests;
    std::vector<int> slots;  // request in each slot; -1: null
    // The operation at hand.
    std::size_t next = 0;
    bool begun = false;
    bool joined = false;
    std::deque<Step> steps;
    std::vector<int> started;  // since the last wait step
    Outcome outcome;
  };
  using Requests = std::vector<int>;

  const Operation& operation(int rank) const;
  // When `rank` acts next; never if it has nothing to act upon.
  Instant next_action(int rank) const;
  Instant next_wanted(int rank) const;  // as if its node never failed
  void act(int rank, Instant now);
  bool carry_out(int rank, const Step& step, Instant now);  // true: the step is done
  void finish_operation(int rank);
  // The rank's node goes down for good.
  void fail(int rank);
  // The clock is at `instant`, or when the node is up again after it.
  void stand_still(int rank);
  // The clock goes on to `until`: time in which the node is down is that, all other is `part`.
  void spend(int rank, Interval trace::Breakdown::*part, Instant until);
  void join();

  // simulator_messages.cc: what a rank sends and receives
  void start_send(int rank, const Step& step);
  void post(int rank, const Step& step);
  void leave(int rank, int to, Message message);
  void pass_bus();
  // Of all messages whose head is there by `now` it is certain when they arrive, and so whether they are
  // lost.
  void decide(Instant now);
  void charge(int rank, Interval trace::Breakdown::*part, Interval cost);
  void wait_until(int rank, Instant instant);
  void compute(int rank, Instant done);
  // Whether `m`, in the mailbox of `rank`, is an event: a handshake, or the completion of one of `wanted`.
  bool is_event(int rank, const Message& m, const Requests* wanted) const;
  int least_event(int rank, Instant until, const Requests* wanted) const;
  Instant next_event(int rank, const Requests* wanted) const;
  // Returns the request that this completed, or -1.
  int handle(int rank, int message);
  void tell(int rank, const Message& m, Instant before) const;

  // simulator_calls.cc: completion calls and probes
  Requests wanted(int rank) const;
  bool satisfied(int rank) const;
  void sweep(int rank, Instant until, const Requests* wanted);
  bool wait(int rank, Instant now);
  bool test(int rank, Instant now);
  bool test_once(int rank, Instant now, const Requests& wanted);
  bool test_all(int rank, Instant now, const Requests& wanted);
  bool probe(int rank, Instant now);
  bool answer_false(int rank);
  void found(int rank, const Message& message);
  void report(int rank, int request);
  void report_slots(int rank);
  match::Filter probe_filter(int rank) const;

  Costs costs_;
  std::vector<Rank> ranks_;
  const Program* program_ = nullptr;
  std::vector<std::vector<Outcome>> outcomes_;
  Coverage coverage_;
  Instant bus_free_;  // from then on, before the messages at hand
  bool endless_ = false;
  bool reverse_ties_ = false;
  std::function<void(const std::string&)> observer_;
};

}  // namespace emu::reference
