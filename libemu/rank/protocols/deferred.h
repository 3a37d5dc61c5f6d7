// A request that becomes complete when the program says so, or when an operation that begins later is complete.
#pragma once

#include <array>
#include <optional>

#include "rank/goals.h"
#include "rank/scheduler.h"

namespace emu::rank {

class Deferred final : private Request::Owner {
 public:
  // All arguments outlive the object.
  Deferred(Core& core, Operations& operations, RequestPool& pool, Scheduler& scheduler);
  ~Deferred() override;
  Deferred(const Deferred&) = delete;

  // The owner returns it to the pool.
  Request* request() { return request_; }
  // Completes the request. Called at most once, and not after begin().
  void finish(const Status& status = {});
  // The request completes when `part` does, with its status. `part` proceeds in the background, like steps of a
  // collective.
  void begin(Request* part);

 private:
  void completed() override;

  Core& core_;
  Operations& operations_;
  Scheduler& scheduler_;
  Composite* const request_;
  std::array<Request*, 1> part_ = {};
  std::optional<RequestsGoal> goal_;
};

}  // namespace emu::rank
