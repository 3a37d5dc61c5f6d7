#include "schedule/play.h"

#include "schedule/machine.h"

namespace emu::app::schedules {

Result<record::RunSummary> play(const Schedule& schedule, const target::Target& target,
                                const std::string& trace) {
  try {
    if (trace.empty() && Machine::can_play(target, schedule.ranks()))
      if (auto run = Machine(schedule, target).run()) return std::move(*run);
  } catch (const goal::Stream::Exceeded& exceeded) {
    return fail(exceeded.message);
  }
  return play_on_fibers(schedule, target, trace);
}

}  // namespace emu::app::schedules
