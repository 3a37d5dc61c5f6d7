// The meaning of a program in virtual time according to libemu/rank/semantics.md,
// implemented in the simplest way: all ranks in one process, one after another, always the
// rank whose next action has the least instant. A rank's action reaches others at least
// one lookahead (1 ps or more) later, so every message that can affect that action exists
// by then. The engine is not used; collectives have plans of their own (collectives/).
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "record/summary.h"
#include "reference/cluster/cluster.h"
#include "reference/program/outcome.h"
#include "reference/program/program.h"
#include "reference/simulator/coverage.h"
#include "reference/simulator/flows.h"
#include "reference/simulator/mailbox.h"
#include "reference/simulator/script.h"

namespace emu::reference {

// Keys of operations and of results: after all messages of the same instant and source.
inline constexpr std::uint64_t first_operation = std::uint64_t{1} << 61;
inline constexpr std::uint64_t first_result = std::uint64_t{1} << 62;
// Contexts of partitioned sends and receives are multiples of this, and that of the communicator.
inline constexpr match::Context first_partitioned = match::Context{1} << 48;

// Number of the messages by which a leader tells of a failure.
inline constexpr int marked = -1;

// Copy a simulator to try a program and go back.
class Simulator {
 public:
  enum class End {
    finished,
    deadlock,
    endless,   // polls without end, or more polls than a test permits
    leftover,  // messages or requests remain
  };

  Simulator(const Cluster& cluster, int ranks);
  Simulator(const model::Parameters& network, int ranks) : Simulator(Cluster(network, ranks), ranks) {}

  // Continues from the present clocks. Unusable afterwards, unless the result is `finished`.
  End run(const Program& program);

  // Results of the last program, by rank and operation.
  const std::vector<std::vector<Outcome>>& outcomes() const { return outcomes_; }
  Instant clock(int rank) const { return ranks_[static_cast<std::size_t>(rank)].clock; }
  const record::Breakdown& time(int rank) const { return ranks_[static_cast<std::size_t>(rank)].time; }
  // The record of a rank that stops here.
  record::RankSummary summary(int rank) const;
  Coverage coverage() const;
  // Called with a description of each handled message.
  void observe(std::function<void(const std::string&)> observer) { observer_ = std::move(observer); }
  // For tests: the order in which two ranks act at the same instant must not matter.
  void reverse_ties() { reverse_ties_ = true; }

 private:
  struct Request {
    bool receive = false;
    int slot = -1;
    bool persistent = false;
    bool complete = false;
    Outgoing out;
    match::Context context = 0;
    int destination = nobody;
    int posted = -1;          // receives: index in the mailbox; -1: from MPI_PROC_NULL
    bool background = false;  // a buffered send whose handshake is in progress
    bool failed = false;      // complete, by the failure of another rank
    bool forgotten = false;   // with the collective to which it belonged
    bool doubt = false;       // complete as far as the current call is concerned: its source may have failed
    bool in_parts = false;    // a partitioned send
    int parts_left = 0;       // of it, that are not ready
    int part_of = -1;         // the collective in the background
    std::uint64_t sequence = 0;  // of its message
    bool eager = false;
    bool data_sent = false;  // by handshake; or synchronous data have been received
    bool asked = false;      // its cancel was requested
    bool awaits = false;     // the result of the cancel is unknown
    bool cancelled = false;
    bool released = false;  // a receive whose request was freed: its data cost nothing
  };

  // A collective in the background, a send and a receive with one request, or a partitioned send that is under way.
  struct Background {
    int request = -1;  // its request
    bool exchange = false;
    std::deque<Step> steps;
    std::vector<int> started;      // since the previous wait
    std::vector<int> group;        // members of the collective
    std::optional<Instant> entry;  // when the current wait began
  };

  struct Communicator {
    Members members;
    int background = 0;                   // number of collectives begun
    std::optional<Instant> acknowledged;  // failures known by then are acknowledged
    int agreements = 0;                   // number of agreements begun
    int makers = 0;                       // number of operations begun that make communicators
  };

  // A member's contribution to an agreement, and the speaker's answer: their messages carry it.
  struct Ballot {
    int flag = -1;
    std::vector<int> acknowledged;  // failures of these, in the world
  };
  struct Agreement {
    std::map<int, Ballot> said;
    int flag = -1;
    bool acknowledged = false;
    std::vector<int> left;
  };

  // An event E4, E5 or E6.
  struct Failure {
    Instant at;
    int of = -1;
    int request = -1;  // none: of a probe or a collective
    bool doubt = false;
    int background = -1;  // E6 of this operation in the background
  };

