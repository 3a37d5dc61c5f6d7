// Loaded objects of this process: the program, and the libraries that libemu needs.
#pragma once

#include <link.h>

#include <vector>

namespace emu::mpi {

struct LoadedObjects {
  // libemu and the libraries that it needs, directly or indirectly. Empty if libemu is linked into the program.
  std::vector<const link_map*> needed;
  // True if anything else is loaded but the program and the kernel's object, such as a library of the program.
  bool others = false;
};

// Called by the first process, before it forks the ranks.
LoadedObjects find_loaded_objects();

}  // namespace emu::mpi
