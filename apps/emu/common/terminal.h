// The terminal that standard output goes to.
#pragma once

namespace emu::app {

// Its columns, or as many as a file may have.
int columns();

}  // namespace emu::app
