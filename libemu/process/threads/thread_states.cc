// States of the process's other threads, from the system: the files of each in /proc/self/task.

#include <dirent.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>

#include "process/threads/system_threads.h"
#include "process/threads/thread_registry.h"

namespace emu::mpi {

namespace {

// A thread's file in /proc as text; empty if the thread ends meanwhile.
std::string contents(pid_t thread, const char* file) {
  std::ifstream in("/proc/self/task/" + std::to_string(thread) + "/" + file);
  std::string text, line;
  while (std::getline(in, line)) text += line + '\n';
  return text;
}

// All threads of the process.
std::vector<pid_t> numbers() {
  std::vector<pid_t> all;
  const std::unique_ptr<DIR, int (*)(DIR*)> tasks(opendir("/proc/self/task"), closedir);
  if (!tasks) return all;
  while (const dirent* const entry = readdir(tasks.get())) {
    const std::string_view name = entry->d_name;
    pid_t number = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), number).ec == std::errc())
      all.push_back(number);
  }
  return all;
}

// A thread's wait in the system. Timers are read first: one that expires later wakes its thread, which is seen then.
struct Wait {
  explicit Wait(pid_t thread)
      : timers(timers_run()), call(contents(thread, "syscall")), status(contents(thread, "status")) {
    std::istringstream in(call);
    if (!(in >> number >> std::hex)) number = -1;
    for (unsigned long& argument : arguments) in >> argument;
    asleep = number >= 0 && status.find("\nState:\tS") != std::string::npos;
    const std::size_t switches = status.find("voluntary_ctxt_switches");
    text = std::to_string(thread) + ' ' + call + status.substr(std::min(switches, status.size()));
  }

  // True for a wait without a limit on a word of this process's private memory.
  bool for_its_own() const {
    const unsigned long command = arguments[1] & FUTEX_CMD_MASK;
    return number == SYS_futex && (arguments[1] & FUTEX_PRIVATE_FLAG) && arguments[3] == 0 &&
           (command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET);
  }
  // True for such a wait on a word that other processes may share.
  bool for_shared() const {
    const unsigned long command = arguments[1] & FUTEX_CMD_MASK;
    return number == SYS_futex && !(arguments[1] & FUTEX_PRIVATE_FLAG) && arguments[3] == 0 &&
           (command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET || command == FUTEX_LOCK_PI);
  }
  // True for the C library's thread that creates a thread when a timer expires, while no timer is set.
  bool for_no_timer() const { return number == SYS_rt_sigtimedwait && arguments[2] == 0 && !timers; }

  bool timers;  // timers that create a thread were set
  std::string call, status;
  long number = -1;  // of the system call; -1: none
  unsigned long arguments[6] = {};
  bool asleep = false;
  std::string text;  // changes once the thread has continued
};

}  // namespace

std::string waits_for_shared_word(pid_t number) {
  const Wait wait(number);
  return wait.asleep && wait.for_shared() ? wait.text : "";
}

struct ThreadRegistry::Look {
  Others found;
  std::vector<std::string> now;
  bool known = true;   // the start of each thread's work that does not sleep is known
  bool again = false;  // threads sleep that are not known to have slept before
};

bool ThreadRegistry::seen(const std::string& state) const {
  return std::find(seen_.begin(), seen_.end(), state) != seen_.end();
}

bool ThreadRegistry::rest() {
  const std::lock_guard guard(lock_);
  const auto quiet = std::count_if(members_.begin(), members_.end(), [](const Member& m) {
    return !m.ended && (m.inside || m.joins || m.rested);
  });
  return least_ <= 1 && quiet == alive_;
}

// A thread in the system may wait for an event from outside the process, and then call, if it is a thread that
// calls. A thread that has never called is not expected to: it may watch a pipe, or wake up now and then.
void ThreadRegistry::look_at(const Member& member, Member* known, Look& look) {
  const Wait wait(member.number);
  look.now.push_back(wait.text);
  const bool same = seen(wait.text);
  if (wait.asleep && (wait.for_its_own() || !member.calls)) {
    look.again = look.again || !same;
    known->rested = true;
    if (same) return;
  }
  Others& found = look.found;
  found.still = found.still && same && member.number != 0 && wait.asleep;
  if (wait.asleep && !member.calls) {
    found.restless = true;
    return;
  }
  look.known = look.known && member.number != 0 && !member.inside &&
               (wait.for_its_own() || !wait.asleep);  // waits briefly for a lock
  const std::int64_t cpu = std::strtoll(contents(member.number, "schedstat").c_str(), nullptr, 10);
  found.run_on.push_back({member.resumed_at, cpu - first_seen(*known, cpu)});
}

// A thread of the C library exists to wake others, or to create more.
void ThreadRegistry::look_at_unseen(pid_t number, Look& look) const {
  const Wait wait(number);
  look.now.push_back(wait.text);
  const bool same = seen(wait.text);
  if (wait.asleep && (wait.for_its_own() || wait.for_no_timer())) {
    look.again = look.again || !same;
    if (same) return;
  }
  look.found.still = look.found.still && same && wait.asleep;
  look.found.restless = true;
}

// Threads are not examined at one instant. All slept at one instant if none has continued between two looks.
ThreadRegistry::Others ThreadRegistry::others() {
  Look first = look();
  if (!first.again || !first.known || !first.found.run_on.empty()) return first.found;
  return look().found;
}

void ThreadRegistry::disowns_unseen() {
  const std::lock_guard guard(lock_);
  std::vector<pid_t> known = {getpid()};
  for (const Member& member : members_) known.push_back(member.number);
  const bool some_to_begin = std::find(known.begin(), known.end(), 0) != known.end();
  if (least_ > 1 || some_to_begin) return;
  for (const pid_t number : numbers())
    if (std::find(known.begin(), known.end(), number) == known.end()) no_members_.push_back(number);
}

ThreadRegistry::Look ThreadRegistry::look() {
  struct Thread {
    Member member;  // a copy
    Member* known;
  };
  Look look;
  std::vector<Thread> threads;
  std::vector<pid_t> known;
  {
    const std::lock_guard guard(lock_);
    for (Member& member : members_)
      if (!member.ended) threads.push_back({member, &member});
    if (static_cast<int>(threads.size()) != alive_) return look;  // one has not begun yet
    known = no_members_;
  }
  const auto self = static_cast<pid_t>(syscall(SYS_gettid));
  known.push_back(self);
  look.found.still = true;
  // A thread in MPI waits there, because the calling thread has the rank.
  for (const auto& [member, place] : threads) {
    known.push_back(member.number);
    if (member.number != self && !member.joins && !member.inside) look_at(member, place, look);
  }
  for (const pid_t number : numbers())
    if (std::find(known.begin(), known.end(), number) == known.end()) look_at_unseen(number, look);
  seen_ = std::move(look.now);
  look.found.asleep = look.found.run_on.empty() && !look.found.restless;
  if (!look.known) {
    look.found.run_on.clear();
    look.found.restless = false;
  }
  return look;
}

}  // namespace emu::mpi
