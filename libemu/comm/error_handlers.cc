#include "comm/error_handlers.h"

#include <mutex>
#include <unordered_map>

namespace emu::mpi {

namespace {

// Handles are integers, also in Fortran, and every handler gets a pointer to one.
using Handler = void(void* object, int* code, ...);

// By handle. A freed handler may still be set for an object; it is replaced when its handle is reused.
struct Made {
  std::mutex lock;
  std::unordered_map<MPI_Errhandler, Handler*> handlers;
};
Made& made() {
  static Made& all = *new Made;
  return all;
}

template <class Function>
int note(int code, Function* function, const MPI_Errhandler* handler) {
  if (code != MPI_SUCCESS) return code;
  const std::lock_guard guard(made().lock);
  made().handlers[*handler] = reinterpret_cast<Handler*>(function);
  return code;
}

}  // namespace

std::optional<int> call_handler(MPI_Errhandler handler, void* object, int code) {
  Handler* function = nullptr;
  {
    const std::lock_guard guard(made().lock);
    const auto found = made().handlers.find(handler);
    if (found == made().handlers.end()) return std::nullopt;
    function = found->second;
  }
  function(object, &code, nullptr);
  return code;
}

}  // namespace emu::mpi

using emu::mpi::note;

extern "C" int MPI_Comm_create_errhandler(MPI_Comm_errhandler_function* function, MPI_Errhandler* handler) {
  return note(PMPI_Comm_create_errhandler(function, handler), function, handler);
}

extern "C" int MPI_Errhandler_create(MPI_Comm_errhandler_function* function, MPI_Errhandler* handler) {
  return note(PMPI_Errhandler_create(function, handler), function, handler);
}

extern "C" int MPI_Win_create_errhandler(MPI_Win_errhandler_function* function, MPI_Errhandler* handler) {
  return note(PMPI_Win_create_errhandler(function, handler), function, handler);
}

extern "C" int MPI_File_create_errhandler(MPI_File_errhandler_function* function, MPI_Errhandler* handler) {
  return note(PMPI_File_create_errhandler(function, handler), function, handler);
}
