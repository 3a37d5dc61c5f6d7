// Several requests: the memory they come from, and when a set of them counts as over.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "rank/protocols/request.h"

namespace emu::rank {

// As a call has them from the program. Null entries do not count.
using Requests = std::span<Request* const>;

int first_over(Requests requests);  // the index; -1: none is
bool all_over(Requests requests);
bool none_active(Requests requests);  // all are null
bool any_prompt(Requests requests);

// All requests that a rank ever makes. Those that are done are used again.
class RequestPool {
 public:
  Request* take();
  Request* take_complete();
  // Nobody refers to it any more.
  void put_back(Request* request);
  // Of all, those that were put back among them: these have not met a message.
  template <class F>
  void each(F f) const {
    for (const auto& request : all_) f(request.get());
  }

 private:
  std::vector<std::unique_ptr<Request>> all_;
  std::vector<Request*> spare_;
};

}  // namespace emu::rank
