#include "launch/launch.h"

#include "launch/blocked_signals.h"
#include "launch/child_process.h"

namespace emu::app {

Result<Ending> launch(const Command& command, const std::function<void()>& tick) {
  const BlockedSignals signals;
  ChildProcess child(command, signals);
  for (;;) {
    if (auto ended = child.look()) {
      const int late = signals.taken_up();
      if (*ended && (*ended)->interrupted == 0) (*ended)->interrupted = late;
      return *ended;
    }
    tick();
    if (const auto signal = signals.wait()) child.interrupt(*signal);
  }
}

}  // namespace emu::app
