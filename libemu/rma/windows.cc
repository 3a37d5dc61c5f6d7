// Entry points that create and free windows.

#include "rma/windows.h"

#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "comm/creation_messages.h"
#include "comm/intercommunicators.h"
#include "model/collectives.h"
#include "mpi/convert.h"
#include "mpi/objects.h"
#include "process/log.h"
#include "process/upcalls.h"
#include "rma/window_entry.h"

namespace emu::mpi {

using rank::Memory;
using rank::Rank;

Window* Windows::known(MPI_Win win) const {
  const auto it = known_.find(win);
  return it == known_.end() ? nullptr : it->second.get();
}

Window& Windows::find(MPI_Win win) const {
  if (Window* const window = known(win)) return *window;
  throw Error{MPI_ERR_WIN, "invalid window"};
}

std::vector<MPI_Win> Windows::all() const {
  std::vector<MPI_Win> handles;
  for (const auto& [handle, window] : known_) handles.push_back(handle);
  const auto by_name = [this](MPI_Win a, MPI_Win b) { return find(a).name() < find(b).name(); };
  std::sort(handles.begin(), handles.end(), by_name);
  return handles;
}

int handle_window_error(const char* call, MPI_Win win, const Error& error) {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  if (error.handler_called) return error.code;
  if (!objects->windows.known(win) || !objects->windows.find(win).own_handler ||
      PMPI_Win_get_errhandler(win, &handler) != MPI_SUCCESS)
    return handle_error(call, MPI_COMM_WORLD, error);
  return apply_handler(call, error, handler, &win, [&] { PMPI_Win_call_errhandler(win, error.code); });
}

namespace {

// To be called after windows were created or freed: updates the ranks with which this rank shares memory.
void share_memory() {
  std::set<int> others;
  for (const MPI_Win handle : objects->windows.all())
    if (const Window& window = objects->windows.find(handle); window.shared)
      for (const int member : window.comm.world)
        if (member != process->self.number) others.insert(member);
  if (!process->metering.meter->measures()) process->rank->shares_memory_with({others.begin(), others.end()});
  if (others.empty())
    process->shared_memory.reset();
  else if (!process->shared_memory)
    process->shared_memory = std::make_unique<SharedMemory>();
}

void check_made(int code) {
  if (code == MPI_SUCCESS) return;
  int kind = code;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  PMPI_Error_class(code, &kind);
  PMPI_Error_string(code, text, &length);
  throw Error{kind, std::string("MPICH does not make the window: ") + text};
}

// From now on other ranks may access the program's memory: they must not count on this rank's CPU time.
void begin_serving() {
  if (!process->uses.one_sided)
    stop_job(of_rank(process->calls.last) +
                 "creates a window, but no program or library of the job refers to window functions "
                 "(expected EMU_ONE_SIDED=1 for all ranks)",
             1);
  process->metering.readable = nullptr;
}

void barrier(Rank& rank, const Window& window) {
  run(rank, window.comm, model::barrier(window.comm.rank, window.comm.size()), Memory{});
}

// End of the window: no rank needs this rank's memory any more. If members fail, a barrier may be broken on some of the
// others only: then they agree on the end.
void meet(Rank& rank, Window& window) {
  const bool fails = rank.failures().noticed() && !rank.failures().first_at(window.comm).is_never();
  if (fails)
    (void)rank.agree(window.comm, 1);
  else
    barrier(rank, window);
}

// On return, all members know each other's parts, and have opened the window.
void exchange_parts(Rank& rank, Window& window, const Window::Part& own) {
  window.parts.resize(static_cast<std::size_t>(window.comm.size()));
  window.parts[static_cast<std::size_t>(window.comm.rank)] = own;
  rank.windows().open(window.name(), window);
  run(rank, window.comm, model::allgather(window.comm.rank, window.comm.size(), sizeof own),
      Memory{reinterpret_cast<const std::byte*>(&own), reinterpret_cast<std::byte*>(window.parts.data()),
             nullptr, nullptr});
}

std::unique_ptr<Window> agree(Rank& rank, MPI_Comm comm, int flavor) {
  begin_serving();
  const Communicator& c = creation::intra(comm);
  auto window =
      std::make_unique<Window>(Communicator(creation::agree_on_context(rank, c, true), c.group, c.rank));
  window->flavor = flavor;
  return window;
}

Window::Part part(std::int64_t size, std::int64_t unit) {
  return {size, unit, getpid(), process->transport.wire->node_map().node(), process->self.node};
}

// The stand-in from MPICH, with this rank's memory.
struct NewWindow {
  MPI_Win stand_in;
  void* memory;
  std::int64_t size, unit;
  int flavor;
};

void open_window(Rank& rank, MPI_Comm comm, const NewWindow& made, MPI_Win* win) {
  auto window = agree(rank, comm, made.flavor);
  window->memory = static_cast<std::byte*>(made.memory);
  exchange_parts(rank, *window, part(made.size, made.unit));
  objects->windows.add(made.stand_in, std::move(window));
  *win = made.stand_in;
}

// --- shared memory

// The first member has created the memory: its process and file.
void map_shared(Rank& rank, Window& window, std::int64_t bytes) {
  struct Word {
    std::int64_t process = 0, file = -1;
  };
  Word word;
  const bool first = window.comm.rank == 0;
  const auto check = [](const auto& region) {
    if (!region) stop_job(of_rank() + region.error().message, 1);
  };
  if (first) {
    auto region = wire::Region::create(static_cast<std::size_t>(bytes));
    check(region);
    window.shared.emplace(std::move(*region));
    word = {getpid(), window.shared->fd()};
  }
  run(rank, window.comm, model::bcast(window.comm.rank, window.comm.size(), 0, sizeof word),
      Memory{reinterpret_cast<const std::byte*>(&word), reinterpret_cast<std::byte*>(&word), nullptr,
             nullptr});
  if (!first) {
    auto region = wire::Region::open(static_cast<int>(word.process), static_cast<int>(word.file),
                                     static_cast<std::size_t>(bytes));
    check(region);
    window.shared.emplace(std::move(*region));
  }
  barrier(rank, window);  // the first member keeps the file open until all have mapped it
}

// Throws Error on all members, or on none.
void check_shares(const Window& window) {
  const auto check = [&](std::int32_t Window::Part::*place, const std::string& of,
                         const std::string& advice) {
    const auto& all = window.parts;
    const auto other = std::find_if(
        all.begin(), all.end(), [&](const Window::Part& part) { return part.*place != all.front().*place; });
    if (other == all.end()) return;
    const auto member = [&](auto it) {
      return "rank " + std::to_string(window.comm.world[static_cast<int>(it - all.begin())]) +
             " is on node " + std::to_string((*it).*place) + " of the " + of;
    };
    throw Error{MPI_ERR_RMA_SHARED,
                member(all.begin()) + ", " + member(other) + ", and nodes share no memory; " + advice};
  };
  check(&Window::Part::node, "target",
        "MPI_Comm_split_type(MPI_COMM_TYPE_SHARED) makes communicators of ranks that do");
  check(&Window::Part::host, "host", "run the ranks of a node of the target on one node of the host");
}

void allocate_shared(Rank& rank, MPI_Aint size, std::int64_t unit, MPI_Comm comm, MPI_Win stand_in,
                     void* base, MPI_Win* win) {
  auto window = agree(rank, comm, MPI_WIN_FLAVOR_SHARED);
  exchange_parts(rank, *window, part(size, unit));
  try {
    check_shares(*window);
  } catch (const Error&) {
    rank.windows().close(window->name());
    PMPI_Win_free(&stand_in);
    throw;
  }
  std::int64_t bytes = 0;
  for (const Window::Part& p : window->parts) {
    window->begins.push_back(bytes);
    bytes += p.size;
  }
  map_shared(rank, *window, std::max<std::int64_t>(bytes, 1));
  // As in MPICH, a member without memory has no address.
  if (size > 0)
    window->memory = window->shared->base() + window->begins[static_cast<std::size_t>(window->comm.rank)];
  *static_cast<void**>(base) = window->memory;
  if (window->comm.size() > 1 && process->metering.meter->measures()) ++process->doubts.shared_windows;
  objects->windows.add(stand_in, std::move(window));
  share_memory();
  *win = stand_in;
}

}  // namespace

void free_window(Rank& rank, const char* call, MPI_Win* win) {
  Window& window = objects->windows.find(*win);
  if (window.access == Window::Access::start || window.access == Window::Access::lock ||
      window.access == Window::Access::lock_all || window.exposed)
    wrong_synchronization("the window is freed in an epoch");
  (void)flush(rank, window, -1);
  meet(rank, window);
  rank.windows().close(window.name());
  MPI_Win stand_in = *win;
  {
    std::optional<ProgramRuns> callbacks;
    if (process->calls.has_callbacks) callbacks.emplace(call);
    PMPI_Win_free(&stand_in);
  }
  objects->windows.remove(*win);
  share_memory();
  *win = MPI_WIN_NULL;
}

void leave_windows(Rank& rank) {
  for (MPI_Win handle : objects->windows.all()) {
    Window& window = objects->windows.find(handle);
    meet(rank, window);
    rank.windows().close(window.name());
    PMPI_Win_free(&handle);  // MPICH does not end properly with an open window
  }
}

}  // namespace emu::mpi

