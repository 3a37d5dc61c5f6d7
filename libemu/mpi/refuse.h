// The end of an emulated job that calls what cannot be emulated. Nothing is silently wrong.
#pragma once

namespace emu::mpi {

// False where a refused function has to behave as if libemu were not there: in a process that is not
// emulated, and when libemu or the library behind it calls.
bool refusing();

// Says who called what and why that does not work, and ends the job.
[[noreturn]] void refuse(const char* function, const char* reason);

}  // namespace emu::mpi
