#include "process/fork/supervisor.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "process/log.h"
#include "process/start/outsiders.h"

namespace emu::mpi {

namespace {

constexpr const char* exits_early = " exits without MPI_Finalize";

std::vector<pid_t> child_processes() {
  std::ifstream in("/proc/thread-self/children");
  std::vector<pid_t> all;
  for (pid_t child = 0; in >> child;) all.push_back(child);
  return all;
}

// False if the process has ended, or is another program that a rank has started.
bool runs_same_program(pid_t process) {
  std::error_code error;
  const auto own = std::filesystem::read_symlink("/proc/self/exe", error);
  const auto other = std::filesystem::read_symlink("/proc/" + std::to_string(process) + "/exe", error);
  return !error && own == other;
}

// Processes that the ranks started, at any depth: once their parents have ended, they are children of this process.
void kill_orphans() {
  for (std::vector<pid_t> all; !(all = child_processes()).empty();) {
    for (const pid_t child : all) kill(child, SIGKILL);
    for (const pid_t child : all) waitpid(child, nullptr, 0);
  }
}

}  // namespace

void Supervisor::begin() {
  starter_ = getppid();
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  sigemptyset(&signals_);
  for (const int signal : {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, word_from_rank()})
    sigaddset(&signals_, signal);
  sigprocmask(SIG_BLOCK, &signals_, &before_);
}

void Supervisor::leave_to_rank() const { sigprocmask(SIG_SETMASK, &before_, nullptr); }

int Supervisor::word_from_rank() { return SIGRTMAX - 2; }

int Supervisor::run() {
  std::sort(ranks_.begin(), ranks_.end(), by_process);
  reap_all();
  for (;;) {
    look_at_reports();
    if (ranks_.empty() && (ending_ || interrupted_ || !awaited_)) {
      if (ending_ || awaited_) kill_orphans();
      return reports_.aborted ? reports_.abort_code.load() : code_;
    }
    handle_signal();
  }
}

// SIGCHLD names the child that has ended. The kernel keeps only one such signal pending, so other children may have
// ended, too. But a wait for any child takes time in proportion to the number of children: this process does it only
// when no signal comes for a while, or after many signals.
void Supervisor::handle_signal() {
  constexpr int many = 64;
  constexpr long per_rank = 1000;  // ns
  const timespec soon{0, per_rank * std::clamp(static_cast<long>(ranks_.size()), 50L, 100'000L)};
  siginfo_t info{};
  const int signal = unsure_ > 0 ? sigtimedwait(&signals_, &info, &soon) : sigwaitinfo(&signals_, &info);
  if (signal == SIGCHLD) {
    reap(info.si_pid);
    ++unsure_;
  } else if (signal > 0 && signal != word_from_rank()) {
    pass_on(signal, info.si_code == SI_KERNEL);  // a signal from the terminal reaches the ranks as well
  }
  if (unsure_ >= many || (unsure_ > 0 && signal < 0)) reap_all();
}

void Supervisor::kill_all() {
  ending_ = true;
  signal_all(SIGKILL);
}

void Supervisor::pass_on(int signal, bool from_terminal) {
  if (signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT) interrupted_ = true;
  if (from_terminal) return;
  // A rank may ignore the signal, and the command, which would end it later, is gone.
  if (signal == SIGTERM && getppid() != starter_) return kill_all();
  signal_all(signal);
}

// Another process may have the number of a rank that has ended.
void Supervisor::signal_all(int signal) {
  for (const Rank& rank : ranks_)
    if (rank.number != gone) kill(rank.process, signal);
}

// Waits for the child, or for any child if it is -1. False if none has ended.
bool Supervisor::reap(pid_t child) {
  int status = 0;
  const pid_t process = waitpid(child, &status, WNOHANG);
  if (process <= 0) return false;
  if (const std::optional<Rank> rank = remove(process)) ended(*rank, status);
  // Many ranks end at once: their entries are removed together.
  if (gone_ * 2 >= static_cast<int>(ranks_.size())) remove_gone();
  return true;
}

void Supervisor::reap_all() {
  while (reap(-1)) {
  }
  unsure_ = 0;
}

// Removes the rank of an ended process. No rank if the process is a grandchild whose parent has ended: it may have the
// process number of an ended rank.
std::optional<Supervisor::Rank> Supervisor::remove(pid_t process) {
  const auto at = std::lower_bound(ranks_.begin(), ranks_.end(), Rank{process, 0}, by_process);
  if (at != ranks_.end() && at->process == process && at->number != gone) {
    ++gone_;
    return Rank{process, std::exchange(at->number, gone)};
  }
  const auto absent = std::find_if(absent_.begin(), absent_.end(),
                                   [&](int rank) { return std::abs(reports_.members[rank]) == process; });
  if (absent == absent_.end()) return {};
  const Rank in_its_place{process, *absent};
  absent_.erase(absent);
  return in_its_place;
}

void Supervisor::remove_gone() {
  std::erase_if(ranks_, [](const Rank& rank) { return rank.number == gone; });
  gone_ = 0;
}

void Supervisor::ended(const Rank& rank, int status) {
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status);
  const pid_t member = reports_.members[rank.number];
  left_ = left_ || member == -rank.process;
  if (!ending_) code_ |= code;
  if (ending_ || reports_.aborted) return;
  const std::string name = "rank " + std::to_string(rank.number);
  if (WIFSIGNALED(status)) {
    report(name + " was killed by signal " + std::to_string(WTERMSIG(status)) + " (" +
           strsignal(WTERMSIG(status)) + ")");
    if (member != -rank.process) return kill_all();
    failed_ = true;
    reports_.watched = 1;
    return;
  }
  if (member == -rank.process) return;
  if (member == rank.process) {
    if (code == 0) code_ |= 1;
    report(name + exits_early);
    return kill_all();
  }
  absent_.insert(std::upper_bound(absent_.begin(), absent_.end(), rank.number), rank.number);
  reports_.watched = 1;
}

int Supervisor::outsiders() const {
  return static_cast<int>(
      std::count_if(absent_.begin(), absent_.end(), [&](int rank) { return reports_.members[rank] == 0; }));
}

void Supervisor::look_at_reports() {
  awaited_ = false;
  if (ending_) return;
  if (reports_.aborted && has_finished()) {
    failed_ = true;
    reports_.watched = 1;
  }
  if (failed_ ? record_is_written() : reports_.aborted != 0) return kill_all();
  if (!absent_.empty()) look_for_absent();
}

// True if a rank has left the job. Before one leaves, all have finished.
bool Supervisor::has_finished() const {
  return left_ || std::any_of(ranks_.begin(), ranks_.end(), [&](const Rank& rank) {
           return rank.number != gone && reports_.members[rank.number] < 0;
         });
}

// The first rank writes the record when all have finished, and then leaves the job.
bool Supervisor::record_is_written() const {
  const auto is_first = [](const Rank& rank) { return rank.number == 0; };
  return reports_.members[0] < 0 || std::none_of(ranks_.begin(), ranks_.end(), is_first);
}

// True if the rank has joined the job: it waits in MPI_Init for absent ranks.
bool Supervisor::is_waiting(const Rank& rank) const {
  return rank.number != gone && reports_.members[rank.number] == rank.process;
}

// The children of this process that are not ranks: processes that ranks have started, and whose parents have ended.
std::vector<pid_t> Supervisor::orphans() const {
  std::vector<pid_t> all = child_processes();
  std::erase_if(all, [&](pid_t child) {
    const auto at = std::lower_bound(ranks_.begin(), ranks_.end(), Rank{child, 0}, by_process);
    return at != ranks_.end() && at->process == child && at->number != gone;
  });
  return all;
}

// Lets processes that have joined in place of absent ranks become these ranks. If no process is left that may join, it
// ends the job.
void Supervisor::look_for_absent() {
  const auto waits = [&](const Rank& rank) { return is_waiting(rank); };
  const auto has_joined = [&](int rank) { return reports_.members[rank] != 0; };
  if (!ranks_.empty() && std::none_of(absent_.begin(), absent_.end(), has_joined) &&
      std::none_of(ranks_.begin(), ranks_.end(), waits))
    return;  // no rank waits yet
  std::vector<pid_t> others = orphans();
  remove_gone();
  std::erase_if(absent_, [&](int rank) {
    const pid_t member = reports_.members[rank];
    const auto found = std::find(others.begin(), others.end(), std::abs(member));
    if (found == others.end()) return member < 0;
    const Rank in_its_place{*found, rank};
    ranks_.insert(std::upper_bound(ranks_.begin(), ranks_.end(), in_its_place, by_process), in_its_place);
    others.erase(found);
    return true;
  });
  awaited_ = !absent_.empty() && std::any_of(others.begin(), others.end(), runs_same_program);
  if (absent_.empty() || awaited_) return;
  const auto lost = std::find_if(absent_.begin(), absent_.end(), has_joined);
  const auto waiting = std::find_if(ranks_.begin(), ranks_.end(), waits);
  if (lost == absent_.end() && waiting == ranks_.end()) return;
  if (code_ == 0) code_ = 1;
  report(lost != absent_.end() ? "rank " + std::to_string(*lost) + exits_early
                               : never_come(absent_, waiting->number));
  kill_all();
}

void Supervisor::report(const std::string& message) const {
  if (!interrupted_) log(Level::error, message);
}

}  // namespace emu::mpi
