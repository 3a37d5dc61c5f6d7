// Processor time that this machine lost during a run: to another guest of the same host, or to a limit on CPU time.
#pragma once

#include <cstdint>

namespace emu::app {

struct HostLoad {
  double stolen = 0;     // of the processors' time, taken by another guest of the same machine: 0 to 1
  double throttled = 0;  // seconds in which the limit of this control group stopped its processes
};

class HostLoadWatch {
 public:
  HostLoadWatch();
  // Since it was made. What the system does not tell is 0.
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
