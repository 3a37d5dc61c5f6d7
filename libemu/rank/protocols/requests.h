// Sets of requests: the pool that they come from, and the conditions under which a set is over.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "rank/protocols/request.h"

namespace emu::rank {

// Requests as a call gets them from the program. Null entries do not count.
using Requests = std::span<Request* const>;

int first_over(Requests requests);  // the index; -1: none is
bool all_over(Requests requests);
bool none_active(Requests requests);  // all are null
bool any_prompt(Requests requests);

// All requests of a rank. Requests that are done are reused.
class RequestPool {
 public:
  Request* take();
  Request* take_complete();
  // No further reference to the request exists.
  void put_back(Request* request);
  // Applies `f` to all requests, also to those in the pool, which have no message.
  template <class F>
  void each(F f) const {
    for (const auto& request : all_) f(request.get());
  }

 private:
  std::vector<std::unique_ptr<Request>> all_;
  std::vector<Request*> spare_;
};

}  // namespace emu::rank
