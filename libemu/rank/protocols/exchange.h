// A send and a receive under one request. Both end in the background, as the steps of a collective do.
#pragma once

#include <array>

#include "rank/goals.h"
#include "rank/scheduler.h"

namespace emu::rank {

class Exchange final : private Request::Owner {
 public:
  // All arguments outlive the object. Send and receive have begun; `room`: bytes that can be received.
  Exchange(Core& core, Operations& operations, RequestPool& pool, Scheduler& scheduler, Request* send,
           Request* receive, model::Bytes room);
  ~Exchange() override;
  Exchange(const Exchange&) = delete;

  // Complete when both parts are, with the status of the receive. The owner returns it to the pool.
  Request* request() { return request_; }
  // The send and the receive.
  Requests parts() const { return parts_; }

 private:
  void completed() override;

  Operations& operations_;
  Scheduler& scheduler_;
  Composite* const request_;
  const std::array<Request*, 2> parts_;
  RequestsGoal goal_;
};

}  // namespace emu::rank
