// Monitor of a rank whose threads call concurrently: mutual exclusion, and a queue of threads that wait.
//
// A thread that accesses the rank's state holds one lock, from its entry to a call to the end of the call, except
// while it waits. The lock holder selects the rank's next event for the goals of all waiting threads; the thread that
// owns the goal handles the event. One waiting thread, the leader, sleeps on the wire; the others sleep until they are
// called. A thread that tests asks a different question than the threads that wait, so the lead passes between them.
//
// Bound of the rank while its threads wait: while another thread of the program may call, the bound is
// the clock, as during computation, since that thread acts at the clock or later. When all threads wait,
// or sleep so that only threads of this process can wake them, the bound is the least event of all goals.
//
// A thread that runs without end, such as one that spins until another thread of its rank has received a
// message, would hold the rank's bound at its clock. If the thread may be assumed to compute, the rank promises
// the instant that other ranks wait for. If the thread calls after all, it does so at that instant or later.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

#include "match/deadlock_report.h"
#include "match/sharing.h"
#include "rank/event.h"

namespace emu::rank {

class Monitor final : public match::Sharing {
 public:
  // State of the threads other than the calling one, until the rank's next event.
  struct Others {
    bool nothing = false;  // they sleep, and have slept since the last query, until another thread wakes them
    bool still = false;    // they wait in the system, and have waited since the last query, for any reason
    Instant until;         // otherwise: the instant until which the running threads are assumed to compute
  };
  // Queries about the program's threads.
  struct Threads {
    bool (*several)();  // there may be threads besides the calling one
    std::function<bool(int waiting)>
        more;  // there may be more threads than the waiting ones, including the calling one
    std::function<Others()> others;
    std::function<bool()> rest;  // the threads that do not wait here slept when last seen; false: unknown
  };
  // `wake` ends the leader's sleep on the wire.
  Monitor(Threads threads, std::function<void()> wake)
      : threads_(std::move(threads)), wake_(std::move(wake)) {}
  // Called when a waiting thread releases the rank to others, and when it continues: in `call`.
  void at_switches(std::function<void()> away, std::function<void(const char* call)> back) {
    away_ = std::move(away);
    back_ = std::move(back);
  }

  // --- entry and exit of the calling thread
  void enter();
  void leave();

  // Another thread waits for the lock.
  bool entering() const { return entering_ > 0; }

  // --- while the calling thread holds the rank
  bool several() override { return threads_.several(); }

  // A thread that waits for `goal`, or tests. `waits`: it continues when its goal is reached, whichever thread leads.
  class Waiter {
   public:
    Waiter(Monitor& monitor, Goal& goal, bool waits, const char* call);
    ~Waiter();
    Waiter(const Waiter&) = delete;

    // Something has happened at the rank since: the thread's wait may be over.
    bool moved() const { return monitor_.happened_ != since_; }
    // The thread examines the state up to now.
    void looks() { called_ = concerned_ = false; }
    // The thread handles an event now: of its own goal, or of a protocol that belongs to no thread.
    void acts(bool own);
    // The next event belongs to `other`. Returns when this thread is called again.
    void hand_over(Waiter& other);
    // The thread cannot continue. Returns true if it leads; otherwise returns when the thread is called.
    bool may_sleep();

   private:
    friend class Monitor;
    void call();
    void wait_until_called();
    // True if the thread must examine the state: it is called, or an event that another thread has handled may end its
    // wait.
    bool must_look() const { return called_ || (concerned_ && goal_.may_be_over()); }
    Monitor& monitor_;
    Goal& goal_;
    const bool waits_;
    const char* const call_;
    const std::uint64_t since_;
    bool called_ = false;     // must examine the state: its wait may be over
    bool concerned_ = false;  // another thread has handled an event since it was called
    bool slept_ = false;      // has led and slept
    std::condition_variable condition_;
  };
  // The waiter that waits for this goal; null: none.
  Waiter* waiter_of(const Protocol* goal) const;
  // Applies `f` to all awaited goals except `own`.
  template <class F>
  void others(const Goal& own, F f) const {
    for (const Waiter* waiter : waiters_)
      if (waiter->waits_ && &waiter->goal_ != &own) f(waiter->goal_);
  }
  // State of the threads that do not wait here. It is known after the leader has slept; with `soon`, also if the
  // threads are expected to rest. The answer is cached until the leader sleeps again, so that a decision and the
  // following sleep use one answer.
  Others others(bool soon = false);
  // The rank promises `bound`, which is beyond its clock, although a thread of the program runs: if that thread calls,
  // it does so at `bound` or later.
  void promises(Instant bound) { promised_ = bound; }
  Instant promised() const { return std::max(promised_, stepped_); }
  // The rank carries out a step that allows no act before `at`: a head passes, a receive chooses, or the server applies
  // an operation. Such a step does not move the clock, and may be beyond it. It is certain as long as the rank does
  // nothing earlier: a thread that calls, or continues within its call, does so at `at` or later.
  void steps(Instant at) { stepped_ = std::max(stepped_, at); }
  Instant stepped() const { return stepped_; }
  // All waiting threads check whether their waits are over.
  void call_all();
  // For the deadlock report: the waits of threads other than `own`.
  const std::vector<match::Waiting>& other_waits(const Goal& own);

  // --- called by the wire before and after it sleeps
  std::optional<std::chrono::nanoseconds> release() override;
  void take() override;

 private:
  // The rank's state changes: earlier answers about other threads become invalid.
  void changed();
  Others look(bool soon);
  // Before the lock is released: calls the threads whose waits may be over.
  void call_concerned();
  // The thread that should lead after `waiter`, if another one must; null: none.
  Waiter* rival(const Waiter& waiter) const;
  void lead(Waiter* waiter);

  const Threads threads_;
  const std::function<void()> wake_;
  std::function<void()> away_;
  std::function<void(const char* call)> back_;

  std::mutex lock_;
  std::atomic<int> entering_ = 0;
  std::vector<Waiter*> waiters_;
  Waiter* leader_ = nullptr;
  bool on_the_wire_ = false;    // the leader sleeps on the wire
  bool for_ever_ = false;       // without a time limit
  std::uint64_t happened_ = 0;  // number of calls, and of events that calls have handled
  bool rests_ = false;
  bool run_on_ = false;  // a thread is assumed to compute
  Instant promised_;
  Instant stepped_;
  int in_vain_ = 0;             // number of the leader's sleeps since something happened
  std::optional<Others> seen_;  // result of look() since the leader slept last
  std::vector<match::Waiting> other_waits_;
};

}  // namespace emu::rank
