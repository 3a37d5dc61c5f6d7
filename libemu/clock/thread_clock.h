// CPU time of the calling thread, usually without a system call.
//
// A system call takes 0.3 to 0.8 us here, more than many MPI calls. Its duration varies during a run, so it
// cannot be subtracted exactly. While a thread stays on its CPU, its CPU time advances like the wall clock,
// and reading that takes 0.03 us. So the kernel is asked only in these cases: the thread may have been off
// its CPU (clock/disturbance.h); the last reading is more than `short_stretch` ago, since the CPU itself
// may have been taken away (from a virtual machine); a millisecond has passed since the kernel was asked.
#pragma once

#include <cstdint>
#include <ctime>

#include "clock/disturbance.h"

namespace emu::clock {

// CPU time of the calling thread in nanoseconds, from the kernel.
std::int64_t thread_cpu_nanoseconds();

class ThreadClock {
 public:
  ThreadClock();

  // CPU time in nanoseconds. Called by the thread that created the object. The difference
  // of two readings includes their overhead, which is bias() of the later one.
  std::int64_t read();
  // Start of the time that the next reading measures: the last reading, or a little later.
  std::int64_t since() const { return since_; }
  // Overhead of the two readings that is part of the last difference, in nanoseconds.
  std::int64_t bias() const { return asked_ ? asking_ - asking_ / 2 : glancing_; }
  // True if the last reading asked the kernel.
  bool asked() const { return asked_; }

  // Overhead of a reading, once learn() was called: with the kernel, and without it (0 if the kernel is always asked).
  std::int64_t asking() const { return asking_; }
  std::int64_t glancing() const { return glances_ ? glancing_ : 0; }
  // Measures the overheads: the median of many pairs of readings, with `between()` between them: actions
  // that always occur between two readings besides the measured work. Takes about a millisecond.
  template <class F>
  void learn(F between) {
    glances_ = false;
    asking_ = median(between);
    glances_ = wall_ != nullptr && off_cpu_.noticed();
    if (!glances_) return;
    glancing_ = median(between);
    if (2 * glancing_ > asking_) glances_ = false;  // where the wall clock needs a system call as well
  }

  // Takes over the overheads that `other` has measured.
  void know(const ThreadClock& other) {
    asking_ = other.asking_;
    glancing_ = other.glancing_;
    glances_ = other.glances_ && wall_ && off_cpu_.noticed();
  }

 private:
  static constexpr std::int64_t short_stretch = 20'000;  // ns
  static constexpr std::int64_t trusted = 1'000'000;     // ns
  static constexpr int pairs = 301;

  std::int64_t wall() const;
  std::int64_t ask();
  static std::int64_t middle(std::int64_t (&values)[pairs]);
  template <class F>
  std::int64_t median(F between) {
    std::int64_t values[pairs];
    for (std::int64_t& value : values) {
      read();
      const std::int64_t begin = since();
      between();
      value = read() - begin;
    }
    return middle(values);
  }

  Disturbance off_cpu_;
  // The C library's own clock_gettime: the program's may return virtual time.
  int (*wall_)(clockid_t, timespec*) = nullptr;
  bool glances_ = false, asked_ = false;
  std::int64_t asking_ = 0, glancing_ = 0;
  std::int64_t since_ = 0;
  std::int64_t anchor_ = 0, anchor_wall_ = 0;  // the kernel's last value, and the wall clock at that moment
  std::int64_t last_wall_ = 0;                 // at the last reading
};

}  // namespace emu::clock
