// End of an emulated job that calls a function which cannot be emulated, so that no result is silently wrong.
#pragma once

namespace emu::mpi {

// False if a refused function must behave as without libemu: in a process that is not
// emulated, and in calls of libemu or the library behind it.
bool refusing();

// Reports the caller, the function and the reason, and ends the job.
[[noreturn]] void refuse(const char* function, const char* reason);

}  // namespace emu::mpi
