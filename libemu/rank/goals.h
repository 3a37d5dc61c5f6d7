// Goals of calls that wait or test: requests, or a message that a probe would find.
#pragma once

#include <memory>

#include "rank/core.h"
#include "rank/ends.h"
#include "rank/protocols/operations.h"

namespace emu::rank {

// Requests, by the events that end them (E3 to E5).
class RequestsGoal : public Goal {
 public:
  // The call, or the wait in it, begins: the requests' doubts of an earlier one do not count.
  // `together`: they count only when all of them can complete. Both outlive it.
  RequestsGoal(Core& core, Operations& operations, Requests requests, Interval reaction,
               bool together = false);
  // Every event but a found probe and the answer to a one-sided operation costs a receive overhead
  // at the least.
  RequestsGoal(Core& core, Operations& operations, Requests requests)
      : RequestsGoal(core, operations, requests,
                     any_prompt(requests) ? Interval() : core.network.least_receive_overhead()) {}

  Requests requests() const { return requests_; }
  Question question() const { return {nullptr, requests_, together_}; }
  // The others are over.
  void narrow(Requests requests) { begin(requests); }
  // Cheaper than to look at all of them again after each event.
  bool all_over();
  bool any_over() const { return ends_ ? ends_->any_over() : first_over(requests_) >= 0; }

  void offer(Event& least) override;
  void add_sources(const Event& next, SourceList& sources) const override;
  [[gnu::hot]] bool waits_only_for(const match::Posted& receive) const override {
    return requests_.size() == 1 && requests_[0] == &receive;
  }
  [[gnu::hot]] void handle(const Event& event) override {
    if (together_) wait_for_last();
    operations_.end(event);
  }
  void describe(match::Waiting& waiting) const override;

 protected:
  Core& core() const { return core_; }
  Operations& operations() const { return operations_; }
  Instant entered() const { return entered_; }
  // From here on it waits for these, from now on.
  void wait_for(Requests requests);

 private:
  void begin(Requests requests) {
    ends_.reset();
    offers_ = 0;
    over_ = 0;
    requests_ = requests;
  }
  [[gnu::noinline]] void offer_together(Event& least);
  [[gnu::noinline]] bool enrol();
  [[gnu::noinline]] void offer_enrolled(Event& least);
  // Those that count together are there when the last of them is.
  void wait_for_last();

  Core& core_;
  Operations& operations_;
  Requests requests_;
  Instant entered_;  // when the call, or the wait in it, began
  bool together_;
  const Request* last_ = nullptr;  // to arrive, of those that count together
  std::size_t over_ = 0;           // so many of the first are
  int offers_ = 0;
  std::unique_ptr<Ends> ends_;  // of many requests, after some events
};

// Requests of an operation that the failure of any member breaks (E6).
class BreakableGoal : public RequestsGoal {
 public:
  BreakableGoal(Core& core, Operations& operations, const Communicator& comm, Interval reaction)
      : RequestsGoal(core, operations, {}, reaction), breaking_(core.failures.first(comm)) {}

  // The member whose failure breaks it, in MPI_COMM_WORLD; -1: none fails.
  int breaking() const { return breaking_; }
  bool broken() const { return broken_; }

  using RequestsGoal::wait_for;
  void offer(Event& least) override;
  void handle(const Event& event) override;

 private:
  const int breaking_;
  bool broken_ = false;
};

// A message that a probe would find.
class ProbeGoal final : public Goal {
 public:
  ProbeGoal(Core& core, const match::Queue& queue, const Communicator& comm, int from, int tag);

  Question question() const { return {&filter_, {}, false}; }
  const match::Filter& filter() const { return filter_; }
  // The message that such an event is about; null if it is not the probe's.
  match::Message* message(const Event& event) const {
    return event.protocol == this ? event.message : nullptr;
  }
  // What such an event says; nothing if it is not the probe's.
  std::optional<Status> found(const Event& event) const;

  void offer(Event& least) override;
  void add_sources(const Event& next, SourceList& sources) const override;
  bool waits_only_for(const match::Posted&) const override { return false; }
  void handle(const Event& event) override;
  void describe(match::Waiting& waiting) const override;

 private:
  Core& core_;
  const match::Queue& queue_;
  const Communicator& comm_;
  const match::Filter filter_;
  const Instant entered_;
};

}  // namespace emu::rank