  struct Rank {
    Instant clock;
    bool failed = false;  // for good; the clock is at that instant
    record::Breakdown time;
    std::optional<Instant> idle_since;  // the first of the false answers in a row
    std::optional<Instant> last_send;   // start of the previous send
    Instant card_out;                   // serial card: free for sending from then on
    std::uint64_t sent = 0;             // messages of all kinds, except operations and results
    std::uint64_t operations = 0, results = 0;
    std::map<int, Instant> last_message, last_operation;  // by receiver: the last arrival, or head
    std::map<std::tuple<match::Context, int, int, bool>, int>
        partitioned;                 // number created, by these properties
    std::int64_t messages_sent = 0;  // of the program and its collectives
    std::int64_t bytes_sent = 0;     // by these messages
    Mailbox mailbox;
    std::vector<Request> requests;
    std::vector<int> slots;  // request in each slot; -1: null
    std::vector<bool> idle;  // by slot: an inactive persistent request
    std::vector<int> tags;   // of the last collective in the background in each slot
    std::vector<int> found;  // receive of the message that a matched probe found, by slot
    std::vector<Background> background;
    std::vector<Communicator> communicators;
    std::size_t newest = 0;  // index of the newest
    // The current operation.
    std::size_t next = 0;
    bool begun = false;
    std::deque<Step> steps;
    std::optional<Instant> entry;  // when the current step began to wait or test
    std::vector<int> group;        // ranks whose failures break the current part of a collective
    Step part;                     // the begin of this part
    bool owes = false;             // a leader of a broken group: it takes part in the next exchange
    bool told = false;             // of a failure, by the other leader
    bool agrees = false;           // an agreement is in progress, up to its final cost
    std::vector<int> unheard;      // by the speaker
    std::vector<int> started;      // since the last wait step
    std::deque<int> telling;       // requests of messages about edges, in the background
    Outcome outcome;
  };
  using Requests = std::vector<int>;

  const Operation& operation(int rank) const;
  // The instant of the next action of `rank`; never if there is none.
  Instant next_action(int rank) const;
  Instant next_wanted(int rank) const;  // as if its node never failed
  void act(int rank, Instant now);
  // Operations take effect that come before the next action of `rank`.
  void serve(int rank, const match::Arrival& limit);
  void answer_operations(int rank);
  // Makes the choices up to `now`, but none after the event of a failure.
  void settle(int rank, Instant now);
  Communicator& communicator(int rank);  // of the current operation
  const Communicator& communicator(int rank) const {
    return const_cast<Simulator*>(this)->communicator(rank);
  }
  const Communicator& communicator_of(int rank, match::Context context) const;
  // The current operation, with peers as ranks in its communicator.
  Operation resolved(int rank) const;

  // simulator_steps.cc: steps of operations, outages of the rank's node
  void begin(int rank);
  void begin_collective(int rank, const Step& step);
  void begin_waiting(int rank);
  bool carry_out(int rank, const Step& step, Instant now);  // true: the step is complete
  void work(int rank, const Step& step);                    // of a collective
  void start(int rank, const Step& step);                   // of messages and operations in the background
  bool call(int rank, Instant now);                         // true: the call of the operation is complete
  void finish_operation(int rank);
  // The rank's node goes down for good; the time until then counts as `part`.
  void fail(int rank, Interval record::Breakdown::*part = &record::Breakdown::wait);
  // If the node is down at the rank's clock, advances the clock to the end of the outage.
  void stand_still(int rank);
  // Advances the clock to `until`: outages count as such, all other time as `part`.
  void spend(int rank, Interval record::Breakdown::*part, Instant until);
  std::vector<int> nodes_of(const Members& members) const;

  // simulator_failures.cc: failures of others that a rank notices
  Instant known(int rank, int other) const { return costs_.known(other, rank); }
  // The least event; `of_call`: those of the current call count, too.
  std::optional<Failure> failure(int rank, bool of_call = true) const;
  std::optional<Failure> failure_of_call(int rank) const;
  std::optional<Failure> failure_behind(int rank, const Background& background) const;
  std::optional<Failure> failure_of_members(int rank, const std::vector<int>& group, Instant entry) const;
  std::optional<Failure> failure_of(int rank, int request, Instant entry) const;
  std::optional<Failure> failure_of_exchange(int rank, int request, Instant entry) const;
  std::optional<Failure> failure_of_probe(int rank) const;
  std::optional<Failure> doubt(int rank, match::Context context, Instant entry) const;
  bool has_data(int rank, int receive) const;
  bool has_answer(int rank, int send) const;
  // The instant at which the current wait notices a failure, if it is before `instant`.
  std::optional<Instant> failure_before(int rank, Instant instant) const;
  void handle(int rank, const Failure& failure);
  void fail(int rank, int request);
  void forget(int rank, int request);
  int first_known(int rank, const std::vector<int>& of) const;  // -1: none of these ever fails
  // A failure of one of these ranks is known at the rank's clock.
  bool broken_by_now(int rank, const std::vector<int>& group) const;
  // Ends the operation with a failure.
  void break_off(int rank);
  // True if the rank first has to tell another leader of the failure.
  bool owes_exchange(int rank);
  // Only waits for its own messages about edges.
  void await_told(int rank);
  void heed(int rank);
  void acknowledge(int rank);
  void get_acknowledged(int rank);

