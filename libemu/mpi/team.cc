#include "mpi/team.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <threads.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>
#include <utility>

#include "base/next.h"
#include "clock/thread_clock.h"
#include "mpi/entry.h"

namespace emu::mpi {

constinit thread_local Caller caller;

constinit std::atomic<int> Team::alive_ = 1, Team::most_ = 1, Team::joining_ = 0;

Team& team() {
  static Team& all = *new Team;  // for ever: threads may outlive everything
  return all;
}

void Team::begins() {
  const int now = alive_.fetch_add(1) + 1;
  int most = most_;
  while (most < now && !most_.compare_exchange_weak(most, now)) {
  }
}

void Team::begun(Member& member) {
  const std::lock_guard guard(lock_);
  member.number = static_cast<pid_t>(syscall(SYS_gettid));
  caller.member = &member;
}

// Who waits for it is no longer one that sleeps before this is no longer one that may call.
void Team::ends() {
  const std::lock_guard guard(lock_);
  if (Member* const waiter = caller.member->joined_by) {
    waiter->joins = false;
    --joining_;
  }
  --alive_;
  caller.member->ended = true;
  delete std::exchange(caller.meter, nullptr);
}

void Team::joins(pthread_t thread) {
  const std::lock_guard guard(lock_);
  for (Member& member : members_) {
    if (member.ended || member.joined_by || !member.thread || !pthread_equal(member.thread, thread)) continue;
    member.joined_by = &own();
    member.joined_by->joins = true;
    ++joining_;
    return;
  }
}

void Team::joined() {
  const std::lock_guard guard(lock_);
  if (caller.member) caller.member->joins = false;  // mostly it is already
}

Team::Member& Team::own() {
  if (!caller.member) {
    caller.member = &members_.emplace_back();
    caller.member->number = getpid();
  }
  return *caller.member;
}

void Team::declares(Interval work, bool measures) {
  const std::int64_t used = measures ? clock::thread_cpu_nanoseconds() : 0;
  const std::lock_guard guard(lock_);
  Member& member = own();
  member.declared = member.declared.plus(work);
  declared_ = declared_.plus(work);
  replaced_ += used - member.declared_at;
  member.declared_at = used;
}

Interval Team::scaled(std::int64_t used, double scale) {
  constexpr auto most = static_cast<double>(Interval::longest().picoseconds());
  const auto nanoseconds = static_cast<double>(std::max<std::int64_t>(0, used - std::exchange(replaced_, 0)));
  return Interval::picoseconds(
      static_cast<std::int64_t>(std::min(std::ceil(nanoseconds * scale * 1000.0), most)));
}

// Each thread that calls MPI itself is charged what it did when it does. Where each has a core of its own, what it has
// declared says all; what is measured of the others may be more than they will be charged for.
Team::Asked Team::enters(std::optional<Interval> measured, std::int64_t cpu, double scale, bool measures,
                         int cores) {
  const std::lock_guard guard(lock_);
  Member& member = own();
  member.calls = member.inside = true;
  if (!measured)
    measured = Interval::picoseconds(static_cast<std::int64_t>(
        static_cast<double>(clock::thread_cpu_nanoseconds() - member.declared_at) * scale * 1000));
  Asked asked;
  asked.own = measured->plus(std::exchange(member.declared, Interval()));
  const Interval total =
      (measures ? scaled(cpu - since_, scale) : Interval()).plus(std::exchange(declared_, Interval()));
  for (Member& other : members_)
    if (!other.calls) asked.all = std::max(asked.all, std::exchange(other.declared, Interval()));
  members_.remove_if([](const Member& m) { return m.ended; });
  const int most = most_.exchange(alive_), side_by_side = std::min(most, cores);
  if (measures || most > cores)
    asked.all =
        std::max(asked.all, Interval::picoseconds((total.picoseconds() + side_by_side - 1) / side_by_side));
  return asked;
}

namespace {

// A thread's file in /proc, as text; nothing of one that ends meanwhile.
std::string told(pid_t thread, const char* file) {
  std::ifstream in("/proc/self/task/" + std::to_string(thread) + "/" + file);
  std::string text, line;
  while (std::getline(in, line)) text += line + '\n';
  return text;
}

// Whether it is a wait for a word of memory of this process's alone, and without an end.
bool waits_for_its_own(const std::string& call) {
  std::istringstream in(call);
  long number = -1;
  unsigned long word = 0, operation = 0, value = 0, until = 1;
  in >> number >> std::hex >> word >> operation >> value >> until;
  const unsigned long command = operation & FUTEX_CMD_MASK;
  return in && number == SYS_futex && (operation & FUTEX_PRIVATE_FLAG) && until == 0 &&
         (command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET);
}

// Whether it is a wait in the system, for whatever it may be.
bool waits(const std::string& call, const std::string& status) {
  long number = -1;
  std::istringstream in(call);
  return in >> number && number >= 0 && status.find("\nState:\tS") != std::string::npos;
}

}  // namespace

// What a thread in the system waits for may come from outside of the process, and it may call then, if it is one that calls. Of one
// that never has nobody expects it: it may be there to watch a pipe, or to wake up now and then.
Team::Others Team::others() {
  struct Thread {
    Member member;  // as it was
    Member* known;
  };
  std::vector<Thread> threads;
  {
    const std::lock_guard guard(lock_);
    for (Member& member : members_)
      if (!member.ended) threads.push_back({member, &member});
    if (static_cast<int>(threads.size()) != alive_) return {};  // one has not begun
  }
  const auto self = static_cast<pid_t>(syscall(SYS_gettid));
  std::vector<std::string> now;
  Others found;
  bool known = true;
  found.still = true;
  for (const auto& [member, place] : threads) {
    if (member.number == self || member.joins) continue;
    const std::string call = told(member.number, "syscall");
    const std::string status = told(member.number, "status");
    const std::size_t switches = status.find("voluntary_ctxt_switches");
    now.push_back(std::to_string(member.number) + ' ' + call +
                  status.substr(std::min(switches, status.size())));
    const bool same = std::find(seen_.begin(), seen_.end(), now.back()) != seen_.end();
    if (same && (waits_for_its_own(call) || (!member.calls && waits(call, status)))) continue;
    found.still = found.still && same && member.number != 0 && waits(call, status);
    known = known && member.number != 0 && !member.inside &&
            (waits_for_its_own(call) || !waits(call, status));  // for a lock, for a moment
    const std::int64_t cpu = std::strtoll(told(member.number, "schedstat").c_str(), nullptr, 10);
    found.run_on.push_back({member.left, cpu - first_seen(*place, cpu)});
  }
  seen_ = std::move(now);
  found.asleep = found.run_on.empty();
  if (!known) found.run_on.clear();
  return found;
}

std::int64_t Team::first_seen(Member& member, std::int64_t cpu) {
  const std::lock_guard guard(lock_);
  if (member.since == unknown) member.since = cpu;
  return member.since;
}

void Team::leaves(Instant left, std::int64_t since) {
  const std::lock_guard guard(lock_);
  Member& member = own();
  member.inside = false;
  member.left = left;
  member.since = since;
}

// A call that only declares goes on with what has not been taken.
void Team::start(std::int64_t others) {
  if (!taken_) return;
  taken_ = false;
  since_ = others;
}

Interval Team::take(Interval own, std::int64_t others, double scale, int cores) {
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
  const std::int64_t side_by_side = std::min(most_.exchange(alive_), cores);
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
  Instant left;  // where the rank was then
  Team::Member* member = nullptr;
};

// However it ends.
struct Ending {
  ~Ending() {
    if (!caller.ours) team().ends();
  }
};

void* run(void* given) {
  const Beginning begin = *std::unique_ptr<Beginning>(static_cast<Beginning*>(given));
  caller.ours = begin.ours;
  caller.left = begin.left;
  if (!begin.ours) team().begun(*begin.member);
  const Ending ending;
  return begin.routine(begin.argument);
}

}  // namespace

}  // namespace emu::mpi

// What the program did up to here was done by as many threads as there were.
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
    return team().add(thread, begin->left, [&](Team::Member& member) {
      begin->member = &member;
      return start();
    });
  };
  if (ours) return start();
  if (!active() || inside()) {
    Team::begins();
    return create();
  }
  const bool alone = !Team::several();
  if (alone) process->stop_meter();
  if (alone) Team::begins();
  process->take_turn();
  if (!alone) process->stop_meter();
  if (!alone) Team::begins();
  begin->left = process->rank->now();
  const int code = create();
  process->start_meter();
  process->give_turn();
  return code;
}

// The C library's own would make it without being seen.
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
  const bool counts = !caller.ours && Team::several();
  if (counts) team().joins(thread);
  const int code = real(thread, result);
  if (counts) team().joined();
  return code;
}
