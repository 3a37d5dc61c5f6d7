// Processor time that this machine lost during a run: to another guest of its host, or to a limit of CPU time.
#pragma once

#include <cstdint>

namespace emu::app {

struct HostLoad {
  double stolen = 0;     // fraction of the processors' time taken by another guest of the same machine
  double throttled = 0;  // seconds for which the limit of this control group stopped its processes
};

class HostLoadWatch {
 public:
  HostLoadWatch();
  // The load since construction. Values that the system does not report are 0.
  HostLoad since() const;

 private:
  struct Reading {
    std::int64_t stolen = 0, total = 0;  // ticks
    std::int64_t throttled = 0;          // microseconds
  };
  static Reading read();
  Reading before_;
};

}  // namespace emu::app
