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

[[gnu::hot]] void RequestPool::put_back(Request* request) {
  if (request->buffer.layout && request->buffer.layout->release)
    request->buffer.layout->release(request->buffer);
  request->buffer.layout = nullptr;
  switch (request->kind) {
    case Request::Kind::send:
      static_cast<Send*>(request)->own_copy.reset();
      return put_back_as<Send>(request);
    case Request::Kind::receive:
      return put_back_as<Receive>(request);
    case Request::Kind::timed:
      return put_back_as<Timed>(request);
    case Request::Kind::one_sided:
      return put_back_as<OneSided>(request);
    case Request::Kind::composite:
      return put_back_as<Composite>(request);
  }
}

}  // namespace emu::rank
