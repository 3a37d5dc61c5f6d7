// Clock of a recording: the target's if the program is emulated, otherwise one that is cheap to read. A system
// call, even in its user-space form, would be most of the recorder's cost.
#pragma once

namespace emu::skeleton {

class Clock {
 public:
  // If the processor's counter has to be compared with `system` (seconds, MPI_Wtime), takes two milliseconds.
  void start(bool emulated, double (*system)());
  double now() const;  // seconds since an arbitrary instant

 private:
  bool emulated_ = false;
  double (*system_)() = nullptr;
  double per_tick_ = 0;  // 0: the processor has no counter of constant rate
};

}  // namespace emu::skeleton
