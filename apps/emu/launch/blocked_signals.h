// Signals that stay pending until they are handled.
#pragma once

#include <csignal>
#include <optional>

namespace emu::app {

// Scope in which SIGINT, SIGTERM, SIGPIPE, SIGCHLD, and SIGHUP unless it is ignored, are blocked, so that none is lost
// between two checks.
class BlockedSignals {
 public:
  BlockedSignals();
  ~BlockedSignals();
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

  // The mask for a child: signals are blocked in this process only.
  sigset_t of_child() const;
  // Handles all pending signals. Signals that came because a command ended are consumed as well, so
  // that they do not interrupt the cleanup after it. Returns the first signal other than SIGCHLD, or 0.
  int taken_up() const;
  // Waits for a signal, at most a tenth of a second. Nothing if none came, or SIGCHLD.
  std::optional<siginfo_t> wait() const;

 private:
  sigset_t set_;
  sigset_t before_;
};

}  // namespace emu::app
