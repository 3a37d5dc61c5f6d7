// Goals of calls that wait or test: requests, or a message that a probe finds.
#pragma once

#include <memory>

#include "rank/core.h"
#include "rank/ends.h"
#include "rank/protocols/operations.h"

namespace emu::rank {

// Completion of requests, by E3 to E5.
class RequestsGoal : public Goal {
 public:
  // Begins the call, or the wait in a call: doubts (E5) of earlier calls do not count. `together`: the requests count
  // only when all of them can complete. All arguments outlive the object.
  RequestsGoal(Core& core, Operations& operations, Requests requests, bool together = false);

  Requests requests() const { return requests_; }
  Question question() const { return {nullptr, requests_, together_}; }
  // The other requests are over.
  void narrow(Requests requests) { begin(requests); }
  // Cheaper than a scan of all requests after each event.
  bool all_over();
  bool any_over() const { return ends_ ? ends_->any_over() : first_over(requests_) >= 0; }

  void offer(Event& least) override;
  void add_sources(const Event& next, SourceList& sources) const override;
  [[gnu::hot]] bool waits_only_for(const match::Posted& receive) const override {
    return requests_.size() == 1 && requests_[0] == static_cast<const Receive*>(&receive);
  }
  [[gnu::hot]] void handle(const Event& event) override {
    if (together_) wait_for_last();
    operations_.end(event);
  }
  // Nothing, if a failure or a prompt request may end the wait: neither costs anything.
  Interval reaction() const override;
  void describe(match::Waiting& waiting) const override;

 protected:
  Core& core() const { return core_; }
  Operations& operations() const { return operations_; }
  Instant entered() const { return entered_; }
  // Replaces the awaited requests; the wait begins now.
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
  // Requests that count together become available when the last of them arrives.
  void wait_for_last();

  Core& core_;
  Operations& operations_;
  Requests requests_;
  Instant entered_;  // start of the call, or of the wait in it
  bool together_;
  const Request* last_ = nullptr;  // the request that arrives last, if they count together
  std::size_t over_ = 0;           // number of leading requests that are over
  int offers_ = 0;
  std::unique_ptr<Ends> ends_;  // for many requests, after some events
};

// Requests of an operation that fails if any member fails (E6).
class BreakableGoal : public RequestsGoal {
 public:
  BreakableGoal(Core& core, Operations& operations, const Communicator& comm)
      : RequestsGoal(core, operations, {}), breaking_(core.failures.first(comm)) {}

  // The member in MPI_COMM_WORLD whose failure breaks the operation; -1: no failure.
  int breaking() const { return breaking_; }
  bool broken() const { return broken_; }

  using RequestsGoal::wait_for;
  void offer(Event& least) override;
  void handle(const Event& event) override;
  Interval reaction() const override { return breaking_ >= 0 ? Interval() : RequestsGoal::reaction(); }

 private:
  const int breaking_;
  bool broken_ = false;
};

// A message that a probe finds.
class ProbeGoal final : public Goal {
 public:
  ProbeGoal(Core& core, const match::Queue& queue, const Communicator& comm, int from, int tag);

  Question question() const { return {&filter_, {}, false}; }
  const match::Filter& filter() const { return filter_; }
  // The message of the event; null if the event is not the probe's.
  match::Message* message(const Event& event) const {
    return event.protocol == this ? event.message : nullptr;
  }
  // The status of the event; nothing if the event is not the probe's.
  std::optional<Status> found(const Event& event) const;

  void offer(Event& least) override;
  void add_sources(const Event& next, SourceList& sources) const override;
  bool waits_only_for(const match::Posted&) const override { return false; }
  void handle(const Event& event) override;
  Interval reaction() const override { return {}; }
  void describe(match::Waiting& waiting) const override;

 private:
  Core& core_;
  const match::Queue& queue_;
  const Communicator& comm_;
  const match::Filter filter_;
  const Instant entered_;
};

}  // namespace emu::rank
