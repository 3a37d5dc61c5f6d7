#include "rank/protocols/requests.h"

namespace emu::rank {

int first_over(Requests requests) {
  for (std::size_t i = 0; i < requests.size(); ++i)
    if (requests[i] && requests[i]->over()) return static_cast<int>(i);
  return -1;
}

bool all_over(Requests requests) {
  for (const Request* r : requests)
    if (r && !r->over()) return false;
  return true;
}

bool none_active(Requests requests) {
  for (const Request* r : requests)
    if (r) return false;
  return true;
}

[[gnu::hot]] bool any_prompt(Requests requests) {
  for (const Request* r : requests)
    if (r && r->prompt) return true;
  return false;
}

[[gnu::hot]] Request* RequestPool::take() {
  if (spare_.empty()) {
    all_.push_back(std::make_unique<Request>());
    return all_.back().get();
  }
  Request* r = spare_.back();
  spare_.pop_back();
  *r = Request();
  return r;
}

Request* RequestPool::take_complete() {
  Request* r = take();
  r->state = Request::State::complete;
  return r;
}

[[gnu::hot]] void RequestPool::put_back(Request* request) {
  request->own_copy.reset();
  request->access.reset();
  if (request->buffer.layout && request->buffer.layout->release)
    request->buffer.layout->release(request->buffer);
  request->buffer.layout = nullptr;
  spare_.push_back(request);
}

}  // namespace emu::rank
