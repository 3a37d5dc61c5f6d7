// The program's threads: how many there are, and what those that do not call MPI did since the rank was last asked.
//
// What passes between two calls of a rank is the longer of what the calling thread did, and of what all threads did
// together, divided by how many of them run at once: min(threads, node.cores). Declared work is each thread's own: none
// takes less time than what it declared itself. As long as there is one thread, all this costs one comparison a call.
//
// Where several threads may call (MPI_THREAD_SERIALIZED and MPI_THREAD_MULTIPLE), each is where the rank's clock was when it
// last left MPI, and what it does from there on passes beside what the others do. rank/semantics.md, "Threads".
#pragma once

#include <pthread.h>
#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "clock/meter.h"

namespace emu::mpi {

// Tells threads apart, without a call.
inline const void* this_thread() { return __builtin_thread_pointer(); }

class ThreadRegistry {
 public:
  // A thread but the first, or what one that has ended declared.
  struct Member {
    Interval declared;             // and nobody has charged
    std::int64_t declared_at = 0;  // its CPU time then, in nanoseconds
    bool calls = false;            // MPI, itself
    bool ended = false;
    bool joins = false;           // sleeps until another one ends
    Member* joined_by = nullptr;  // who sleeps until this one ends
    pthread_t thread = 0;
    pid_t number = 0;        // the system's
    bool inside = false;     // it is in MPI
    Instant resumed_at;      // where the rank was when it last went on by itself,
    std::int64_t since = 0;  // and its CPU time then, in nanoseconds
    bool rested = false;     // it slept when it was last looked at, and has not called since
  };
  static constexpr std::int64_t unknown = -1;  // that is found out when somebody asks, as of then

  // There has been more than one thread since the last take().
  [[gnu::hot]] static bool several() { return most_.load(std::memory_order_relaxed) > 1; }

  // The calling thread is the only one of a process that was just forked.
  void forked();

  // --- by any thread
  static void begins();  // another one is about to be made
  // From here on the C library may make threads that nobody sees begin (process/system_threads.cc).
  void expects_unseen();
  // Those that there are by now and that nobody saw begin are a tool's, and no part of the program, unless it has asked for such.
  void disowns_unseen();
  // By `create(member)`, which says as what it will be known, and returns an error code. Known at once: another one may wait for
  // its end before it has begun.
  template <class Create>
  int add(const pthread_t* thread, Instant left, Create create) {
    const std::lock_guard guard(lock_);
    own();
    Member& member = members_.emplace_back();
    member.resumed_at = left;
    const int code = create(member);
    if (code == 0) {
      member.thread = *thread;
    } else {
      members_.pop_back();
      --alive_;
    }
    return code;
  }
  void begun(Member& member);  // the calling one
  void ends();
  // The same of a thread of libemu's, or of MPICH's.
  void begun_own();
  void ends_own();
  // The calling thread calls MPI, and is known from here on. True if nobody saw it begin.
  bool meets();
  // The calling thread sleeps until `thread` has ended.
  void joins(pthread_t thread);
  void joined();
  // Whether there may be more threads than `waiting`, that are not known to sleep.
  static bool more(int waiting) { return alive_ - joining_ > waiting || least_ > 1; }
  // By the thread that has the rank: all others wait in MPI, or slept when they were last looked at.
  bool rest();
  // What all threads but the calling one are about, which has the rank.
  struct Others {
    bool asleep =
        false;  // and have been since this was last asked, so that only others of this process can wake them
    bool still = false;  // all who are not asleep wait in the system, and have since this was last asked
    // Something that is not the program's may wake one, or one that never calls, or that nobody saw begin, may call after all.
    bool restless = false;
    // Those that neither sleep nor are restless, where none of them is in MPI: since when, and for how many CPU nanoseconds.
    struct Runner {
      Instant resumed_at;
      std::int64_t cpu;
    };
    std::vector<Runner> run_on;
  };
  Others others();
  // The calling thread, which does not call MPI, says what its work costs on the reference CPU. `measures`: that replaces its
  // CPU time since it last said so.
  void declares(Interval work, bool measures);

