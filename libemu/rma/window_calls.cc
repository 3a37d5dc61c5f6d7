// Entry points that query windows, and that change the memory of dynamic ones. All are
// local, and take no virtual time. Name, info, attributes and error handler are MPICH's.

#include <mpi.h>

#include "mpi/calls.h"
#include "mpi/native.h"
#include "mpi/objects.h"
#include "rma/window_entry.h"

using emu::mpi::emulated;
using emu::mpi::Entry;
using emu::mpi::Error;
using emu::mpi::inside;
using emu::mpi::objects;
using emu::mpi::present;
using emu::mpi::process;
using emu::mpi::run_on;
using emu::mpi::Window;
using emu::rank::Rank;

namespace {

// The rank that MPI_PROC_NULL means: the first one with memory.
int first_with_memory(const Window& window) {
  for (int i = 0; i < window.comm.size(); ++i)
    if (window.parts[static_cast<std::size_t>(i)].size > 0) return i;
  return MPI_PROC_NULL;
}

template <class Unit>
void query(const Window& window, int rank, MPI_Aint* size, Unit* unit, void* base) {
  if (window.flavor != MPI_WIN_FLAVOR_SHARED)
    throw Error{MPI_ERR_RMA_FLAVOR, "the window has no shared memory; MPI_Win_allocate_shared makes one"};
  emu::mpi::check_target(window, rank);
  if (rank == MPI_PROC_NULL) rank = first_with_memory(window);
  const auto i = static_cast<std::size_t>(rank);
  present(size) = rank < 0 ? 0 : window.parts[i].size;
  present(unit) = static_cast<Unit>(rank < 0 ? 1 : window.parts[i].unit);
  const bool none = rank < 0 || window.parts[i].size == 0;
  *static_cast<void**>(base) = none ? nullptr : window.shared->base() + window.begins[i];
}

// The program's memory of a shared window; null for other windows.
// (MPICH has its own memory for a shared window, which is unused.)
void* shared_memory(MPI_Win win) {
  const emu::mpi::RankLock lock;
  const Window* const window = objects->windows.known(win);
  return window && window->flavor == MPI_WIN_FLAVOR_SHARED ? window->memory : nullptr;
}

// MPICH manages attached memory.
template <class Ask>
int ask_mpich(const char* call, MPI_Win win, Ask ask) {
  const Entry entry(call);
  if (entry.native()) return ask();
  return run_on(entry, call, win, [&](Rank&, Window& window) {
    if (window.flavor != MPI_WIN_FLAVOR_DYNAMIC)
      throw Error{MPI_ERR_RMA_FLAVOR, "the window is not dynamic; MPI_Win_create_dynamic makes one"};
    MPI_Errhandler handler;
    PMPI_Win_get_errhandler(win, &handler);
    PMPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    const int code = ask();
    PMPI_Win_set_errhandler(win, handler);
    PMPI_Errhandler_free(&handler);
    int kind = code;
    if (code != MPI_SUCCESS) PMPI_Error_class(code, &kind);
    if (code != MPI_SUCCESS) throw Error{kind, "the memory cannot be attached, or is not"};
  });
}

}  // namespace

// Both functions lock the rank: ask_mpich() on another thread replaces the handler temporarily.
extern "C" int MPI_Win_set_errhandler(MPI_Win win, MPI_Errhandler handler) {
  if (!emulated()) return PMPI_Win_set_errhandler(win, handler);
  const emu::mpi::RankLock lock;
  const int code = PMPI_Win_set_errhandler(win, handler);
  if (code != MPI_SUCCESS) return code;
  if (objects->windows.known(win)) objects->windows.find(win).own_handler = true;
  return code;
}

extern "C" int MPI_Win_get_errhandler(MPI_Win win, MPI_Errhandler* handler) {
  if (!emulated()) return PMPI_Win_get_errhandler(win, handler);
  const emu::mpi::RankLock lock;
  return PMPI_Win_get_errhandler(win, handler);
}

MPI_Group emu::mpi::calls::win_get_group(Rank&, Window& window) {
  return objects->groups.add(window.comm.group);
}

extern "C" int MPI_Win_shared_query(MPI_Win win, int rank, MPI_Aint* size, int* unit, void* base) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Win_shared_query(win, rank, size, unit, base);
  return run_on(entry, __func__, win,
                [&](Rank&, const Window& window) { query(window, rank, size, unit, base); });
}

extern "C" int MPI_Win_shared_query_c(MPI_Win win, int rank, MPI_Aint* size, MPI_Aint* unit, void* base) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Win_shared_query_c(win, rank, size, unit, base);
  return run_on(entry, __func__, win,
                [&](Rank&, const Window& window) { query(window, rank, size, unit, base); });
}

extern "C" int MPI_Win_attach(MPI_Win win, void* base, MPI_Aint size) {
  return ask_mpich(__func__, win, [&] { return PMPI_Win_attach(win, base, size); });
}

extern "C" int MPI_Win_detach(MPI_Win win, const void* base) {
  return ask_mpich(__func__, win, [&] { return PMPI_Win_detach(win, base); });
}

extern "C" int MPI_Win_get_attr(MPI_Win win, int key, void* value, int* found) {
  const int code = PMPI_Win_get_attr(win, key, value, found);
  if (code != MPI_SUCCESS || !emulated() || inside() || key != MPI_WIN_BASE) return code;
  if (void* const memory = shared_memory(win)) *static_cast<void**>(value) = memory;
  return code;
}

// For Fortran, whose keys are greater by one.
extern "C" int MPII_Win_get_attr(MPI_Win win, int key, void* value, int* found, int kind) {
  using Function = int(MPI_Win, int, void*, int*, int);
  static Function* const look = emu::mpi::real<Function>(__func__);
  const int code = look(win, key, value, found, kind);
  if (code != MPI_SUCCESS || !emulated() || inside() || key != MPI_WIN_BASE + 1) return code;
  if (void* const memory = shared_memory(win)) *static_cast<void**>(value) = memory;
  return code;
}

// Callbacks of attributes are the program's, and may call MPI.
extern "C" int MPI_Win_create_keyval(MPI_Win_copy_attr_function* copy, MPI_Win_delete_attr_function* remove,
                                     int* key, void* extra) {
  if (emulated()) process->calls.has_callbacks = true;
  return PMPI_Win_create_keyval(copy, remove, key, extra);
}