  // simulator_agreements.cc
  int speaker(int rank) const;
  Agreement& agreement(int rank);
  void begin_agreement(int rank);
  void tell(int rank, const std::vector<int>& others);
  void hear(int rank, int other);
  void end_talk(int rank);
  void decide_agreement(int rank);
  void take_agreement(int rank);

  // simulator_messages.cc: sends and receives of a rank
  // These return the request.
  int start_send(int rank, const Step& step);
  int post(int rank, const Step& step);
  // True if a persistent receive in doubt is still under way, so that it cannot start again.
  bool stays_in_doubt(int rank);
  int new_send(int rank, const Step& step);
  void begin_send(int rank, int request);
  void make_ready(int rank);
  match::Context partitioned(int rank, const Step& step, int peer, int tag, bool sends);
  // Cancels the send or the receive of the current operation, if that is still possible.
  void cancel(int rank, Instant now);
  void cancel_receive(int rank, int request, Instant now);
  void release(int rank);
  // Messages of released receives that have no handshake to come are complete whenever they arrive.
  void forget_released();
  void keep_in_order(int rank, int to, Message& message);
  std::optional<Failure> failure_of_cancelled(int rank, int request, Instant entry) const;
  void end_unanswered(int rank, int request);
  bool was_cancelled(int rank) const;  // in the current operation
  void leave(int rank, int to, Message message);
  void pay_and_leave(int rank, int to, model::Bytes bytes, Message message);
  void read(int rank, const Message& request);
  void pass_bus();
  void share_resources();
  void forget_flows();
  // For all messages whose head has arrived by `now`, their arrival is certain, and so is whether they
  // are lost.
  void decide(Instant now);
  void charge(int rank, Interval record::Breakdown::*part, Interval cost);
  void wait_until(int rank, Instant instant);
  void compute(int rank, Instant done);
  // True if `m`, in the mailbox of `rank`, is an event: a handshake message, or the completion of one of `wanted`.
  bool is_event(int rank, const Message& m, const Requests* wanted) const;
  int least_event(int rank, Instant until, const Requests* wanted) const;
  Instant next_event(int rank, const Requests* wanted) const;
  // Returns the request that this completed, or -1.
  int handle(int rank, int message);
  int handle_alone(int rank, int message);
  void tell_observer(int rank, const Message& m, Instant before) const;

  // simulator_background.cc: collectives, and sends and receives with one request, in the background
  int background_tag(int rank);
  void launch(int rank, const Step& step);
  void tell_edges(int rank, const Step& step);
  // Executes its steps up to the next wait that does not end at once.
  void advance(int rank, int background);
  void end_background_wait(int rank, int background);
  // Ends the operation with a failure.
  void break_background(int rank, int background);
  // Advances the operation to which a complete request belongs, if any.
  void advance_part(int rank, int request);

  // simulator_calls.cc: completion calls and probes
  Requests wanted(int rank) const;
  bool satisfied(int rank) const;
  void sweep(int rank, Instant until, const Requests* wanted);
  bool handle_least(int rank, Instant until, const Requests* wanted, int* completed = nullptr);
  bool over(int rank, int request) const;
  bool wait(int rank, Instant now);
  void end_wait(int rank);
  bool test(int rank, Instant now);
  bool test_once(int rank, Instant now, const Requests& wanted);
  bool test_all(int rank, Instant now, const Requests& wanted);
  Instant sleeps_until(int rank) const;
  bool sleep(int rank, Instant now);
  bool probe(int rank, Instant now);
  bool answer_false(int rank);
  void found(int rank, int message);
  void receive_sought(int rank, const Message& message);
  int receive_taken(int rank, int receive, int slot);
  void report(int rank, int request);
  void report_slots(int rank);
  // Counts a call with active requests, inactive ones and null requests.
  void count_mixture(int rank);
  match::Filter probe_filter(int rank) const;

  Costs costs_;
  std::vector<Rank> ranks_;
  const Program* program_ = nullptr;
  std::vector<std::vector<Outcome>> outcomes_;
  Coverage coverage_;
  // By communicator and number. Communicators of different members may share a context.
  std::map<std::tuple<match::Context, int, int>, Agreement> agreements_;
  std::map<std::pair<match::Context, int>, match::Context> made_;  // by parent and number
  std::vector<Flow> flows_;                                        // on shared resources
  std::int64_t forgotten_ = 0;                                     // flows before these
  Instant bus_free_;  // instant at which it becomes free, before the current messages
  bool endless_ = false;
  bool reverse_ties_ = false;
  std::function<void(const std::string&)> observer_;
};

}  // namespace emu::reference
