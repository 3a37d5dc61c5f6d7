#include "mpi/cores.h"

#include <sched.h>

#include <cerrno>
#include <charconv>
#include <cstring>

namespace emu::mpi {

Result<void> share_cores(const std::string& count) {
  int left = 0;
  const auto [end, error] = std::from_chars(count.data(), count.data() + count.size(), left);
  if (error != std::errc() || end != count.data() + count.size() || left < 1)
    return fail("EMU_CORES is \"" + count + "\"; it has to be a whole number of cores, at least 1");
  cpu_set_t allowed, chosen;
  CPU_ZERO(&chosen);
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
    return fail(std::string("EMU_CORES: which cores may be used is not known: ") + std::strerror(errno));
  for (int cpu = 0; cpu < CPU_SETSIZE && left > 0; ++cpu) {
    if (!CPU_ISSET(cpu, &allowed)) continue;
    CPU_SET(cpu, &chosen);
    --left;
  }
  const sched_param none{};
  if (sched_setaffinity(0, sizeof chosen, &chosen) != 0 || sched_setscheduler(0, SCHED_BATCH, &none) != 0)
    return fail("EMU_CORES=" + count + ": " + std::strerror(errno));
  return {};
}

}  // namespace emu::mpi
