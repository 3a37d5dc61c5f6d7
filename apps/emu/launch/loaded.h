// The shared objects that a program would have in memory when it starts.
#pragma once

#include <string>
#include <vector>

#include "base/failure.h"

namespace emu::app {

struct Loaded {
  std::vector<std::string> paths;  // in the order in which symbols are looked up, without the program itself
  std::vector<std::string> missing;  // needed, but not found
};

// As the dynamic linker says (ldd), with LD_LIBRARY_PATH and LD_PRELOAD as they are now. The program does not
// run.
Result<Loaded> loaded_by(const std::string& program);

}  // namespace emu::app
