#include "clock/disturbance.h"

#if defined(__x86_64__) && __has_include(<sys/rseq.h>)
#include <sys/rseq.h>

#include <cstddef>

namespace emu::clock {

namespace {

// In static memory: the kernel may read it until the thread's cell is null.
rseq_cs description;

// The address of an instruction that is never reached, after the signature that the kernel requires there.
std::uint64_t unreached() {
  std::uint64_t address = 0;
  asm("leaq 1f(%%rip), %0\n\t"
      "jmp 2f\n\t"
      ".byte 0x0f, 0xb9, 0x3d\n\t"  // an invalid instruction with the signature as its operand
      ".long %c1\n"
      "1: ud2\n"
      "2:"
      : "=r"(address)
      : "i"(RSEQ_SIG));
  return address;
}

}  // namespace

// Not available if another part of the process uses the cell.
Disturbance::Disturbance() {
  constexpr unsigned needed = offsetof(struct rseq, rseq_cs) + sizeof(std::uint64_t);
  if (__rseq_size < needed) return;
  auto* const area =
      reinterpret_cast<struct rseq*>(static_cast<char*>(__builtin_thread_pointer()) + __rseq_offset);
  if (area->rseq_cs != 0 && area->rseq_cs != reinterpret_cast<std::uint64_t>(&description)) return;
  description.abort_ip = unreached();
  description.start_ip = description.abort_ip + 1;  // inside that instruction: no thread is ever there
  description.post_commit_offset = 1;
  cell_ = reinterpret_cast<volatile std::uint64_t*>(&area->rseq_cs);
  never_run_ = reinterpret_cast<std::uint64_t>(&description);
}

}  // namespace emu::clock

#else

namespace emu::clock {

Disturbance::Disturbance() = default;

}  // namespace emu::clock

#endif

namespace emu::clock {

Disturbance::~Disturbance() {
  if (!any()) *cell_ = 0;
}

}  // namespace emu::clock
