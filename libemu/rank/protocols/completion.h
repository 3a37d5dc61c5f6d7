// The calls that wait for requests or messages, or test for them: which events they handle, and when they are
// over. rank/semantics.md, "Calls".
#pragma once

#include <optional>

#include "rank/core.h"
#include "rank/goals.h"
#include "rank/protocols/withdrawals.h"
#include "rank/scheduler.h"

namespace emu::rank {

class Completion {
 public:
  // All outlive it.
  Completion(Core& core, Scheduler& scheduler, Operations& operations, match::Queue& queue,
             const Withdrawals& withdrawals)
      : core_(core),
        scheduler_(scheduler),
        operations_(operations),
        queue_(queue),
        withdrawals_(withdrawals) {}

  void wait_all(Requests requests);
  int wait_any(Requests requests);    // index of one that is over; -1 if there is none to wait for
  void wait_some(Requests requests);  // at least one is over afterwards
  bool test_all(Requests requests);   // a false answer costs a poll
  bool test_some(Requests requests);
  // A test of the request; if that is false, takes it back if it can be.
  void cancel(Request* request);
  bool test_any(Requests requests, int& index);  // index -1: there is none to test, which is true
  // `taken`: if it is given, the message found is out of the queue; null for proc_null and after a failure.
  Status probe(const Communicator& comm, int from, int tag, match::Message** taken = nullptr);
  std::optional<Status> iprobe(const Communicator& comm, int from, int tag, match::Message** taken = nullptr);
  void charge_poll();
  // All that is taken back by now of what `from` has sent is known.
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
  // The probe's answer to the event. Takes the message, if `taken`.
  std::optional<Status> found(const ProbeGoal& goal, const Event& event, match::Message** taken);
  bool sweep(RequestsGoal& goal, Instant now, bool stop_at_completion);
  void handle_up_to(Goal& goal, Instant now);
  // Handles what a test or a probe has found, of `goal` or beside it. It may have been polled for.
  void handle_found(const Goal& goal, const Event& event);
  void handle_polled(const Event& event, Instant look);
  // Asks once, unless the answer is known (rank/polling.h). False: the cost is charged.
  template <class TheGoal, class Attempt>
  bool poll(TheGoal& goal, Attempt attempt);

  Core& core_;
  Scheduler& scheduler_;
  Operations& operations_;
  match::Queue& queue_;
  const Withdrawals& withdrawals_;
};

}  // namespace emu::rank