using namespace emu::mpi;

namespace {

MPI_Comm lone() { return objects->communicators.lone(); }

// `make(&stand_in)` creates an MPICH window of this process alone.
template <class Make>
MPI_Win stand_in(Make make) {
  MPI_Win made = MPI_WIN_NULL;
  check_made(make(&made));
  return made;
}

template <class Unit>
void create(Rank& rank, void* base, MPI_Aint size, Unit unit, MPI_Info info, MPI_Comm comm, MPI_Win* win) {
  creation::intra(comm);
  const MPI_Win made =
      stand_in([&](MPI_Win* out) { return PMPI_Win_create_c(base, size, unit, info, lone(), out); });
  open_window(rank, comm, {made, base, size, unit, MPI_WIN_FLAVOR_CREATE}, &present(win));
}

void allocate(Rank& rank, MPI_Aint size, MPI_Aint unit, MPI_Info info, MPI_Comm comm, void* base,
              MPI_Win* win) {
  creation::intra(comm);
  void* memory = nullptr;
  const MPI_Win made =
      stand_in([&](MPI_Win* out) { return PMPI_Win_allocate_c(size, unit, info, lone(), &memory, out); });
  open_window(rank, comm, {made, memory, size, unit, MPI_WIN_FLAVOR_ALLOCATE}, &present(win));
  *static_cast<void**>(base) = memory;
}

void share(Rank& rank, MPI_Aint size, MPI_Aint unit, MPI_Info info, MPI_Comm comm, void* base, MPI_Win* win) {
  creation::intra(comm);
  void* unused = nullptr;
  const MPI_Win made = stand_in(
      [&](MPI_Win* out) { return PMPI_Win_allocate_shared_c(size, unit, info, lone(), &unused, out); });
  allocate_shared(rank, size, unit, comm, made, base, &present(win));
}

}  // namespace

