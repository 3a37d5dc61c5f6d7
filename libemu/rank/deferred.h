// A request that is not complete before the program says so: at once, or by an operation that begins later.
#pragma once

#include <array>
#include <optional>

#include "rank/goals.h"
#include "rank/scheduler.h"

namespace emu::rank {

class Deferred final : private Request::Owner {
 public:
  // All outlive it.
  Deferred(Core& core, Operations& operations, RequestPool& pool, Scheduler& scheduler);
  ~Deferred() override;
  Deferred(const Deferred&) = delete;

  // Whoever has it puts it back.
  Request* request() { return request_; }
  // It is complete. Once, and not after begin().
  void finish(const Status& status = {});
  // It is complete when `part` is, with its status. That ends in the background, as the steps of a collective do.
  void begin(Request* part);

 private:
  void completed() override;

  Core& core_;
  Operations& operations_;
  Scheduler& scheduler_;
  Request* const request_;
  std::array<Request*, 1> part_ = {};
  std::optional<RequestsGoal> goal_;
};

}  // namespace emu::rank
