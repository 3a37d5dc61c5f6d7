// What the other threads of the process are about, as the system tells it: the files of each in /proc/self/task.

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

#include "process/system_threads.h"
#include "process/thread_registry.h"

namespace emu::mpi {

namespace {

// A thread's file in /proc, as text; nothing of one that ends meanwhile.
std::string told(pid_t thread, const char* file) {
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

// What a thread is about in the system. Timers come first: one that expires afterwards wakes its thread, which is seen then.
struct Wait {
  explicit Wait(pid_t thread)
      : timers(timers_run()), call(told(thread, "syscall")), status(told(thread, "status")) {
    std::istringstream in(call);
    if (!(in >> number >> std::hex)) number = -1;
    for (unsigned long& argument : arguments) in >> argument;
    asleep = number >= 0 && status.find("\nState:\tS") != std::string::npos;
    const std::size_t switches = status.find("voluntary_ctxt_switches");
    text = std::to_string(thread) + ' ' + call + status.substr(std::min(switches, status.size()));
  }

  // For a word of memory of this process's alone, and without an end.
  bool for_its_own() const {
    const unsigned long command = arguments[1] & FUTEX_CMD_MASK;
    return number == SYS_futex && (arguments[1] & FUTEX_PRIVATE_FLAG) && arguments[3] == 0 &&
           (command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET);
  }
  // Likewise, but for one that other processes may have too.
  bool for_shared() const {
    const unsigned long command = arguments[1] & FUTEX_CMD_MASK;
    return number == SYS_futex && !(arguments[1] & FUTEX_PRIVATE_FLAG) && arguments[3] == 0 &&
           (command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET || command == FUTEX_LOCK_PI);
  }
  // As the C library's own, which makes a thread when a timer expires, while none is set.
  bool for_no_timer() const { return number == SYS_rt_sigtimedwait && arguments[2] == 0 && !timers; }

  bool timers;  // of those that make a thread, some were set
  std::string call, status;
  long number = -1;  // the system call's; -1: it is in none
  unsigned long arguments[6] = {};
  bool asleep = false;
  std::string text;  // is another one once it has gone on
};

}  // namespace

std::string waits_for_shared_word(pid_t number) {
  const Wait wait(number);
  return wait.asleep && wait.for_shared() ? wait.text : "";
}

struct ThreadRegistry::Look {
  Others found;
  std::vector<std::string> now;
  bool known = true;   // where all those are that do not sleep
  bool again = false;  // some sleep that are not known to have slept before
};

bool ThreadRegistry::seen(const std::string& told) const {
  return std::find(seen_.begin(), seen_.end(), told) != seen_.end();
}

bool ThreadRegistry::rest() {
  const std::lock_guard guard(lock_);
  const auto quiet = std::count_if(members_.begin(), members_.end(), [](const Member& m) {
    return !m.ended && (m.inside || m.joins || m.rested);
  });
  return least_ <= 1 && quiet == alive_;
}

// What a thread in the system waits for may come from outside of the process, and it may call then, if it is one that calls. Of one
// that never has nobody expects it: it may be there to watch a pipe, or to wake up now and then.
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
               (wait.for_its_own() || !wait.asleep);  // for a lock, for a moment
  const std::int64_t cpu = std::strtoll(told(member.number, "schedstat").c_str(), nullptr, 10);
  found.run_on.push_back({member.resumed_at, cpu - first_seen(*known, cpu)});
}

// One that the C library has made is there to wake others, or to make more.
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

// No thread is seen at the same instant as another one: all were asleep at one if none has gone on between two looks.
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
    Member member;  // as it was
    Member* known;
  };
  Look look;
  std::vector<Thread> threads;
  std::vector<pid_t> known;
  {
    const std::lock_guard guard(lock_);
    for (Member& member : members_)
      if (!member.ended) threads.push_back({member, &member});
    if (static_cast<int>(threads.size()) != alive_) return look;  // one has not begun
    known = no_members_;
  }
  const auto self = static_cast<pid_t>(syscall(SYS_gettid));
  known.push_back(self);
  look.found.still = true;
  // A thread in MPI waits for its turn there, since the calling thread has the rank.
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
