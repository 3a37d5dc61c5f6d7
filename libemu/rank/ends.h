// Ends of the requests that one call waits for, in the order of their keys.
//
// A call that waits for few requests asks each of them at every event. One that waits for many enrols: from then on each request
// says when it can end, and when it is over, so that an event costs the logarithm of their number.
#pragma once

#include <queue>
#include <vector>

#include "match/peers.h"
#include "rank/core.h"
#include "rank/protocols/operations.h"

namespace emu::rank {

class Ends final : private Request::Watch {
 public:
  // For `goal`, of a call, or a wait in it, that began at `entered`. All outlive it. Null: no request.
  Ends(Core& core, Operations& operations, Protocol& goal, Requests requests, Instant entered);
  ~Ends() override;
  Ends(const Ends&) = delete;

  // Whether nothing but messages and accesses, and what is told here, ends requests.
  static bool possible(const Core& core) { return !core.failures.noticed() && !core.withdraws; }

  // The least; none: none is known.
  Event first();
  // Of requests that count only together: the first, in the place of the last, once all are known. `last`: that one.
  Event together(const Request*& last);
  bool any_over() const { return any_over_; }
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
  std::priority_queue<End> ends_;  // some may not hold any more
  match::Peers awaited_;           // whose data are still to come
  int left_ = 0;
  bool any_over_ = false;
  std::size_t first_left_ = 0;
  std::size_t known_ = 0;  // the ends of so many members are known, or they are over
  match::Arrival last_key_;
  const Request* last_ = nullptr;
};

}  // namespace emu::rank
