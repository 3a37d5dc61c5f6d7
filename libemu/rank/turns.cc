#include "rank/turns.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace emu::rank {

void Turns::enter() {
  ++entering_;
  lock_.lock();
  --entering_;
  ++happened_;
  rests_ = run_on_ = false;
  changed();
}

// The leader may have promised on the certainty that no thread calls: this promise becomes invalid.
void Turns::leave() {
  rests_ = run_on_ = false;
  changed();
  call_concerned();
  if (on_the_wire_ && for_ever_) wake_();
  lock_.unlock();
}

void Turns::changed() {
  in_vain_ = 0;
  seen_.reset();
}

Turns::Seat* Turns::rival(const Seat& seat) const {
  const auto found = std::find_if(seats_.begin(), seats_.end(), [&](const Seat* other) {
    return other != &seat && (!other->waits_ || !seat.waits_);
  });
  return found == seats_.end() ? nullptr : *found;
}

void Turns::lead(Seat* seat) {
  leader_ = seat;
  if (seat) seat->turn_.notify_one();
}

Turns::Seat::Seat(Turns& turns, Goal& goal, bool waits, const char* call)
    : turns_(turns), goal_(goal), waits_(waits), call_(call), since_(turns.happened_) {
  turns_.seats_.push_back(this);
}

Turns::Seat::~Seat() {
  std::erase(turns_.seats_, this);
  if (turns_.leader_ != this) return;
  Seat* next = turns_.rival(*this);
  if (!next && !turns_.seats_.empty()) next = turns_.seats_.front();
  turns_.lead(next);
}

void Turns::Seat::call() {
  called_ = true;
  turn_.notify_one();
  if (turns_.on_the_wire_ && turns_.leader_ == this) turns_.wake_();
}

void Turns::Seat::wait_for_turn() {
  turns_.call_concerned();
  turns_.away_();
  std::unique_lock lock(turns_.lock_, std::adopt_lock);
  turn_.wait(lock, [this] { return called_ || (turns_.leader_ == this && !turns_.on_the_wire_); });
  lock.release();
  called_ = concerned_ = false;
  turns_.back_(call_);
}

// A thread that wakes in vain, or while another one has the lock, costs the host more than an event.
void Turns::call_concerned() {
  for (Seat* const seat : seats_) {
    if (!seat->must_look() || !std::exchange(seat->concerned_, false)) continue;
    if (!seat->called_) seat->call();
  }
}

// The promise was no more than the least event, or has been announced since.
void Turns::Seat::acts(bool own) {
  ++turns_.happened_;
  turns_.changed();
  turns_.promised_ = Instant();
  if (own) return;
  for (Seat* const seat : turns_.seats_)
    if (seat != this) seat->concerned_ = true;
}

void Turns::Seat::hand_over(Seat& other) {
  if (!turns_.leader_ || turns_.leader_ == this) turns_.leader_ = &other;
  other.call();
  wait_for_turn();
}

// A leader that sleeps on the wire is woken to consider this goal too.
bool Turns::Seat::may_sleep() {
  if (!turns_.leader_) turns_.leader_ = this;
  if (turns_.leader_ == this) {
    Seat* const next = slept_ ? turns_.rival(*this) : nullptr;
    slept_ = !next;
    if (slept_) return true;
    turns_.lead(next);
  } else if (turns_.on_the_wire_) {
    turns_.wake_();
  }
  wait_for_turn();
  return false;
}

Turns::Seat* Turns::seat_of(const Protocol* goal) const {
  const auto found = std::find_if(seats_.begin(), seats_.end(),
                                  [&](const Seat* seat) { return seat->waits_ && &seat->goal_ == goal; });
  return found == seats_.end() ? nullptr : *found;
}

// A thread that tests continues as soon as it has its answer. A called thread waits for
// the lock, and continues if its wait is over. Until then nothing is known of either.
Turns::Others Turns::others(bool soon) {
  if (std::any_of(seats_.begin(), seats_.end(),
                  [](const Seat* seat) { return !seat->waits_ || seat->must_look(); }))
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

Turns::Others Turns::look(bool soon) {
  if (!threads_.more(static_cast<int>(seats_.size()))) return {true, true, {}};
  const bool now = in_vain_ > 0 || (soon && threads_.rest && threads_.rest());
  return now ? threads_.others() : Others();
}

void Turns::call_all() {
  ++happened_;
  for (Seat* const seat : seats_) seat->call();
}

const std::vector<match::Waiting>& Turns::other_waits(const Goal& own) {
  other_waits_.clear();
  for (const Seat* seat : seats_) {
    if (&seat->goal_ == &own) continue;
    match::Waiting& why = other_waits_.emplace_back();
    why.call = seat->call_;
    why.peer = match::Waiting::nobody;
    seat->goal_.describe(why);
  }
  return other_waits_;
}

// A leader that waits for threads of its own process to sleep repeats its check soon, then at longer
// intervals. Ranks that want a promise do not announce it to this rank, so the leader polls for that.
std::optional<std::chrono::nanoseconds> Turns::release() {
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

void Turns::take() {
  lock_.lock();
  on_the_wire_ = false;
  if (leader_) back_(leader_->call_);
}

}  // namespace emu::rank
