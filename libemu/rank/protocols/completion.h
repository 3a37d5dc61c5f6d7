// Calls that wait or test: the events that they handle, and the condition that ends them. rank/semantics.md,
// "Calls".
#pragma once

#include <optional>

#include "rank/core.h"
#include "rank/goals.h"
#include "rank/protocols/withdrawals.h"
#include "rank/scheduler.h"

namespace emu::rank {

class Completion {
 public:
  // All arguments outlive the object.
  Completion(Core& core, Scheduler& scheduler, Operations& operations, match::Queue& queue,
             const Withdrawals& withdrawals)
      : core_(core),
        scheduler_(scheduler),
        operations_(operations),
        queue_(queue),
        withdrawals_(withdrawals) {}

  void wait_all(Requests requests);
  int wait_any(Requests requests);    // index of a request that is over; -1 if all are null
  void wait_some(Requests requests);  // returns when at least one is over
  bool test_all(Requests requests);   // a false answer costs a poll
  bool test_some(Requests requests);
  // Tests the request. If the test is false, cancels the request if possible.
  void cancel(Request* request);
  bool test_any(Requests requests, int& index);  // index -1: all are null, which is true
  // `taken`: if given, receives the message found, out of the queue; null for proc_null and after a failure.
  Status probe(const Communicator& comm, int from, int tag, match::Message** taken = nullptr);
  std::optional<Status> iprobe(const Communicator& comm, int from, int tag, match::Message** taken = nullptr);
  void charge_poll(Interval cost);
  void charge_poll() { charge_poll(core_.network.poll()); }  // of a reading of the clock
  // Returns when all cancellations of messages from `from` up to the clock are known.
  void settle(const Communicator& comm, int from) {
    if (withdrawals_.possible() && from != proc_null) [[unlikely]]
      settle_with(comm, from);
  }

  // Handles the least event until `done()`.
  template <class Done>
  void wait(Goal& goal, Done done) {
    while (!done()) core_.handle(*scheduler_.next(goal));
  }

 private:
  [[gnu::cold]] void settle_with(const Communicator& comm, int from);
  // The probe's answer to the event. Takes the message if `taken` is given.
  std::optional<Status> found(const ProbeGoal& goal, const Event& event, match::Message** taken);
  bool sweep(RequestsGoal& goal, Instant now, bool stop_at_completion);
  void handle_up_to(Goal& goal, Instant now);
  // Handles an event that a test or a probe has found, of `goal` or of another protocol. The program may have polled
  // for it.
  void handle_found(const Goal& goal, const Event& event);
  void handle_polled(const Event& event, Instant look);
  // Cost of a false answer at the clock.
  Interval cost_of_poll() const { return core_.network.poll(core_.polling.row(core_.clock.now())); }
  void charge_false_answer() {
    core_.polling.begin_row(core_.clock.now());
    charge_poll(cost_of_poll());
  }

  // Tests once, unless the answer is known (rank/polling.h). False: the poll has been charged.
  template <class TheGoal, class Attempt>
  bool poll(TheGoal& goal, Attempt attempt);

  Core& core_;
  Scheduler& scheduler_;
  Operations& operations_;
  match::Queue& queue_;
  const Withdrawals& withdrawals_;
};

}  // namespace emu::rank
