// End of the process by a signal during long work of its own.
#pragma once

#include <atomic>
#include <thread>

#include "common/temporary.h"
#include "launch/blocked_signals.h"

namespace emu::app {

// While an object exists, a signal removes the folder and ends the process with exit code 128 plus its number. For work
// in which nothing else checks for the signals that a TemporaryFolder blocks.
class EndOnSignal {
 public:
  explicit EndOnSignal(const TemporaryFolder& folder);
  ~EndOnSignal();
  EndOnSignal(const EndOnSignal&) = delete;

 private:
  const BlockedSignals signals_;
  std::atomic<bool> over_ = false;
  std::thread thread_;
};

}  // namespace emu::app
