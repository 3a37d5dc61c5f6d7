// Sleep on a word of shared memory.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>

#include "base/billion.h"

namespace emu::wire {

// Returns when woken, when the word is no longer `value`, after `timeout`, or spuriously.
inline void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t value,
                       std::optional<std::chrono::nanoseconds> timeout = std::nullopt) {
  timespec t{};
  if (timeout) {
    t.tv_sec = static_cast<time_t>(timeout->count() / billion);
    t.tv_nsec = static_cast<long>(timeout->count() % billion);
  }
  syscall(SYS_futex, &word, FUTEX_WAIT, value, timeout ? &t : nullptr, nullptr, 0);
}

inline void futex_wake(std::atomic<std::uint32_t>& word, int sleepers = 1) {
  syscall(SYS_futex, &word, FUTEX_WAKE, sleepers, nullptr, nullptr, 0);
}

}  // namespace emu::wire
