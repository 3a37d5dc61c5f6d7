// Child processes that the program starts by fork, posix_spawn, popen and system. They are not ranks. With measured
// compute, the CPU time of a child counts when the thread that calls MPI waits for it: the rank's clock is then at
// least the start of the child plus this time. Concurrent children of a rank share node.cores. rank/semantics.md,
// "Processes of a rank".
//
// A child created by clone itself is noticed only when it is waited for, and counts from then on.

#include "process/children.h"

#include <spawn.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <map>
#include <mutex>
#include <optional>

#include "base/billion.h"
#include "base/next.h"
#include "process/call_scope.h"
#include "process/clocks.h"

namespace emu::mpi {

namespace {

constexpr pid_t unknown = -1;

std::int64_t nanoseconds(const rusage& used) {
  const auto of = [](const timeval& t) { return t.tv_sec * billion + t.tv_usec * 1000; };
  return of(used.ru_utime) + of(used.ru_stime);
}

// CPU time of all children that this process has waited for.
std::int64_t used_by_children() {
  rusage used{};
  getrusage(RUSAGE_CHILDREN, &used);
  return nanoseconds(used);
}

// True if the program itself calls, not a library below it nor a signal handler within a call.
bool of_program() { return active() && !caller.ours && caller.depth == 0; }

class Children {
 public:
  // The rank's clock before the calling thread starts a child; nothing: the thread does not call MPI.
  static std::optional<Instant> beginning(const char* call) {
    if (!of_program() || time_of_caller() != Time::rank) return std::nullopt;
    return instant_of(Time::rank, call);
  }

  // Running children by `Key`, the process or the object that represents it. The value is the start, if known.
  template <class Key>
  using Running = std::map<Key, std::optional<Instant>>;

  template <class Key>
  void begun(Running<Key>& running, Key key, std::optional<Instant> at) {
    if (!of_program()) return;
    const std::lock_guard guard(lock_);
    count(at);
    running[key] = at;
  }
  // A child of vfork, which does not return here with its number.
  void begun(std::optional<Instant> at) {
    if (!of_program()) return;
    const std::lock_guard guard(lock_);
    count(at);
    unnumbered_.push_back(at);
  }
  bool any() {
    const std::lock_guard guard(lock_);
    return running() > 0;
  }

  // A child has ended.
  template <class Key>
  void ended(Running<Key>& running, Key key, const char* call, std::int64_t cpu) {
    if (!of_program()) return;
    std::optional<Instant> since = take(running, key);
    if (time_of_caller() != Time::rank || !process->metering.meter->measures()) return;
    const CallScope scope(call);
    if (!since) since = scope.rank().now();
    process->child_ended(*since, cpu);
    const std::lock_guard guard(lock_);
    ++counted_;
    cpu_ += cpu;
    if (process->self.cores >= most_ || !first_) return;
    total_ += cpu;
    process->child_ended(*first_, total_ / process->self.cores);
  }

  void add(record::Doubts& doubts) {
    const std::lock_guard guard(lock_);
    doubts.children = begun_;
    doubts.lost_children = begun_ - counted_;
    doubts.child_cpu = cpu_;
  }

  Running<pid_t>& numbered() { return numbered_; }
  Running<const FILE*>& piped() { return piped_; }

 private:
  std::int64_t running() const {
    return static_cast<std::int64_t>(numbered_.size() + piped_.size() + unnumbered_.size());
  }
  void count(std::optional<Instant> at) {
    ++begun_;
    if (running() == 0) {
      first_.reset();
      total_ = most_ = 0;
    }
    if (!first_) first_ = at;
    most_ = std::max(most_, running() + 1);
  }
  template <class Key>
  std::optional<Instant> take(Running<Key>& running, Key key) {
    const std::lock_guard guard(lock_);
    const auto found = running.find(key);
    if (found == running.end() && unnumbered_.empty()) {
      ++begun_;
      return std::nullopt;
    }
    if (found == running.end()) {
      const std::optional<Instant> since = unnumbered_.front();
      unnumbered_.pop_front();
      return since;
    }
    const std::optional<Instant> since = found->second;
    running.erase(found);
    return since;
  }

