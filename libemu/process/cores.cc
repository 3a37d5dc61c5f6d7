#include "process/cores.h"

#include <sched.h>

#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "process/threads/thread_registry.h"

namespace emu::mpi {

Result<void> share_cores(int count) {
  cpu_set_t allowed, chosen;
  CPU_ZERO(&chosen);
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
    return fail(std::string("EMU_CORES: cannot read the permitted cores: ") + std::strerror(errno));
  for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&chosen) < count; ++cpu) {
    if (CPU_ISSET(cpu, &allowed)) CPU_SET(cpu, &chosen);
  }
  const sched_param none{};
  if (sched_setaffinity(0, sizeof chosen, &chosen) != 0 || sched_setscheduler(0, SCHED_BATCH, &none) != 0)
    return fail("EMU_CORES=" + std::to_string(count) + ": " + std::strerror(errno));
  return {};
}

std::unique_ptr<clock::AwakeCores> keep_cores_awake(std::optional<int> count, std::function<bool()> waiting) {
  const OwnThreads own;
  if (!clock::AwakeCores::possible()) return nullptr;
  const std::vector<int> cores = clock::usable_cores(count.value_or(CPU_SETSIZE));
  return std::make_unique<clock::AwakeCores>(cores, std::move(waiting));
}

}  // namespace emu::mpi
