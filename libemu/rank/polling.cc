#include "rank/polling.h"

#include <algorithm>

#include "rank/protocols/request.h"

namespace emu::rank {

void Polling::looked(const Question& question, const clock::Clock& clock) {
  const Instant now = clock.now();
  if (!looking_) {
    looking_ = true;
    polls_.began = now;
    polls_.slept = clock.path().asleep;
    polls_.down = clock.path().down;
    looked_.clear();
  }
  for (Request* r : question.requests)
    if (r && looked_for(*r).is_never()) r->looked = now;
  if (question.probe && place(*question.probe) == looked_.size() && looked_.size() < most_probes)
    looked_.push_back({*question.probe, now});
}

Instant Polling::looked_for(const Request& request) const {
  return looking_ && request.looked >= polls_.began ? request.looked : Instant::never();
}

Instant Polling::looked_for(const match::Filter& probe) const {
  if (!looking_) return Instant::never();
  const std::size_t at = place(probe);
  return at < looked_.size() ? looked_[at].look : Instant::never();
}

std::size_t Polling::place(const match::Filter& probe) const {
  if (expected_ >= looked_.size()) expected_ = 0;
  std::size_t at = expected_;
  if (at >= looked_.size() || !(looked_[at].filter == probe))
    at = static_cast<std::size_t>(
        std::find_if(looked_.begin(), looked_.end(), [&](const Probe& p) { return p.filter == probe; }) -
        looked_.begin());
  expected_ = at + 1;
  return at;
}

}  // namespace emu::rank