  std::mutex lock_;
  Running<pid_t> numbered_;
  Running<const FILE*> piped_;
  std::deque<std::optional<Instant>> unnumbered_;
  std::int64_t begun_ = 0, counted_ = 0, cpu_ = 0;
  // Counted since the last moment without children: the first start, the greatest number of concurrent children, and
  // the CPU time of ended ones that was counted while there were fewer cores than children.
  std::optional<Instant> first_;
  std::int64_t most_ = 0, total_ = 0;
};

Children& children() {
  static Children& all = *new Children;  // never destroyed: the program may wait during static destruction
  return all;
}

// Registers a child process; -1: the start failed.
pid_t started(pid_t child, std::optional<Instant> at) {
  if (child > 0) children().begun(children().numbered(), child, at);
  return child;
}

// posix_spawn and posix_spawnp: `real(made)` is the call.
template <class Real>
int spawn(const char* name, pid_t* child, Real real) {
  const auto at = Children::beginning(name);
  pid_t made = unknown;
  const int code = real(&made);
  if (code == 0) started(made, at);
  if (code == 0 && child) *child = made;
  return code;
}

void ended(pid_t child, const char* call, const rusage& used) {
  const int error = errno;
  children().ended(children().numbered(), child, call, nanoseconds(used));
  errno = error;
}

pid_t wait_for(const char* call, pid_t child, int* status, int options, rusage* used) {
  static const auto real = next<pid_t(pid_t, int*, int, rusage*)>("wait4");
  int how = 0;
  rusage own{};
  const pid_t over = real(child, &how, options, &own);
  if (over > 0 && (WIFEXITED(how) || WIFSIGNALED(how))) ended(over, call, own);
  if (over > 0 && status) *status = how;
  if (over > 0 && used) *used = own;
  return over;
}

}  // namespace

void add_children(record::Doubts& doubts) { children().add(doubts); }

void sleep_until_child(Interval d) {
  static const auto real_sleep = next<decltype(nanosleep)>("nanosleep");
  if (!children().any()) return;
  const std::int64_t end = host_nanoseconds(CLOCK_MONOTONIC) + d.picoseconds() / 1000;
  for (;;) {
    constexpr std::int64_t look = 1'000'000;
    siginfo_t over{};
    if (syscall(SYS_waitid, P_ALL, 0, &over, WEXITED | WNOHANG | WNOWAIT, nullptr) != 0 || over.si_pid != 0)
      return;
    const std::int64_t left = std::min(end - host_nanoseconds(CLOCK_MONOTONIC), look);
    if (left <= 0) return;
    const timespec pause{0, left};
    real_sleep(&pause, nullptr);
  }
}

}  // namespace emu::mpi

using namespace emu::mpi;
using emu::next;

extern "C" pid_t fork() noexcept {
  static const auto real = next<pid_t()>("fork");
  const auto at = Children::beginning("fork");
  return started(real(), at);
}

#if defined __x86_64__
// Called first by vfork; returns the C library's vfork.
extern "C" [[gnu::used, gnu::visibility("hidden")]] void* emu_begin_vfork() {
  static void* const real = reinterpret_cast<void*>(next<pid_t()>("vfork"));
  children().begun(Children::beginning("vfork"));
  return real;
}

// The child runs on this stack, which must be empty when the C library's vfork is called, which returns to the caller.
extern "C" [[gnu::naked]] pid_t vfork() noexcept {
  asm("sub $8, %rsp\n"
      "call emu_begin_vfork\n"
      "add $8, %rsp\n"
      "jmp *%rax");
}
#endif

extern "C" int posix_spawn(pid_t* child, const char* path, const posix_spawn_file_actions_t* actions,
                           const posix_spawnattr_t* attributes, char* const words[],
                           char* const environment[]) noexcept {
  static const auto real = next<decltype(posix_spawn)>("posix_spawn");
  return spawn("posix_spawn", child,
               [&](pid_t* made) { return real(made, path, actions, attributes, words, environment); });
}

extern "C" int posix_spawnp(pid_t* child, const char* file, const posix_spawn_file_actions_t* actions,
                            const posix_spawnattr_t* attributes, char* const words[],
                            char* const environment[]) noexcept {
  static const auto real = next<decltype(posix_spawnp)>("posix_spawnp");
  return spawn("posix_spawnp", child,
               [&](pid_t* made) { return real(made, file, actions, attributes, words, environment); });
}

extern "C" FILE* popen(const char* command, const char* mode) {
  static const auto real = next<FILE*(const char*, const char*)>("popen");
  const auto at = Children::beginning("popen");
  FILE* const file = real(command, mode);
  if (file) children().begun<const FILE*>(children().piped(), file, at);
  return file;
}

extern "C" int pclose(FILE* file) {
  static const auto real = next<int(FILE*)>("pclose");
  const std::int64_t before = used_by_children();
  const int status = real(file);
  const int error = errno;
  if (status != -1)
    children().ended<const FILE*>(children().piped(), file, "pclose", used_by_children() - before);
  errno = error;
  return status;
}

extern "C" int system(const char* command) {
  static const auto real = next<int(const char*)>("system");
  if (!command) return real(command);
  const std::int64_t before = used_by_children();
  const auto at = Children::beginning("system");
  const int status = real(command);
  const int error = errno;
  const auto self = static_cast<pid_t>(-syscall(SYS_gettid));  // the number of no process
  if (status != -1) {
    children().begun(children().numbered(), self, at);
    children().ended(children().numbered(), self, "system", used_by_children() - before);
  }
  errno = error;
  return status;
}

extern "C" pid_t wait(int* status) { return wait_for("wait", -1, status, 0, nullptr); }

extern "C" pid_t waitpid(pid_t child, int* status, int options) {
  return wait_for("waitpid", child, status, options, nullptr);
}

extern "C" pid_t wait3(int* status, int options, rusage* used) noexcept {
  return wait_for("wait3", -1, status, options, used);
}

extern "C" pid_t wait4(pid_t child, int* status, int options, rusage* used) noexcept {
  return wait_for("wait4", child, status, options, used);
}

// The kernel's waitid also returns the resource usage.
extern "C" int waitid(idtype_t type, id_t child, siginfo_t* info, int options) {
  siginfo_t own{};
  rusage used{};
  const auto code = static_cast<int>(syscall(SYS_waitid, type, child, &own, options, &used));
  const bool over = own.si_code == CLD_EXITED || own.si_code == CLD_KILLED || own.si_code == CLD_DUMPED;
  if (code == 0 && own.si_pid > 0 && over && !(options & WNOWAIT)) ended(own.si_pid, "waitid", used);
  if (code == 0 && info) *info = own;
  return code;
}