extern "C" int MPI_Win_create(void* base, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm,
                              MPI_Win* win) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Win_create(base, size, unit, info, comm, win);
  return entry.run(comm, [&](Rank& rank) { create(rank, base, size, unit, info, comm, win); });
}

extern "C" int MPI_Win_create_c(void* base, MPI_Aint size, MPI_Aint unit, MPI_Info info, MPI_Comm comm,
                                MPI_Win* win) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Win_create_c(base, size, unit, info, comm, win);
  return entry.run(comm, [&](Rank& rank) { create(rank, base, size, unit, info, comm, win); });
}

extern "C" int MPI_Win_allocate(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void* base,
                                MPI_Win* win) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Win_allocate(size, unit, info, comm, base, win);
  return entry.run(comm, [&](Rank& rank) { allocate(rank, size, unit, info, comm, base, win); });
}

extern "C" int MPI_Win_allocate_c(MPI_Aint size, MPI_Aint unit, MPI_Info info, MPI_Comm comm, void* base,
                                  MPI_Win* win) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Win_allocate_c(size, unit, info, comm, base, win);
  return entry.run(comm, [&](Rank& rank) { allocate(rank, size, unit, info, comm, base, win); });
}

extern "C" int MPI_Win_allocate_shared(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void* base,
                                       MPI_Win* win) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Win_allocate_shared(size, unit, info, comm, base, win);
  return entry.run(comm, [&](Rank& rank) { share(rank, size, unit, info, comm, base, win); });
}

extern "C" int MPI_Win_allocate_shared_c(MPI_Aint size, MPI_Aint unit, MPI_Info info, MPI_Comm comm,
                                         void* base, MPI_Win* win) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Win_allocate_shared_c(size, unit, info, comm, base, win);
  return entry.run(comm, [&](Rank& rank) { share(rank, size, unit, info, comm, base, win); });
}

extern "C" int MPI_Win_create_dynamic(MPI_Info info, MPI_Comm comm, MPI_Win* win) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Win_create_dynamic(info, comm, win);
  return entry.run(comm, [&](Rank& rank) {
    creation::intra(comm);
    const MPI_Win made = stand_in([&](MPI_Win* out) { return PMPI_Win_create_dynamic(info, lone(), out); });
    open_window(rank, comm, {made, MPI_BOTTOM, 0, 1, MPI_WIN_FLAVOR_DYNAMIC}, &present(win));
  });
}

extern "C" int MPI_Win_free(MPI_Win* win) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Win_free(win);
  return run_on(entry, __func__, *win, [&](Rank& rank, Window&) { free_window(rank, "MPI_Win_free", win); });
}
