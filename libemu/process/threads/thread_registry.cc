#include "process/threads/thread_registry.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <threads.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "base/next.h"
#include "clock/thread_clock.h"
#include "process/call_scope.h"
#include "process/signals.h"

namespace emu::mpi {

constinit thread_local ThreadState caller;

constinit std::atomic<int> ThreadRegistry::alive_ = 1, ThreadRegistry::most_ = 1,
                           ThreadRegistry::joining_ = 0, ThreadRegistry::least_ = 1;

ThreadRegistry& threads() {
  static ThreadRegistry& all = *new ThreadRegistry;  // never destroyed: threads may outlive everything else
  return all;
}

void ThreadRegistry::at_least(int threads) {
  int most = most_;
  while (most < threads && !most_.compare_exchange_weak(most, threads)) {
  }
}

void ThreadRegistry::forked() {
  caller.member = nullptr;
  members_.clear();
  no_members_.clear();
  seen_.clear();
  alive_ = most_ = least_ = 1;
  joining_ = 0;
}

void ThreadRegistry::begins() { at_least(alive_.fetch_add(1) + 1); }

// The caller is registered from here on: others() counts registered threads.
void ThreadRegistry::expects_unseen() {
  const std::lock_guard guard(lock_);
  own();
  least_ = 2;
  at_least(2);
}

void ThreadRegistry::begun(Member& member) {
  const std::lock_guard guard(lock_);
  member.number = static_cast<pid_t>(syscall(SYS_gettid));
  caller.member = &member;
}

void ThreadRegistry::begun_own() {
  const std::lock_guard guard(lock_);
  no_members_.push_back(static_cast<pid_t>(syscall(SYS_gettid)));
}

void ThreadRegistry::ends_own() {
  const std::lock_guard guard(lock_);
  std::erase(no_members_, static_cast<pid_t>(syscall(SYS_gettid)));
}

bool ThreadRegistry::meets() {
  const std::lock_guard guard(lock_);
  own();
  return caller.unseen;
}

// The thread that joins this one stops counting as asleep before this one stops counting as alive.
void ThreadRegistry::ends() {
  const std::lock_guard guard(lock_);
  if (Member* const waiter = caller.member->joined_by) {
    waiter->joins = false;
    --joining_;
  }
  --alive_;
  caller.member->ended = true;
  delete std::exchange(caller.meter, nullptr);
}

void ThreadRegistry::joins(pthread_t thread) {
  const std::lock_guard guard(lock_);
  for (Member& member : members_) {
    if (member.ended || member.joined_by || !member.thread || !pthread_equal(member.thread, thread)) continue;
    member.joined_by = &own();
    member.joined_by->joins = true;
    ++joining_;
    return;
  }
}

void ThreadRegistry::joined() {
  const std::lock_guard guard(lock_);
  if (caller.member) caller.member->joins = false;  // usually ends() has done so
}

// An unknown thread is the first one, or one that the C library has created.
ThreadRegistry::Member& ThreadRegistry::own() {
  struct Leaving {
    ~Leaving() { threads().ends(); }
  };
  if (caller.member) return *caller.member;
  caller.member = &members_.emplace_back();
  caller.member->number = static_cast<pid_t>(syscall(SYS_gettid));
  caller.unseen = caller.member->number != getpid();
  if (!caller.unseen) return *caller.member;
  begins();
  static thread_local const Leaving leaving;  // at the thread's end
  return *caller.member;
}

void ThreadRegistry::declares(Interval work, bool measures) {
  const std::int64_t used = measures ? clock::thread_cpu_nanoseconds() : 0;
  const std::lock_guard guard(lock_);
  Member& member = own();
  member.declared = member.declared.plus(work);
  declared_ = declared_.plus(work);
  replaced_ += used - member.declared_at;
  member.declared_at = used;
}

Interval ThreadRegistry::scaled(std::int64_t used, double scale) {
  constexpr auto most = static_cast<double>(Interval::longest().picoseconds());
  const auto nanoseconds = static_cast<double>(std::max<std::int64_t>(0, used - std::exchange(replaced_, 0)));
  return Interval::picoseconds(
      static_cast<std::int64_t>(std::min(std::ceil(nanoseconds * scale * 1000.0), most)));
}

// Each thread that calls MPI is charged its own work at its call. With a core for each thread,
// declared work is complete; measured work of other threads may be more than they will be charged.
ThreadRegistry::Charge ThreadRegistry::enters(std::optional<Interval> measured, std::int64_t cpu,
                                              double scale, bool measures, int cores) {
  const std::lock_guard guard(lock_);
  Member& member = own();
  member.calls = member.inside = true;
  if (!measured)
    measured = Interval::picoseconds(static_cast<std::int64_t>(
        static_cast<double>(clock::thread_cpu_nanoseconds() - member.declared_at) * scale * 1000));
  Charge asked;
  asked.own = measured->plus(std::exchange(member.declared, Interval()));
  const Interval total =
      (measures ? scaled(cpu - since_, scale) : Interval()).plus(std::exchange(declared_, Interval()));
  for (Member& other : members_)
    if (!other.calls) asked.all = std::max(asked.all, std::exchange(other.declared, Interval()));
  members_.remove_if([](const Member& m) { return m.ended; });
  const int most = most_.exchange(std::max<int>(alive_, least_)), side_by_side = std::min(most, cores);
  if (measures || most > cores)
    asked.all =
        std::max(asked.all, Interval::picoseconds((total.picoseconds() + side_by_side - 1) / side_by_side));
  return asked;
}

std::int64_t ThreadRegistry::first_seen(Member& member, std::int64_t cpu) {
  const std::lock_guard guard(lock_);
  if (member.since == unknown) member.since = cpu;
  return member.since;
}

void ThreadRegistry::leaves(Instant left, std::int64_t since) {
  const std::lock_guard guard(lock_);
  Member& member = own();
  member.inside = member.rested = false;
  member.resumed_at = left;
  member.since = since;
}

// A call that only declares continues with the work that has not been taken.
void ThreadRegistry::start(std::int64_t others) {
  if (!taken_) return;
  taken_ = false;
  since_ = others;
}

Interval ThreadRegistry::take(Interval own, std::int64_t others, double scale, int cores) {
  const std::int64_t used = taken_ ? 0 : std::max<std::int64_t>(0, others - since_);
  charged_ += used;
  taken_ = true;

  const std::lock_guard guard(lock_);
  const Interval charged = std::exchange(own_, Interval());
  Interval longest = own.plus(charged), total = longest.plus(scaled(used, scale));
  for (Member& member : members_) {
    longest = std::max(longest, member.declared);
    total = total.plus(std::exchange(member.declared, Interval()));
  }
  members_.remove_if([](const Member& member) { return member.ended; });
  const std::int64_t side_by_side = std::min(most_.exchange(std::max<int>(alive_, least_)), cores);
  const Interval shared = Interval::picoseconds((total.picoseconds() + side_by_side - 1) / side_by_side);
  return std::max(longest, shared) - charged;
}

OwnThreads::OwnThreads() : before_(std::exchange(caller.ours, true)) {}

OwnThreads::~OwnThreads() { caller.ours = before_; }

namespace {

struct Beginning {
  void* (*routine)(void*);
  void* argument;
  bool ours;
  Instant left;  // the rank's clock at the creation
  ThreadRegistry::Member* member = nullptr;
};

// Runs at the end of the thread, in whatever way it ends.
struct Ending {
  ~Ending() {
    if (caller.ours)
      threads().ends_own();
    else
      threads().ends();
  }
};

void* run(void* given) {
  const Beginning begin = *std::unique_ptr<Beginning>(static_cast<Beginning*>(given));
  caller.ours = begin.ours;
  caller.resumed_at = begin.left;
  if (begin.ours) {
    leave_signals_to_program();
    threads().begun_own();
  } else {
    threads().begun(*begin.member);
  }
  const Ending ending;
  return begin.routine(begin.argument);
}

}  // namespace

void make_threads(void (*count)(), const std::function<void(Instant now)>& make) {
  if (!active() || inside()) {
    count();
    return make({});
  }
  const bool alone = !ThreadRegistry::several();
  if (alone) process->stop_meter();
  if (alone) count();
  process->lock_rank();
  if (!alone) process->stop_meter();
  if (!alone) count();
  make(process->rank->now());
  process->start_meter();
  process->unlock_rank();
}

}  // namespace emu::mpi

extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*routine)(void*),
                              void* argument) noexcept {
  using namespace emu::mpi;
  static const auto real =
      emu::next<int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*)>("pthread_create");
  const bool ours = caller.ours || caller.depth > 0;
  auto begin = std::make_unique<Beginning>(Beginning{routine, argument, ours, {}});
  const auto start = [&] {
    const int code = real(thread, attributes, run, begin.get());
    if (code == 0) begin.release();
    return code;
  };
  const auto create = [&] {
    return threads().add(thread, begin->left, [&](ThreadRegistry::Member& member) {
      begin->member = &member;
      return start();
    });
  };
  if (ours) return start();
  int code = 0;
  make_threads(ThreadRegistry::begins, [&](emu::Instant now) {
    begin->left = now;
    code = create();
  });
  return code;
}

// The C library's thrd_create would create the thread without notice.
extern "C" int thrd_create(thrd_t* thread, thrd_start_t routine, void* argument) {
  struct Begin {
    thrd_start_t routine;
    void* argument;
  };
  auto begin = std::make_unique<Begin>(Begin{routine, argument});
  const auto run = [](void* given) -> void* {
    const Begin own = *std::unique_ptr<Begin>(static_cast<Begin*>(given));
    return reinterpret_cast<void*>(static_cast<std::intptr_t>(own.routine(own.argument)));
  };
  const int code = pthread_create(thread, nullptr, run, begin.get());
  if (code == 0) begin.release();
  return code == 0 ? thrd_success : code == ENOMEM || code == EAGAIN ? thrd_nomem : thrd_error;
}

extern "C" int thrd_join(thrd_t thread, int* result) {
  void* value = nullptr;
  if (pthread_join(thread, &value) != 0) return thrd_error;
  if (result) *result = static_cast<int>(reinterpret_cast<std::intptr_t>(value));
  return thrd_success;
}

extern "C" int pthread_join(pthread_t thread, void** result) {
  using namespace emu::mpi;
  static const auto real = emu::next<int(pthread_t, void**)>("pthread_join");
  const bool counts = !caller.ours && ThreadRegistry::several();
  if (counts) threads().joins(thread);
  const int code = real(thread, result);
  if (counts) threads().joined();
  return code;
}
