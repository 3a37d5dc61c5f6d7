// Named intervals of the program in the trace: emu_interval_begin and _end, and MPI_Pcontrol (mpi/pcontrol.cc).
#pragma once

#include <string>

namespace emu::mpi {

// True if the program calls, and a trace is written.
bool records_intervals();
// Only if records_intervals(). `call` is a literal.
void begin_interval(const char* call, const std::string& name);
void end_interval(const char* call, const std::string& name);

}  // namespace emu::mpi
