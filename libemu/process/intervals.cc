#include "process/intervals.h"

#include "emu/emu.h"
#include "process/call_scope.h"
#include "process/log.h"

namespace emu::mpi {

bool records_intervals() { return active() && !inside() && process->recorder; }

void begin_interval(const char* call, const std::string& name) {
  const CallScope scope(call);
  process->recorder->begin(name, scope.rank().now());
  process->program->begin(name);
}

void end_interval(const char* call, const std::string& name) {
  const CallScope scope(call);
  if (process->recorder->end(name, scope.rank().now())) return process->program->end();
  const std::string* const open = process->recorder->open_interval();
  log(Level::warning, of_rank() + "the end of interval \"" + name + "\" does not count: " +
                          (open ? "the one that began last is \"" + *open + "\"" : "none has begun"));
}

}  // namespace emu::mpi

using namespace emu::mpi;

extern "C" void emu_open_interval(const char* name) {
  if (records_intervals() && name && *name) begin_interval("emu_interval_begin", name);
}

extern "C" void emu_close_interval(const char* name) {
  if (records_intervals() && name && *name) end_interval("emu_interval_end", name);
}
