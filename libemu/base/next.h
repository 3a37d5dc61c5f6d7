// The function behind one that libemu defines anew: the C library's own, or MPI's.
#pragma once

#include <dlfcn.h>

namespace emu {

// The next definition of the function that `name` names, behind the shared object that asks; null if there is none.
// Hidden, since it depends on the shared object that this is compiled into.
template <class Function>
[[gnu::visibility("hidden")]] Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace emu
