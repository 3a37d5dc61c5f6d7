// Terminal of standard output.
#pragma once

namespace emu::app {

// Number of columns of the terminal; the greatest number if the output is a file.
int columns();

}  // namespace emu::app
