#include "process/start/supervisor.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "mpi/log.h"
#include "process/start/outsiders.h"

namespace emu::mpi {

namespace {

std::vector<pid_t> children() {
  std::ifstream in("/proc/thread-self/children");
  std::vector<pid_t> all;
  for (pid_t child = 0; in >> child;) all.push_back(child);
  return all;
}

// Processes that the ranks started, at any depth: once their parents have ended, they are children of this process.
void kill_orphans() {
  for (std::vector<pid_t> all; !(all = children()).empty();) {
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
  std::sort(ranks_.begin(), ranks_.end(), [](const Rank& a, const Rank& b) { return a.process < b.process; });
  for (;;) {
    reap();
    if (ranks_.empty()) {
      if (ending_) kill_orphans();
      return reports_.aborted ? reports_.abort_code.load() : code_;
    }
    look_at_reports();
    siginfo_t info{};
    const int signal = sigwaitinfo(&signals_, &info);
    // A signal from the terminal reaches the ranks as well.
    if (signal > 0 && signal != SIGCHLD && signal != word_from_rank())
      pass_on(signal, info.si_code == SI_KERNEL);
  }
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

void Supervisor::reap() {
  int status = 0;
  for (pid_t process = 0; (process = waitpid(-1, &status, WNOHANG)) > 0;) {
    const auto at = std::lower_bound(ranks_.begin(), ranks_.end(), process,
                                     [](const Rank& rank, pid_t p) { return rank.process < p; });
    // A grandchild whose parent has ended, which may have the number of an ended rank.
    if (at == ranks_.end() || at->process != process || at->number == gone) continue;
    const int number = at->number;
    at->number = gone;
    ++gone_;
    ended(number, status);
  }
  // Many ranks end at once: their entries are removed together.
  if (gone_ * 2 < static_cast<int>(ranks_.size())) return;
  std::erase_if(ranks_, [](const Rank& rank) { return rank.number == gone; });
  gone_ = 0;
}

void Supervisor::ended(int rank, int status) {
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status);
  if (!ending_) code_ |= code;
  const auto membership = static_cast<Membership>(reports_.memberships[rank].load());
  if (ending_ || reports_.aborted) return;
  if (membership == Membership::outside && WIFEXITED(status)) {
    outsiders_.insert(std::upper_bound(outsiders_.begin(), outsiders_.end(), rank), rank);
    reports_.outsiders = 1;
    return;
  }
  if (membership == Membership::left && WIFEXITED(status)) return;
  if (!interrupted_) {
    if (WIFSIGNALED(status))
      log(Level::error, "rank " + std::to_string(rank) + " was killed by signal " +
                            std::to_string(WTERMSIG(status)) + " (" + strsignal(WTERMSIG(status)) + ")");
    else
      log(Level::error, "rank " + std::to_string(rank) + " exits without MPI_Finalize");
  }
  if (WIFEXITED(status) && code == 0) code_ |= 1;
  kill_all();
}

// A rank that ended without MPI_Init blocks all other ranks that call it.
void Supervisor::look_at_reports() {
  if (ending_) return;
  if (reports_.aborted) return kill_all();
  if (outsiders_.empty()) return;
  for (const Rank& rank : ranks_) {
    if (rank.number == gone || reports_.memberships[rank.number] != static_cast<int>(Membership::joined))
      continue;
    log(Level::error, never_come(outsiders_, rank.number));
    if (code_ == 0) code_ = 1;
    return kill_all();
  }
}

}  // namespace emu::mpi
