// Calls that do not depend on the target, and yet change the program's behaviour or its time here: sleeps by
// the host's clock, and random numbers of the host. They work as usual and are counted; emu run reports them.

#include "process/doubtful_calls.h"

#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>

#include "base/next.h"
#include "process/call_scope.h"
#include "process/clocks.h"
#include "process/own_clock.h"

namespace {

using emu::next;
using emu::mpi::noticed;

// Also before MPI_Init, when programs often make their seeds.
std::atomic<std::int64_t> told_date = 0;  // last date that the program has read, in seconds; 0 if none
std::atomic<bool> dated = false;          // a seed was made from it

void random_from_host() {
  if (emu::record::Doubts* const doubts = noticed()) ++doubts->random;
}

// A seed equal or near to the date (a rank or a process number may be added): it differs in each run.
void seed(std::uint64_t value) {
  if (told_date == 0 || !emu::mpi::target_in_environment()) return;
  const auto date = static_cast<std::uint64_t>(told_date.load());
  constexpr std::uint64_t near = 1 << 22;
  const std::uint64_t apart = value > date ? value - date : date - value;
  if (apart < near) dated = true;
}

}  // namespace

void emu::mpi::noticed_date(std::int64_t date) { told_date.store(date, std::memory_order_relaxed); }

void emu::mpi::noticed_host_clock(std::int64_t date) {
  if (date != 0) noticed_date(date);
  if (record::Doubts* const doubts = noticed()) ++doubts->host_clocks;
}

bool emu::mpi::dated_seed() { return dated; }

// The counters of the program, on the thread that has called MPI_Init.
emu::record::Doubts* emu::mpi::noticed() {
  return active() && !inside() && process->threading.main == this_thread() ? &process->doubts : nullptr;
}

emu::mpi::NoticedSleep::NoticedSleep(Interval d) : doubts_(noticed()), asked_(d) {
  if (!doubts_) return;
  ++doubts_->sleeps;
  begin_ = host_nanoseconds(CLOCK_MONOTONIC);
}

emu::mpi::NoticedSleep::~NoticedSleep() {
  const int error = errno;
  own_clock_passes(asked_);
  if (doubts_) doubts_->slept += host_nanoseconds(CLOCK_MONOTONIC) - begin_;
  errno = error;
}

extern "C" ssize_t getrandom(void* buffer, std::size_t length, unsigned flags) {
  static const auto real = next<ssize_t(void*, std::size_t, unsigned)>("getrandom");
  random_from_host();
  return real(buffer, length, flags);
}

extern "C" int getentropy(void* buffer, std::size_t length) {
  static const auto real = next<int(void*, std::size_t)>("getentropy");
  random_from_host();
  return real(buffer, length);
}

// std::random_device::_M_getval(), which compilers call for operator() of that class.
extern "C" unsigned _ZNSt13random_device9_M_getvalEv(void* self) {
  static const auto real = next<unsigned(void*)>("_ZNSt13random_device9_M_getvalEv");
  random_from_host();
  return real(self);
}

extern "C" void srand(unsigned value) noexcept {
  static const auto real = next<void(unsigned)>("srand");
  seed(value);
  real(value);
}

extern "C" void srandom(unsigned value) noexcept {
  static const auto real = next<void(unsigned)>("srandom");
  seed(value);
  real(value);
}

extern "C" void srand48(long value) noexcept {
  static const auto real = next<void(long)>("srand48");
  seed(static_cast<std::uint64_t>(value));
  real(value);
}
