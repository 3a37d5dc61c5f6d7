#include "rank/ends.h"

namespace emu::rank {

Ends::Ends(Core& core, Operations& operations, Protocol& goal, Requests requests, Instant entered)
    : operations_(operations),
      goal_(goal),
      entered_(entered),
      awaited_(core.size),
      prompt_(any_prompt(requests)) {
  members_.reserve(requests.size());
  for (Request* r : requests) {
    if (!r) continue;
    if (r->complete()) {
      any_over_ = true;
      continue;
    }
    members_.push_back(r);
    r->watch = this;
    ++left_;
    if (awaits_data(*r)) awaited_.add(r->peer);
    if (const Event end = ending(r)) ends_.push({end.key, r});
  }
}

// A request that has been reused since has another watch.
Ends::~Ends() {
  for (Request* r : members_)
    if (r->watch == this) r->watch = nullptr;
}

void Ends::there(Request& request) {
  if (request.state == Request::State::answered) awaited_.remove(request.peer);
  if (const Event end = ending(&request)) ends_.push({end.key, &request});
}

void Ends::over(Request& request) {
  request.watch = nullptr;
  --left_;
  any_over_ = true;
}

Event Ends::first() {
  while (!ends_.empty()) {
    const End top = ends_.top();
    if (!top.request->complete()) {
      const Event end = ending(top.request);
      if (end && end.key == top.key) return end;
    }
    ends_.pop();
  }
  return {};
}

Event Ends::together(const Request*& last) {
  const std::size_t before = known_;
  while (known_ < members_.size() && (members_[known_]->complete() || ending(members_[known_]))) ++known_;
  if (known_ < members_.size() || left_ == 0) return {};
  if (before < known_) {
    last_ = nullptr;
    for (Request* r : members_) {
      if (r->complete()) continue;
      const match::Arrival key = ending(r).key;
      if (last_ && key < last_key_) continue;
      last_key_ = key;
      last_ = r;
    }
  }
  Event event = first();
  event.key = last_key_;
  event.at = last_key_.at;
  last = last_;
  return event;
}

const Request* Ends::first_left() {
  while (first_left_ < members_.size() && members_[first_left_]->complete()) ++first_left_;
  return first_left_ < members_.size() ? members_[first_left_] : nullptr;
}

}  // namespace emu::rank