  // --- by the thread that calls MPI. `others`: CPU time of the others by now, in nanoseconds.
  // The program goes on.
  void start(std::int64_t others);
  // It has declared `work`, which is charged already.
  void declared(Interval work) { own_ += work; }
  // The program's work since start(), beyond what is charged already. `own`: that of the calling thread; of the others one
  // nanosecond is `scale` of the reference CPU's; no more than `cores` threads run at once.
  Interval take(Interval own, std::int64_t others, double scale, int cores);

  // --- by a thread that calls MPI as others do, while the rank is its own. `cpu`: of all threads, in nanoseconds.
  // What it did since it left, and what all have done since then that counts for the rank.
  struct Charge {
    Interval own, all;
  };
  // `measured`: by its meter; nothing: it has none yet.
  Charge enters(std::optional<Interval> measured, std::int64_t cpu, double scale, bool measures, int cores);
  void goes_on(std::int64_t cpu) { since_ = cpu; }
  // It goes on by itself: `left`, `since` as of Member.
  void leaves(Instant left, std::int64_t since);

  // CPU time of other threads that was charged, in nanoseconds.
  std::int64_t charged() const { return charged_; }

  static constexpr int any_number = std::numeric_limits<int>::max();  // of cores

 private:
  // Threads: now; at any time since the last take(); of those that there are now, who only wait for the end of another.
  static std::atomic<int> alive_, most_, joining_;
  static std::atomic<int> least_;  // of most_: 2 if there may be one that nobody saw begin

  Member& own();
  static void at_least(int threads);  // there were so many at once
  // thread_states.cc
  struct Look;
  Look look();
  void look_at(const Member& member, Member* known, Look& look);
  void look_at_unseen(pid_t number, Look& look) const;
  bool seen(const std::string& told) const;
  // The CPU time at which it was seen first since it went on by itself: `cpu`, if it is now.
  std::int64_t first_seen(Member& member, std::int64_t cpu);
  Interval scaled(std::int64_t used, double scale);

  std::mutex lock_;  // of what the others declare
  std::list<Member> members_;
  std::int64_t replaced_ = 0;      // of their CPU time, by what they declared
  Interval declared_;              // by all, since enters()
  std::vector<std::string> seen_;  // by look()
  std::vector<pid_t> no_members_;  // threads of libemu's and MPICH's

  bool taken_ = true;
  Interval own_;
  std::int64_t since_ = 0, charged_ = 0;
};

// Of this process, from its beginning to its end.
ThreadRegistry& threads();

// The thread `number` of this process waits in the system for a word of memory that processes share, without an end. What the system
// says of it, which is another text once it has gone on; empty: it does not.
std::string waits_for_shared_word(pid_t number);

// The calling thread, as libemu knows it.
struct ThreadState {
  ThreadRegistry::Member* member =
      nullptr;          // of the team, but for the first thread as long as it declares nothing beside others
  bool ours = false;    // libemu made it, or MPICH: it is no part of the program
  bool unseen = false;  // nobody saw it begin
  bool calls = false;   // it has called MPI beside others
  bool in_romio = false;   // MPICH's part for files runs, which calls MPI itself (io/romio.h)
  bool operating = false;  // an operation of the program's own runs, below a reduction
  int depth = 0;           // entry points of ours on its stack
  int interrupted = 0;     // signal handlers of the program's that run above one (process/signals.cc)
  int rank_locks = 0;      // of them, those that took the rank from other threads
  int memory_turns = 0;    // or from the thread that promises for it (rma/shared_memory.h)
  Instant resumed_at;      // the rank's clock when it last went on by itself
  Instant came;            // how far it was by itself when it called, where several may
  clock::CpuMeter* meter = nullptr;  // its own, of one that is not the first
};
[[gnu::tls_model("initial-exec")]] extern constinit thread_local ThreadState caller;

// The program makes a thread, by `make`, or what may have the C library make some: `count` says so to the team. What it did up to here was
// done by as many as there were. `now`: the rank's clock.
void make_threads(void (*count)(), const std::function<void(Instant now)>& make);

// Threads that are made while this lives are libemu's own, or MPICH's, and no part of the program.
class OwnThreads {
 public:
  OwnThreads();
  ~OwnThreads();
  OwnThreads(const OwnThreads&) = delete;

 private:
  bool before_;
};

}  // namespace emu::mpi
