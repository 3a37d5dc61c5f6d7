// The original function behind one that libemu replaces: the C library's or MPI's.
#pragma once

#include <dlfcn.h>

namespace emu {

// The next definition of the function `name` after the calling shared object; null if there is none.
// Hidden, since it depends on the shared object that this is compiled into.
template <class Function>
[[gnu::visibility("hidden")]] Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace emu
