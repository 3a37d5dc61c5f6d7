// A collective operation that goes on in the background: its steps are events that every call handles which waits
// or tests, as those of a handshake are, and a request stands for it.
#pragma once

#include "rank/protocols/collective.h"
#include "rank/scheduler.h"

namespace emu::rank {

// What the report of a deadlock says of one that the program asked for.
struct Named {
  const char* call = nullptr;  // null: it says nothing of it
  int root = -1;               // -1: it has none
  model::Bytes bytes = -1;     // that members have to agree in; -1: they need not
};

class Background final : private Request::Owner {
 public:
  // All outlive it, and so does the memory behind `memory`. `tag`: from next_tag().
  Background(Core& core, Operations& operations, RequestPool& pool, Scheduler& scheduler,
             const Communicator& comm, int tag, const model::Schedule& schedule, const Memory& memory,
             const Named& named = {});
  ~Background() override;
  Background(const Background&) = delete;

  // The tag of an operation's messages. All members ask for it in the same order; with it they carry out the operation
  // once, or several times one after another.
  static int next_tag(Communicator& comm);
  // Complete when the operation is done. Whoever has it puts it back.
  Request* request() { return request_; }
  // What the request says when it is complete; unless a failure broke the operation.
  void says(const Status& status);

 private:
  void completed() override;

  Scheduler& scheduler_;
  Request* const request_;
  Status status_;
  Collective collective_;
};

}  // namespace emu::rank
