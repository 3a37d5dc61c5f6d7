// Signals that wait until they are taken up.
#pragma once

#include <csignal>
#include <optional>

namespace emu::app {

// SIGINT, SIGTERM, SIGPIPE, SIGCHLD, and SIGHUP unless it is ignored, are blocked while this lives, so that none is lost
// between two looks.
class BlockedSignals {
 public:
  BlockedSignals();
  ~BlockedSignals();
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

  // The mask for a child: what this process keeps waiting, it does so for itself alone.
  sigset_t of_child() const;
  // Takes up all signals that have come. What came by a command's end is done with too: the cleaning up behind it is not
  // to be cut short. The first such signal but SIGCHLD, or 0.
  int taken_up() const;
  // Waits for a signal, at most a tenth of a second. Nothing if none came, or SIGCHLD.
  std::optional<siginfo_t> wait() const;

 private:
  sigset_t set_;
  sigset_t before_;
};

}  // namespace emu::app
