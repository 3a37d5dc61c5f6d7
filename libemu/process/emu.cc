// libemu's own public interface: include/emu/emu.h.

#include "emu/emu.h"

#include <cmath>
#include <string>

#include "process/call_scope.h"
#include "process/log.h"

extern "C" [[gnu::hot]] void emu_declare_compute(double seconds) {
  using emu::mpi::caller;
  using emu::mpi::process;
  using emu::mpi::ThreadRegistry;
  const bool operating = caller.operating;
  if (!emu::mpi::active()) return;
  if (caller.ours) return;
  // True on a thread that does not call MPI, and on one of several threads that do.
  const bool beside =
      !operating && (process->threading.main != emu::mpi::this_thread() ||
                     (process->threading.monitor && caller.depth == 0 && ThreadRegistry::several()));
  if (emu::mpi::inside() && !operating && !beside) return;
  if (!std::isfinite(seconds) || seconds < 0 || seconds > 4.6e6)
    emu::mpi::stop_job(emu::mpi::of_rank() + "emu_compute(" + std::to_string(seconds) +
                           "): the time must be finite, not negative and at most 4.6e6 s, 53 days",
                       1);
  if (beside) return process->declare_on_own_clock(seconds);
  if (operating) {
    process->declare(seconds);
    process->start_meter();
    return;
  }
  const emu::mpi::CallScope scope("emu_compute", false);
  process->declare(seconds);
}

extern "C" long long emu_read_picoseconds() {
  if (!emu::mpi::active() || emu::mpi::inside()) return 0;
  const emu::mpi::CallScope scope("emu_picoseconds");
  return scope.rank().now().picoseconds();
}

extern "C" int emu_is_active() { return emu::mpi::active() ? 1 : 0; }
