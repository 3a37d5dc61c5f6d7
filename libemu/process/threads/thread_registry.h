// Registry of the program's threads: their number, and the work of those that do not call MPI since the last query.
//
// The time between two calls of a rank is the longer of two: the work of the calling thread, and the work of all
// threads divided by the number of threads that run concurrently, min(threads, node.cores). Declared work belongs to
// its thread: none takes less time than its own declarations. With a single thread, the cost of all this is one
// comparison for each call.
//
// If several threads may call (MPI_THREAD_SERIALIZED and MPI_THREAD_MULTIPLE), each begins its work at the rank's
// clock of its last exit from MPI, and its work overlaps with that of other threads. rank/semantics.md, "Threads".
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

// Identifies the calling thread, without a call.
inline const void* this_thread() { return __builtin_thread_pointer(); }

class ThreadRegistry {
 public:
  // A thread other than the first, or the declarations of an ended one.
  struct Member {
    Interval declared;             // declared work that is not charged yet
    std::int64_t declared_at = 0;  // its CPU time at the last declaration, in nanoseconds
    bool calls = false;            // it calls MPI
    bool ended = false;
    bool joins = false;           // it sleeps until another thread ends
    Member* joined_by = nullptr;  // the thread that sleeps until this one ends
    pthread_t thread = 0;
    pid_t number = 0;        // its number in the system
    bool inside = false;     // it is in MPI
    Instant resumed_at;      // the rank's clock at the thread's last exit from MPI
    std::int64_t since = 0;  // its CPU time at that instant, in nanoseconds
    bool rested = false;     // it slept when last examined, and has not called since
  };
  static constexpr std::int64_t unknown = -1;  // the CPU time will be read at the next query

  // True if there has been more than one thread since the last take().
  [[gnu::hot]] static bool several() { return most_.load(std::memory_order_relaxed) > 1; }

  // The calling thread is the only one of a process that was just forked.
  void forked();

  // --- called by any thread
  static void begins();  // another thread is about to be created
  // From here on the C library may create threads without notice (process/threads/system_threads.cc).
  void expects_unseen();
  // Threads that were created without notice belong to a tool, not to the program, unless it requested such threads.
  void disowns_unseen();
  // Adds a thread that `create(member)` creates; `create` sets its identity, and returns an
  // error code. The thread is known at once: another thread may join it before it has begun.
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
  void begun(Member& member);  // called by the new thread
  void ends();
  // As above, for a thread of libemu or MPICH.
  void begun_own();
  void ends_own();
  // The calling thread calls MPI, and is registered from here on. Returns true if it was created without notice.
  bool meets();
  // The calling thread sleeps until `thread` has ended.
  void joins(pthread_t thread);
  void joined();
  // True if there may be more than `waiting` threads that are not known to sleep.
  static bool more(int waiting) { return alive_ - joining_ > waiting || least_ > 1; }
  // Called by the thread that has the rank: true if all others wait in MPI, or slept when last examined.
  bool rest();
  // State of all threads except the calling one, which has the rank.
  struct Others {
    // They sleep, and have slept since the last query, so that only threads of this process can wake them.
    bool asleep = false;
    bool still = false;  // the others have waited in the system since the last query
    // A thread that never calls, or was created without notice, may be woken from outside the program, and may call
    // after all.
    bool restless = false;
    // Threads that neither sleep nor are restless, if none of them is in MPI: begin and CPU nanoseconds of their work.
    struct Runner {
      Instant resumed_at;
      std::int64_t cpu;
    };
    std::vector<Runner> run_on;
  };
  Others others();
  // The calling thread, which does not call MPI, declares the cost of its work on the
  // reference CPU. `measures`: in place of its CPU time since its last declaration.
  void declares(Interval work, bool measures);

  // --- called by the thread that calls MPI. `others`: CPU time of the other threads so far, in nanoseconds.
  // The program continues.
  void start(std::int64_t others);
  // The program has declared `work`, which has been charged.
  void declared(Interval work) { own_ += work; }
  // The program's work since start() that is not charged yet. `own`: the work of the calling thread; a nanosecond
  // of other threads is `scale` nanoseconds of the reference CPU; at most `cores` threads run concurrently.
  Interval take(Interval own, std::int64_t others, double scale, int cores);

