// The fixed kernel for comparing CPUs.
#pragma once

namespace calibrate {

// A reference CPU (speed 1) computes the kernel in this time: 2 ns for each of its steps, similar to a core of a
// server of about 2020. Any constant would do, if it is equal for all CPUs that are measured.
inline constexpr double reference_seconds = 0.003;

// Integer arithmetic, floating point and memory within a cache of 256 KiB, in equal amounts at each call. Returns a
// number that depends on all of it.
double kernel();

// CPU time of the thread for one kernel, in seconds: the minimum of several runs.
double kernel_cpu_seconds();

}  // namespace calibrate
