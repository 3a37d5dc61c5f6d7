// A collective operation in the background. Every call that waits or tests handles its steps, like the events of a
// handshake. One request represents the operation.
#pragma once

#include "rank/protocols/collective.h"
#include "rank/scheduler.h"

namespace emu::rank {

// Description of an operation of the program for the deadlock report.
struct Named {
  const char* call = nullptr;  // null: not in the report
  int root = -1;               // -1: no root
  model::Bytes bytes = -1;     // members must agree about it; -1: they need not
};

class Background final : private Request::Owner {
 public:
  // All arguments outlive it, and so does the memory behind `memory`. `tag`: from next_tag().
  Background(Core& core, Operations& operations, RequestPool& pool, Scheduler& scheduler,
             const Communicator& comm, int tag, const model::Schedule& schedule, const Memory& memory,
             const Named& named = {});
  ~Background() override;
  Background(const Background&) = delete;

  // The tag of an operation's messages. All members request tags in the same order. With one tag, members carry out the
  // operation once, or several times one after another.
  static int next_tag(Communicator& comm);
  // Complete when the operation is done. The owner returns it to the pool.
  Request* request() { return request_; }
  // Sets the status of the complete request, unless a failure broke the operation.
  void says(const Status& status);

 private:
  void completed() override;

  Scheduler& scheduler_;
  Composite* const request_;
  Status status_;
  Collective collective_;
};

}  // namespace emu::rank
