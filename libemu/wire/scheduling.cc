#include "wire/scheduling.h"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

namespace emu::wire {

void prefer_short_slices() {
  struct {  // the kernel's sched_attr, its first version
    std::uint32_t size, policy;
    std::uint64_t flags;
    std::int32_t nice;
    std::uint32_t priority;
    std::uint64_t runtime, deadline, period;
  } attributes{};
  static_assert(sizeof attributes == 48);
  constexpr std::uint64_t slice = 100'000;  // ns, the shortest there is
  attributes.size = sizeof attributes;
  if (syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0) != 0 ||
      attributes.policy != SCHED_OTHER)
    return;
  attributes.runtime = slice;
  attributes.deadline = attributes.period = 0;
  syscall(SYS_sched_setattr, 0, &attributes, 0);  // it is a wish: a refusal does no harm
}

}  // namespace emu::wire
