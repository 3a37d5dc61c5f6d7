#include "launch/blocked_signals.h"

#include <ctime>

namespace emu::app {

BlockedSignals::BlockedSignals() {
  sigemptyset(&set_);
  for (int signal : {SIGINT, SIGTERM, SIGQUIT, SIGPIPE, SIGCHLD}) sigaddset(&set_, signal);
  struct sigaction hangup;
  sigaction(SIGHUP, nullptr, &hangup);
  if (hangup.sa_handler != SIG_IGN) sigaddset(&set_, SIGHUP);  // ignored if started by nohup
  sigprocmask(SIG_BLOCK, &set_, &before_);
}

BlockedSignals::~BlockedSignals() {
  (void)taken_up();
  sigprocmask(SIG_SETMASK, &before_, nullptr);
}

sigset_t BlockedSignals::of_child() const {
  sigset_t set = before_;
  for (int signal : {SIGINT, SIGTERM, SIGQUIT, SIGHUP, SIGPIPE}) sigdelset(&set, signal);
  return set;
}

int BlockedSignals::taken_up() const {
  const timespec now{};
  int first = 0;
  for (int signal = 0; (signal = sigtimedwait(&set_, nullptr, &now)) > 0;)
    if (first == 0 && signal != SIGCHLD) first = signal;
  return first;
}

std::optional<siginfo_t> BlockedSignals::wait() const {
  const timespec tenth{0, 100'000'000};
  siginfo_t info{};
  const int signal = sigtimedwait(&set_, &info, &tenth);
  if (signal <= 0 || signal == SIGCHLD) return {};
  return info;
}

}  // namespace emu::app
