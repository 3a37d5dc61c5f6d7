// End of a command that runs out of memory.
#pragma once

namespace emu::app {

// After this call, an uncaught std::bad_alloc ends the command with report_shortage() and exit code 1.
void expect_shortage();
// Prints the available memory at the shortage. Does not allocate.
void report_shortage();

}  // namespace emu::app
