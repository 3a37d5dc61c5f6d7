// Several threads of one rank that call at once. They take turns with the rank, and wait side by side.
//
// Whoever is about the rank's state holds one lock, from the entry to a call to its end, but where it waits. Who holds it
// decides what happens next at the rank, for the goals of all who wait; an event of another's goal is that other's to handle. Of
// those who cannot go on one *leads*: it sleeps on the wire, and the others until it is their turn. Who tests asks another
// question than those who wait: the lead passes between them.
//
// What the rank promises to others while it waits. As long as another thread of the program may call, it is no more than
// the clock, as while it computes: such a thread acts there or later. Once all of them wait too, or sleep so that only
// this process's own threads can wake them, the rank does nothing before the least event of all that are waited for.
//
// A thread that runs on and on, such as one that spins until another one of its rank has received something, would hold the
// rank at its clock for ever. But it may be taken to compute meanwhile: then the rank promises as much as others wait for, and
// who calls after all does so at that instant or later.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

#include "match/wire.h"
#include "rank/event.h"

namespace emu::rank {

class Turns final : public match::Sharing {
 public:
  // What other threads than the calling one may do before something happens at the rank.
  struct Beside {
    bool nothing = false;  // they sleep, and have since this was last asked, until another one wakes them
    bool still =
        false;      // they wait in the system, and have since this was last asked, for whatever it may be
    Instant until;  // otherwise those that do not are taken to compute until then
  };
  // What is known of the program's threads.
  struct Threads {
    bool (*several)();                      // there may be others than the calling one
    std::function<bool(int waiting)> more;  // than these, the calling one among them
    std::function<Beside()> beside;
    std::function<bool()> rest;  // those that do not wait here slept when they were last seen; false: unknown
  };
  // `wake`: who leads does not sleep on the wire any more.
  Turns(Threads threads, std::function<void()> wake) : threads_(std::move(threads)), wake_(std::move(wake)) {}
  // A thread that waits lets others go on, or goes on itself: in `call`.
  void at_switches(std::function<void()> away, std::function<void(const char* call)> back) {
    away_ = std::move(away);
    back_ = std::move(back);
  }

  // --- the rank is the calling thread's
  void enter();
  void leave();

  // Another thread waits for the lock.
  bool entering() const { return entering_ > 0; }

  // --- while it is
  bool several() override { return threads_.several(); }

  // Of a thread that waits for `goal`, or tests. `waits`: it goes on when its goal says so, whoever leads meanwhile.
  class Seat {
   public:
    Seat(Turns& turns, Goal& goal, bool waits, const char* call);
    ~Seat();
    Seat(const Seat&) = delete;

    // Something has happened at the rank meanwhile: what the thread waits for may be over.
    bool moved() const { return turns_.happened_ != since_; }
    // It looks at what has happened up to now.
    void looks() { called_ = false; }
    // It handles an event now: of its own goal, or of what belongs to nobody.
    void acts(bool own);
    // What happens next is for `other` to handle. Returns when it is this one's turn again.
    void hand_over(Seat& other);
    // It cannot go on. True if it leads; otherwise returns when it is this one's turn.
    bool may_sleep();

   private:
    friend class Turns;
    void call();
    void wait_for_turn();
    Turns& turns_;
    Goal& goal_;
    const bool waits_;
    const char* const call_;
    const std::uint64_t since_;
    bool called_ = false;  // to look again: its wait may be over
    bool slept_ = false;   // has led, and slept
    std::condition_variable turn_;
  };
  // That waits for such a goal; null: none.
  Seat* seat_of(const Protocol* goal) const;
  // All goals that are waited for, but `own`.
  template <class F>
  void others(const Goal& own, F f) const {
    for (const Seat* seat : seats_)
      if (seat->waits_ && &seat->goal_ != &own) f(seat->goal_);
  }
  // What threads of the program that do not wait here may do. Known only after the leader has slept, or if `soon` where they are
  // expected to rest; the answer is the same until it sleeps again, so that a decision and the sleep that follows it rest on one answer.
  Beside beside(bool soon = false);
  // The rank does nothing before `bound`, beyond its clock though a thread of the program runs on: who calls does so then at
  // the earliest.
  void promises(Instant bound) { promised_ = bound; }
  Instant promised() const { return promised_; }
  // All who wait look whether they still do.
  void call_all();
  // For the report of a deadlock: what others than `own` wait for.
  const std::vector<match::Waiting>& waiting_beside(const Goal& own);

  // --- the wire, about to sleep
  std::optional<std::chrono::nanoseconds> release() override;
  void take() override;

 private:
  // The rank's state changes: what was known of other threads does not hold any more.
  void changed();
  Beside look(bool soon);
  // Who should lead after `seat`, if it has to be another one; null: nobody.
  Seat* rival(const Seat& seat) const;
  void lead(Seat* seat);

  const Threads threads_;
  const std::function<void()> wake_;
  std::function<void()> away_;
  std::function<void(const char* call)> back_;

  std::mutex lock_;
  std::atomic<int> entering_ = 0;
  std::vector<Seat*> seats_;
  Seat* leader_ = nullptr;
  bool on_the_wire_ = false;    // the leader sleeps there,
  bool for_ever_ = false;       // until something happens on the wire
  std::uint64_t happened_ = 0;  // calls, and events that calls have handled
  bool rests_ = false;
  bool run_on_ = false;  // some thread is taken to compute
  Instant promised_;
  int in_vain_ = 0;             // how often the leader has slept since something happened
  std::optional<Beside> seen_;  // by look(), since the leader slept last
  std::vector<match::Waiting> beside_;
};

}  // namespace emu::rank
