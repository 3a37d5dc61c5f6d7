#include "skeleton/recorder/clock.h"

#include <cstdint>

#include "emu/emu.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>
#endif

namespace emu::skeleton {
namespace {

#if defined(__x86_64__)
// True if the counter's rate does not depend on the processor's state (Intel 64 and IA-32 Architectures Software
// Developer's Manual, volume 3, "Invariant TSC"; AMD64 Architecture Programmer's Manual, volume 3, function
// 8000_0007h).
bool counts_evenly() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned function = 0x80000007, invariant = 1u << 8;
  return __get_cpuid(function, &a, &b, &c, &d) != 0 && (d & invariant) != 0;
}
std::uint64_t ticks() { return __rdtsc(); }
#else
bool counts_evenly() { return false; }
std::uint64_t ticks() { return 0; }
#endif

}  // namespace

void Clock::start(bool emulated, double (*system)()) {
  emulated_ = emulated;
  system_ = system;
  if (emulated || !counts_evenly()) return;
  constexpr double enough = 2e-3;
  const double begin = system();
  const std::uint64_t first = ticks();
  double end = begin;
  while (end < begin + enough) end = system();
  const std::uint64_t last = ticks();
  if (last > first) per_tick_ = (end - begin) / static_cast<double>(last - first);
}

double Clock::now() const {
  if (per_tick_ > 0) return per_tick_ * static_cast<double>(ticks());
  // Under libemu a reading of MPI's clock costs virtual time.
  return emulated_ ? 1e-12 * static_cast<double>(emu_picoseconds()) : system_();
}

}  // namespace emu::skeleton
