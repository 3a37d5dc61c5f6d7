#include "mpi/native.h"

#include <dlfcn.h>

#include <cstdlib>

#include "process/log.h"
#include "process/start/environment.h"

namespace emu::mpi {

void* find_real(const char* name) {
  void* const function = dlsym(RTLD_NEXT, name);
  if (!function) {
    log(Level::error, "no " + std::string(name) +
                          " behind libemu. The MPI library of this program is not the shared MPICH that "
                          "libemu was built with, or it is loaded before libemu.");
    std::abort();
  }
  return function;
}

// A libemu behind the MPI library in lookup order is never called: the program would run without emulation. This
// happens if it was linked after the library.
[[gnu::constructor]] static void check_order() {
  if (!target_in_environment()) return;
  Dl_info first, own;
  void* const init = dlsym(RTLD_DEFAULT, "PMPI_Init");
  if (!init || !dladdr(init, &first) || !dladdr(reinterpret_cast<void*>(&find_real), &own)) return;
  if (first.dli_fbase == own.dli_fbase) return;
  log(Level::error,
      std::string(first.dli_fname) +
          " is linked before libemu in this program, so no MPI call would be emulated. Link with "
          "emucc, emucxx or emufc, or run it with LD_PRELOAD=" +
          own.dli_fname + ".");
  std::_Exit(2);
}

}  // namespace emu::mpi
