// The clock of a recording: the target's where a program is emulated, and else one that costs little to read. A system
// call, or even its user-space form, would be most of what recording costs.
#pragma once

namespace emu::skeleton {

class Clock {
 public:
  // Takes two milliseconds where the processor's counter is to be compared with `system` (seconds, MPI_Wtime), and only then.
  void start(bool emulated, double (*system)());
  double now() const;  // seconds since any instant

 private:
  bool emulated_ = false;
  double (*system_)() = nullptr;
  double per_tick_ = 0;  // 0: the processor has no counter that runs evenly
};

}  // namespace emu::skeleton
