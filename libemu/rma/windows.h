// Windows: the memory that one-sided operations work on. As with communicators, one of MPICH's of this process alone
// stands behind each, which keeps attributes, name, info and error handler, and allocates memory; what its handle stands
// for is here. rank/protocols/windows.h says when operations take effect.
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
#include "rank/protocols/windows.h"
#include "rma/type_map.h"
#include "wire/region.h"

namespace emu::mpi {

// What an operation does at its target, to elements of one predefined datatype. Described by its origin, for
// Window::apply(): this, then the runs, then the data, packed.
struct WindowOperation {
  enum class Kind : std::uint8_t {
    put,
    get,
    accumulate,
    swap,  // the first element of the data is put if the second is there
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
  // What each member says of its own part.
  struct Part {
    std::int64_t size = 0;
    std::int64_t unit = 1;
    std::int64_t process = 0;  // its number in the operating system
    std::int32_t host = 0;     // the node of the host that it runs on
    std::int32_t node = 0;     // of the target
  };
  // What this rank may do to others' memory at present.
  enum class Access : std::uint8_t {
    none,
    fence,       // a fence came before, and nothing since
    fence_used,  // and operations did
    start,
    lock,
    lock_all,
  };

  explicit Window(Communicator members) : comm(std::move(members)) {}
  void apply(std::span<const std::byte> operation, std::byte* answer) override;

  match::Context name() const { return comm.context; }
  std::byte* at(std::int64_t displacement) const { return memory + displacement * own().unit; }
  const Part& own() const { return parts[static_cast<std::size_t>(comm.rank)]; }

  Communicator comm;  // messages of its own synchronisation
  int flavor = MPI_WIN_FLAVOR_CREATE;
  bool own_handler = false;     // of errors, from the program; else that of MPI_COMM_WORLD is asked
  std::byte* memory = nullptr;  // this rank's part; null for a dynamic one, where displacements are addresses
  std::vector<Part> parts;      // by rank
  // Of a shared one: the memory of all members, and where each one's part begins.
  std::optional<wire::Region> shared;
  std::vector<std::int64_t> begins;

  // --- as origin. Ranks are those of `comm`.
  Access access = Access::none;
  std::map<int, bool> locks;  // held or asked for: whether the target knows
  std::set<int> touched;      // targets of operations that no answer will say anything of
  rank::Members targets;      // Access::start: ranks in the world
  bool unchecked = false;     // lock_all with MPI_MODE_NOCHECK

  // --- as target
  bool exposed = false;                   // between post and wait
  std::vector<rank::Request*> completes;  // what it waits for: each origin's word that it is through
};

class Windows {
 public:
  // Throws Error for a handle that is none of ours.
  Window& find(MPI_Win win) const;
  void add(MPI_Win win, std::unique_ptr<Window> window) { known_[win] = std::move(window); }
  void remove(MPI_Win win) { known_.erase(win); }
  // Null: none.
  Window* known(MPI_Win win) const;
  // In an order that is the same on all members.
  std::vector<MPI_Win> all() const;

 private:
  std::map<MPI_Win, std::unique_ptr<Window>> known_;
};

}  // namespace emu::mpi