  // --- called by one of several threads that call MPI, while it has the rank. `cpu`: CPU time of all threads, in
  // nanoseconds. The thread's work since its last exit, and the work of all threads since the last call that counts for
  // the rank.
  struct Charge {
    Interval own, all;
  };
  // `measured`: by the thread's meter; nothing: it has none yet.
  Charge enters(std::optional<Interval> measured, std::int64_t cpu, double scale, bool measures, int cores);
  void resume(std::int64_t cpu) { since_ = cpu; }
  // The thread leaves MPI: `left`, `since` as resumed_at and since of Member.
  void leaves(Instant left, std::int64_t since);

  // CPU time of other threads that was charged, in nanoseconds.
  std::int64_t charged() const { return charged_; }

  static constexpr int any_number = std::numeric_limits<int>::max();  // of cores

 private:
  // Numbers of threads: now; the greatest since the last take(); of the present ones, those that only join another one.
  static std::atomic<int> alive_, most_, joining_;
  static std::atomic<int> least_;  // lower bound of most_: 2 if there may be threads without notice

  Member& own();
  static void at_least(int threads);  // this number of threads existed at once
  // thread_states.cc
  struct Look;
  Look look();
  void look_at(const Member& member, Member* known, Look& look);
  void look_at_unseen(pid_t number, Look& look) const;
  bool seen(const std::string& state) const;
  // The CPU time at the first query since the thread's last exit from MPI: `cpu`, if this is the first one.
  std::int64_t first_seen(Member& member, std::int64_t cpu);
  Interval scaled(std::int64_t used, double scale);

  std::mutex lock_;  // for declarations of other threads
  std::list<Member> members_;
  std::int64_t replaced_ = 0;      // part of their CPU time that declarations replaced
  Interval declared_;              // by all threads, since enters()
  std::vector<std::string> seen_;  // by the last look()
  std::vector<pid_t> no_members_;  // threads of libemu and MPICH

  bool taken_ = true;
  Interval own_;
  std::int64_t since_ = 0, charged_ = 0;
};

// The registry of this process, for its whole life.
ThreadRegistry& threads();

// Tests if thread `number` of this process waits in the system, without a limit, for a word of memory that processes
// share. Returns the system's description, which changes once the thread has continued; empty: it does not wait for
// one.
std::string waits_for_shared_word(pid_t number);

// State of the calling thread.
struct ThreadState {
  // In the registry; null for the first thread until it declares as one of several.
  ThreadRegistry::Member* member = nullptr;
  bool ours = false;       // libemu or MPICH created it: it does not belong to the program
  bool unseen = false;     // it was created without notice
  bool calls = false;      // it has called MPI as one of several
  bool in_romio = false;   // MPICH's implementation of files runs, which calls MPI (io/romio.h)
  bool operating = false;  // an operation of the program runs, within a reduction
  int depth = 0;           // number of libemu's entry points on its stack
  int interrupted = 0;     // number of the program's signal handlers that run above one (process/signals.cc)
  int rank_locks = 0;      // number of these entry points that locked the rank against other threads
  // As rank_locks, against the thread that makes promises (process/threads/shared_memory_promises.h).
  int memory_turns = 0;
  Instant resumed_at;                // the rank's clock at its last exit from MPI
  Instant came;                      // its own clock when it called, if several threads may call
  clock::CpuMeter* meter = nullptr;  // of a thread other than the first
};
[[gnu::tls_model("initial-exec")]] extern constinit thread_local ThreadState caller;

// The program creates a thread by `make`, or may have the C library create some: `count` registers
// that. The work so far was done by the former number of threads. `now`: the rank's clock.
void make_threads(void (*count)(), const std::function<void(Instant now)>& make);

// Scope in which new threads are libemu's or MPICH's, and not the program's.
class OwnThreads {
 public:
  OwnThreads();
  ~OwnThreads();
  OwnThreads(const OwnThreads&) = delete;

 private:
  bool before_;
};

}  // namespace emu::mpi
