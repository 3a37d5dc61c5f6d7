// Windows: the memory of one-sided operations. The handle of a window is one of an MPICH window of this
// process alone, the stand-in, which keeps attributes, name, info and error handler, and allocates
// memory; everything else is here. rank/protocols/window_server.h defines when operations take effect.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

#include "comm/communicator.h"
#include "rank/protocols/window_server.h"
#include "rma/type_map.h"
#include "wire/region.h"

namespace emu::mpi {

// Effect of an operation at its target, on elements of one predefined datatype. The origin's description for
// Window::apply() consists of this header, the runs, and the packed data.
struct WindowOperation {
  enum class Kind : std::uint8_t {
    put,
    get,
    accumulate,
    swap,  // the first element of the data is stored if the second one equals the target
  };
  Kind kind = Kind::put;
  MPI_Op op = MPI_OP_NULL;  // accumulate
  MPI_Datatype element = MPI_BYTE;
  std::int64_t displacement = 0;  // in the target's units
  std::uint64_t runs = 0;
  std::int64_t data = 0;  // bytes
};

class Window final : public rank::WindowMemory {
 public:
  // Data of a member's part.
  struct Part {
    std::int64_t size = 0;
    std::int64_t unit = 1;
    std::int64_t process = 0;  // its process number in the operating system
    std::int32_t host = 0;     // host node on which it runs
    std::int32_t node = 0;     // its node of the target
  };
  // Present access epoch of this rank as origin.
  enum class Access : std::uint8_t {
    none,
    fence,       // after a fence, before the first operation
    fence_used,  // after a fence, with operations
    start,
    lock,
    lock_all,
  };

  explicit Window(Communicator members) : comm(std::move(members)) {}
  void apply(std::span<const std::byte> operation, std::byte* answer) override;

  match::Context name() const { return comm.context; }
  std::byte* at(std::int64_t displacement) const { return memory + displacement * own().unit; }
  const Part& own() const { return parts[static_cast<std::size_t>(comm.rank)]; }

  Communicator comm;  // for synchronisation messages
  int flavor = MPI_WIN_FLAVOR_CREATE;
  bool own_handler = false;  // the program has set an error handler; otherwise that of MPI_COMM_WORLD applies
  std::byte* memory = nullptr;  // this rank's part; null for a dynamic window: displacements are addresses
  std::vector<Part> parts;      // by rank
  // Shared window: the memory of all members, and the start of each member's part.
  std::optional<wire::Region> shared;
  std::vector<std::int64_t> begins;

  // --- origin. Ranks are those of `comm`.
  Access access = Access::none;
  std::map<int, bool> locks;  // held or requested; true: the target knows
  std::set<int> touched;      // targets of operations without a result
  rank::Members targets;      // Access::start: ranks in MPI_COMM_WORLD
  bool unchecked = false;     // lock_all with MPI_MODE_NOCHECK

  // --- target
  bool exposed = false;                   // between post and wait
  std::vector<rank::Request*> completes;  // receives of the completion messages of all origins
};

class Windows {
 public:
  // Throws Error for an unknown handle.
  Window& find(MPI_Win win) const;
  void add(MPI_Win win, std::unique_ptr<Window> window) { known_[win] = std::move(window); }
  void remove(MPI_Win win) { known_.erase(win); }
  // Null: unknown.
  Window* known(MPI_Win win) const;
  // In an order that is equal on all members.
  std::vector<MPI_Win> all() const;

 private:
  std::map<MPI_Win, std::unique_ptr<Window>> known_;
};

}  // namespace emu::mpi
