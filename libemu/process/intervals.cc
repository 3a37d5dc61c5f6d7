// Named intervals: emu_interval_begin and _end, and MPI_Pcontrol(1, name) and (-1, name), as in other
// profilers.

#include <mpi.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cctype>
#include <cstdarg>
#include <cstdint>
#include <string>

#include "emu/emu.h"
#include "mpi/entry.h"
#include "mpi/log.h"

using emu::mpi::process;

namespace {

bool recording() { return emu::mpi::active() && !emu::mpi::inside() && process->recorder; }

void begin_interval(const char* call, const std::string& name) {
  const emu::mpi::Entry entry(call);
  process->recorder->begin(name, entry.rank().now());
  process->program->begin(name);
}

void end_interval(const char* call, const std::string& name) {
  const emu::mpi::Entry entry(call);
  if (process->recorder->end(name, entry.rank().now())) return process->program->end();
  const std::string* const open = process->recorder->open_interval();
  emu::mpi::log(emu::mpi::Level::warning,
                emu::mpi::of_rank() + "the end of interval \"" + name + "\" does not count: " +
                    (open ? "the one that began last is \"" + *open + "\"" : "none has begun"));
}

// The text at `address`, if there is one: MPI_Pcontrol(1) without a name is a valid call, and the argument
// is then undefined.
std::string text_at(std::uintptr_t address) {
  std::string text;
  char c = 0;
  while (text.size() < 200) {
    const iovec here{&c, 1}, there{reinterpret_cast<void*>(address + text.size()), 1};
    if (process_vm_readv(getpid(), &here, 1, &there, 1, 0) != 1) return {};
    if (c == 0) return text;
    if (std::iscntrl(static_cast<unsigned char>(c))) return {};
    text += c;
  }
  return {};
}

}  // namespace

extern "C" void emu_open_interval(const char* name) {
  if (recording() && name && *name) begin_interval("emu_interval_begin", name);
}

extern "C" void emu_close_interval(const char* name) {
  if (recording() && name && *name) end_interval("emu_interval_end", name);
}

extern "C" int MPI_Pcontrol(const int level, ...) {
  if (!recording() || (level != 1 && level != -1)) return MPI_SUCCESS;
  va_list arguments;
  va_start(arguments, level);
  const std::string name = text_at(va_arg(arguments, std::uintptr_t));
  va_end(arguments);
  if (name.empty()) return MPI_SUCCESS;
  (level == 1 ? begin_interval : end_interval)("MPI_Pcontrol", name);
  return MPI_SUCCESS;
}
