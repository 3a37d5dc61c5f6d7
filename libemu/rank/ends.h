// Ends of the requests that one call waits for, in key order.
//
// A call that waits for few requests asks each of them at every event. A call that waits for many enrols: then each
// request reports its possible end and its completion, so the cost of an event is logarithmic in the number of
// requests.
#pragma once

#include <queue>
#include <vector>

#include "match/peers.h"
#include "rank/core.h"
#include "rank/protocols/operations.h"

namespace emu::rank {

class Ends final : private Request::Watch {
 public:
  // `goal` belongs to a call, or a wait in a call, that began at `entered`. All arguments outlive it. Null: no request.
  Ends(Core& core, Operations& operations, Protocol& goal, Requests requests, Instant entered);
  ~Ends() override;
  Ends(const Ends&) = delete;

  // True if only messages, accesses and the reports to this object end requests.
  static bool possible(const Core& core) { return !core.failures.noticed() && !core.withdraws; }

  // The least end; no event if no end is known.
  Event first();
  // For requests that count together: the first end, at the key of the last end, once all are known. `last`: that
  // request.
  Event together(const Request*& last);
  bool any_over() const { return any_over_; }
  // Some request is prompt.
  bool prompt() const { return prompt_; }
  bool all_over() const { return left_ == 0; }
  int left() const { return left_; }
  const Request* first_left();
  void add_sources(SourceList& sources) const { awaited_.append_to(sources.named); }

 private:
  struct End {
    match::Arrival key;
    Request* request;
    friend bool operator<(const End& a, const End& b) { return b.key < a.key; }  // the least on top
  };
  void there(Request& request) override;
  void not_there(Request&) override { known_ = 0; }
  void answered(Request& request) override { awaited_.add(request.peer); }
  void over(Request& request) override;
  Event ending(Request* request) const { return operations_.ending(goal_, request, entered_); }

  Operations& operations_;
  Protocol& goal_;
  const Instant entered_;
  std::vector<Request*> members_;
  std::priority_queue<End> ends_;  // may contain outdated ends
  match::Peers awaited_;           // sources of awaited data
  int left_ = 0;
  bool any_over_ = false;
  const bool prompt_;
  std::size_t first_left_ = 0;
  std::size_t known_ = 0;  // members whose end is known or that are over
  match::Arrival last_key_;
  const Request* last_ = nullptr;
};

}  // namespace emu::rank
