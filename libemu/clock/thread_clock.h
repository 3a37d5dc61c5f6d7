// CPU time of the calling thread, mostly without asking the kernel.
//
// To ask takes 0.3 to 0.8 us here, more than many an MPI call; what it takes changes while a program runs, too, so
// that it cannot just be taken off. While a thread stays on its CPU, its CPU time goes on like the wall clock, which
// takes 0.03 us to read. So the kernel is asked only if the thread may have been off its CPU since (clock/
// disturbance.h), or to make sure: if the last reading is more than `short_stretch` ago, since the CPU itself may have been taken
// away (a virtual machine's), and every millisecond.
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

  // CPU time in nanoseconds, by the thread that made this. What passes between two readings contains what they
  // cost: bias() of the later one.
  std::int64_t read();
  // From where the time passes on that the next reading shows: that of the last one, or a little later.
  std::int64_t since() const { return since_; }
  // What of the time up to the last reading the two readings took, in nanoseconds.
  std::int64_t bias() const { return asked_ ? asking_ - asking_ / 2 : glancing_; }
  // Whether the kernel was asked then.
  bool asked() const { return asked_; }

  // What readings cost here, once learn() was called: with the kernel, and without (0 if it is always asked).
  std::int64_t asking() const { return asking_; }
  std::int64_t glancing() const { return glances_ ? glancing_ : 0; }
  // Finds out, from the median of many pairs of readings with `between()` in between: what is always done
  // between two readings beside what is to be measured. Takes about a millisecond.
  template <class F>
  void learn(F between) {
    glances_ = false;
    asking_ = median(between);
    glances_ = wall_ != nullptr && off_cpu_.noticed();
    if (!glances_) return;
    glancing_ = median(between);
    if (2 * glancing_ > asking_) glances_ = false;  // where even the wall clock needs the kernel
  }

  // What another one has learned.
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
  // The C library's own clock_gettime: the program's may tell virtual time.
  int (*wall_)(clockid_t, timespec*) = nullptr;
  bool glances_ = false, asked_ = false;
  std::int64_t asking_ = 0, glancing_ = 0;
  std::int64_t since_ = 0;
  std::int64_t anchor_ = 0, anchor_wall_ = 0;  // what the kernel said last, and when; as of the same moment
  std::int64_t last_wall_ = 0;                 // at the last reading
};

}  // namespace emu::clock
