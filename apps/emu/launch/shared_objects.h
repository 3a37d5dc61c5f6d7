// Shared objects that a program has in memory at its start.
#pragma once

#include <string>
#include <vector>

#include "base/failure.h"

namespace emu::app {

struct Loaded {
  std::vector<std::string> paths;    // in the order of symbol lookup, without the program itself
  std::vector<std::string> missing;  // needed, but not found
};

// According to the dynamic linker of the program, with the present LD_LIBRARY_PATH and LD_PRELOAD. The program does
// not run.
Result<Loaded> loaded_by(const std::string& program);

}  // namespace emu::app
