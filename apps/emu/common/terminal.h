// Terminal of standard output.
#pragma once

namespace emu::app {

// Its number of columns, or the greatest number if the output is a file.
int columns();

}  // namespace emu::app
