#include "rank/monitor.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace emu::rank {

void Monitor::enter() {
  ++entering_;
  lock_.lock();
  --entering_;
  ++happened_;
  rests_ = run_on_ = false;
  changed();
}

// The leader may have promised on the certainty that no thread calls: this promise becomes invalid.
void Monitor::leave() {
  rests_ = run_on_ = false;
  changed();
  call_concerned();
  if (on_the_wire_ && for_ever_) wake_();
  lock_.unlock();
}

void Monitor::changed() {
  in_vain_ = 0;
  seen_.reset();
}

Monitor::Waiter* Monitor::rival(const Waiter& waiter) const {
  const auto found = std::find_if(waiters_.begin(), waiters_.end(), [&](const Waiter* other) {
    return other != &waiter && (!other->waits_ || !waiter.waits_);
  });
  return found == waiters_.end() ? nullptr : *found;
}

void Monitor::lead(Waiter* waiter) {
  leader_ = waiter;
  if (waiter) waiter->condition_.notify_one();
}

Monitor::Waiter::Waiter(Monitor& monitor, Goal& goal, bool waits, const char* call)
    : monitor_(monitor), goal_(goal), waits_(waits), call_(call), since_(monitor.happened_) {
  monitor_.waiters_.push_back(this);
}

Monitor::Waiter::~Waiter() {
  std::erase(monitor_.waiters_, this);
  if (monitor_.leader_ != this) return;
  Waiter* next = monitor_.rival(*this);
  if (!next && !monitor_.waiters_.empty()) next = monitor_.waiters_.front();
  monitor_.lead(next);
}

void Monitor::Waiter::call() {
  called_ = true;
  condition_.notify_one();
  if (monitor_.on_the_wire_ && monitor_.leader_ == this) monitor_.wake_();
}

void Monitor::Waiter::wait_until_called() {
  monitor_.call_concerned();
  monitor_.away_();
  std::unique_lock lock(monitor_.lock_, std::adopt_lock);
  condition_.wait(lock, [this] { return called_ || (monitor_.leader_ == this && !monitor_.on_the_wire_); });
  lock.release();
  called_ = concerned_ = false;
  monitor_.back_(call_);
}

// A thread that wakes in vain, or while another one has the lock, costs the host more than an event.
void Monitor::call_concerned() {
  for (Waiter* const waiter : waiters_) {
    if (!waiter->must_look() || !std::exchange(waiter->concerned_, false)) continue;
    if (!waiter->called_) waiter->call();
  }
}

// The promise was no more than the least event, or has been announced since.
void Monitor::Waiter::acts(bool own) {
  ++monitor_.happened_;
  monitor_.changed();
  monitor_.promised_ = Instant();
  if (own) return;
  for (Waiter* const waiter : monitor_.waiters_)
    if (waiter != this) waiter->concerned_ = true;
}

void Monitor::Waiter::hand_over(Waiter& other) {
  if (!monitor_.leader_ || monitor_.leader_ == this) monitor_.leader_ = &other;
  other.call();
  wait_until_called();
}

// A leader that sleeps on the wire is woken to consider this goal too.
bool Monitor::Waiter::may_sleep() {
  if (!monitor_.leader_) monitor_.leader_ = this;
  if (monitor_.leader_ == this) {
    Waiter* const next = slept_ ? monitor_.rival(*this) : nullptr;
    slept_ = !next;
    if (slept_) return true;
    monitor_.lead(next);
  } else if (monitor_.on_the_wire_) {
    monitor_.wake_();
  }
  wait_until_called();
  return false;
}

Monitor::Waiter* Monitor::waiter_of(const Protocol* goal) const {
  const auto found = std::find_if(waiters_.begin(), waiters_.end(), [&](const Waiter* waiter) {
    return waiter->waits_ && &waiter->goal_ == goal;
  });
  return found == waiters_.end() ? nullptr : *found;
}

// A thread that tests continues as soon as it has its answer. A called thread waits for
// the lock, and continues if its wait is over. Until then nothing is known of either.
Monitor::Others Monitor::others(bool soon) {
  if (std::any_of(waiters_.begin(), waiters_.end(),
                  [](const Waiter* waiter) { return !waiter->waits_ || waiter->must_look(); }))
    return {};
  if (rests_) return {true, true, {}};
  if (entering()) return {};
  if (!seen_) seen_ = look(soon);
  // A thread that entered after the first check waits for the lock: the system shows it asleep, but it calls.
  if (entering()) {
    seen_.reset();
    return {};
  }
  rests_ = seen_->nothing;
  run_on_ = !rests_ && seen_->until > Instant();
  return *seen_;
}

Monitor::Others Monitor::look(bool soon) {
  if (!threads_.more(static_cast<int>(waiters_.size()))) return {true, true, {}};
  const bool now = in_vain_ > 0 || (soon && threads_.rest && threads_.rest());
  return now ? threads_.others() : Others();
}

void Monitor::call_all() {
  ++happened_;
  for (Waiter* const waiter : waiters_) waiter->call();
}

const std::vector<match::Waiting>& Monitor::other_waits(const Goal& own) {
  other_waits_.clear();
  for (const Waiter* waiter : waiters_) {
    if (&waiter->goal_ == &own) continue;
    match::Waiting& why = other_waits_.emplace_back();
    why.call = waiter->call_;
    why.peer = match::Waiting::nobody;
    waiter->goal_.describe(why);
  }
  return other_waits_;
}

// A leader that waits for threads of its own process to sleep repeats its check soon, then at longer
// intervals. Ranks that want a promise do not announce it to this rank, so the leader polls for that.
std::optional<std::chrono::nanoseconds> Monitor::release() {
  using std::chrono::milliseconds;
  std::optional<std::chrono::nanoseconds> most;
  if (!rests_) most = milliseconds(run_on_ ? 1 : std::int64_t{1} << std::min(in_vain_, 4));
  if (leader_ && rival(*leader_)) most = milliseconds(1);
  call_concerned();
  for_ever_ = !most;
  ++in_vain_;
  seen_.reset();
  away_();
  on_the_wire_ = true;
  lock_.unlock();
  return most;
}

void Monitor::take() {
  lock_.lock();
  on_the_wire_ = false;
  if (leader_) back_(leader_->call_);
}

}  // namespace emu::rank
