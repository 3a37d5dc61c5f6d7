// Sets of requests: the pool that they come from, and the conditions under which a set is over.
#pragma once

#include <memory>
#include <span>
#include <tuple>
#include <vector>

#include "rank/protocols/request.h"

namespace emu::rank {

// Requests as a call gets them from the program. Null entries do not count.
using Requests = std::span<Request* const>;

int first_over(Requests requests);  // the index; -1: none is
bool all_over(Requests requests);
bool none_active(Requests requests);  // all are null
bool any_prompt(Requests requests);

// All requests of one kind. Requests that are done are reused.
template <class R>
class PoolOf {
 public:
  R* take() {
    if (spare_.empty()) return all_.emplace_back(std::make_unique<R>()).get();
    R* const r = spare_.back();
    spare_.pop_back();
    *r = R();
    return r;
  }
  void put_back(R* request) { spare_.push_back(request); }
  const std::vector<std::unique_ptr<R>>& all() const { return all_; }

 private:
  std::vector<std::unique_ptr<R>> all_;
  std::vector<R*> spare_;
};

// All requests of a rank.
class RequestPool {
 public:
  // A new request of kind R.
  template <class R>
  R* take() {
    return std::get<PoolOf<R>>(pools_).take();
  }
  template <class R>
  R* take_complete() {
    R* const r = take<R>();
    r->state = Request::State::complete;
    return r;
  }
  // No further reference to the request exists.
  void put_back(Request* request);
  // Applies `f` to all receives, also to those in the pool, which have no message.
  template <class F>
  void each_receive(F f) const {
    for (const auto& receive : std::get<PoolOf<Receive>>(pools_).all()) f(receive.get());
  }

 private:
  template <class R>
  void put_back_as(Request* request) {
    std::get<PoolOf<R>>(pools_).put_back(static_cast<R*>(request));
  }

  std::tuple<PoolOf<Send>, PoolOf<Receive>, PoolOf<Timed>, PoolOf<OneSided>, PoolOf<Composite>> pools_;
};

}  // namespace emu::rank
