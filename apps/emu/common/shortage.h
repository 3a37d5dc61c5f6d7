// End of a command that runs out of memory.
#pragma once

namespace emu::app {

// From here on std::bad_alloc ends the command with report_shortage() and exit code 1 where nothing catches it.
void expect_shortage();
// Prints how much memory there was when it did not suffice. Allocates nothing.
void report_shortage();

}  // namespace emu::app
