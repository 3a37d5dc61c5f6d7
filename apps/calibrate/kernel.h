// The fixed kernel by which CPUs are compared.
#pragma once

namespace calibrate {

// The reference CPU (speed 1) does the kernel in this time: 2 ns for each of its steps, much like a server's
// core of about 2020. What counts is that it is the same for every CPU that is measured.
inline constexpr double reference_seconds = 0.003;

// Integer arithmetic, floating point and memory within a cache of 256 KiB, always the same. Returns a number
// that depends on all of it.
double kernel();

// How long the thread's CPU takes for the kernel: the least of some tries, in seconds.
double kernel_cpu_seconds();

}  // namespace calibrate
