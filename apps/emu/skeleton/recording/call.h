// MPI calls of a rank without their data: the symbols of a recording.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

namespace emu::skeleton {

// Requests are named by slots: a call that begins an operation takes the lowest free slot, and the wait that
// completes it frees the slot. So a loop that begins and completes equal operations has equal slots in each iteration.
enum class Function : std::uint8_t {
  nothing,  // this rank takes no part
  finalize,
  send,
  bsend,
  ssend,
  rsend,
  recv,
  isend,
  ibsend,
  issend,
  irsend,
  irecv,
  sendrecv,
  wait,  // for the slots of `list`: MPI_Wait and all similar calls, by their outcome
  barrier,
  bcast,
  reduce,
  allreduce,
  gather,
  gatherv,
  scatter,
  scatterv,
  allgather,
  allgatherv,
  alltoall,
  alltoallv,
  reduce_scatter,
  reduce_scatter_block,
  scan,
  exscan,
  communicator,  // creates the communicator `slot` by MPI_Comm_split of `comm`: `peer` is the colour, `tag` the key
  free_communicator,
  farm,   // a master deals tasks to slaves that return results (farm.h)
  count_  // number of functions
};

inline constexpr const char* function_names[] = {
    "nothing",  "finalize",  "send",           "bsend",
    "ssend",    "rsend",     "recv",           "isend",
    "ibsend",   "issend",    "irsend",         "irecv",
    "sendrecv", "wait",      "barrier",        "bcast",
    "reduce",   "allreduce", "gather",         "gatherv",
    "scatter",  "scatterv",  "allgather",      "allgatherv",
    "alltoall", "alltoallv", "reduce_scatter", "reduce_scatter_block",
    "scan",     "exscan",    "communicator",   "free_communicator",
    "farm"};
static_assert(std::size(function_names) == static_cast<std::size_t>(Function::count_));

inline const char* name(Function function) { return function_names[static_cast<std::size_t>(function)]; }

inline constexpr std::int32_t none = -1;     // as a peer: MPI_PROC_NULL; as a colour: MPI_UNDEFINED
inline constexpr std::int32_t any = -2;      // as a peer: MPI_ANY_SOURCE; as a tag: MPI_ANY_TAG
inline constexpr std::int32_t unknown = -3;  // as `source`: unknown
inline constexpr std::int32_t world = 0;     // as `comm`: MPI_COMM_WORLD; from 2 on in order of creation
inline constexpr std::int32_t self = 1;

struct Call {
  Function function = Function::nothing;
  std::int32_t comm = world;  // the communicator's number on this rank
  std::int32_t peer = none;   // destination, source (receives), or root; a rank of `comm`
  std::int32_t tag = 0;
  std::int64_t bytes = 0;      // sent; of collectives: a rank's block. A receive has none: its sender has
  std::int32_t source = none;  // sendrecv: the source; receives from any source: the source that it had
  std::int32_t source_tag = 0;
  std::int32_t unit = 1;  // reductions: bytes of an element
  std::int32_t slot = 0;  // of the request that it begins; of the communicator that it creates or frees
  // wait: slots. gatherv and allgatherv: bytes from each rank; scatterv: to each (at the root). alltoallv: to each
  // rank, then from each. reduce_scatter: bytes for each. farm: as in farm.h.
  std::vector<std::int64_t> list;

  bool operator==(const Call&) const = default;
};

constexpr bool is_blocking_send(Function f) { return f >= Function::send && f <= Function::rsend; }
constexpr bool is_started_send(Function f) { return f >= Function::isend && f <= Function::irsend; }
constexpr bool sends(Function f) {
  return is_blocking_send(f) || is_started_send(f) || f == Function::sendrecv;
}
constexpr bool receives(Function f) { return f == Function::recv || f == Function::irecv; }
constexpr bool starts(Function f) { return is_started_send(f) || f == Function::irecv; }
constexpr bool has_peer(Function f) { return sends(f) || receives(f); }
constexpr bool is_collective(Function f) { return f >= Function::barrier && f <= Function::exscan; }
constexpr bool has_root(Function f) {
  return f == Function::bcast || f == Function::reduce || (f >= Function::gather && f <= Function::scatterv);
}
constexpr bool reduces(Function f) {
  return f == Function::reduce || f == Function::allreduce || f == Function::reduce_scatter ||
         f == Function::reduce_scatter_block || f == Function::scan || f == Function::exscan;
}

struct CallHash {
  std::size_t operator()(const Call& call) const;
};

// Hash of two numbers, in which each bit depends on all of their bits.
constexpr std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  std::uint64_t x = a * 0x9E3779B97F4A7C15u + b + 0x632BE59BD9B4E019u;
  x ^= x >> 32;
  x *= 0xD6E8FEB86659FD93u;
  x ^= x >> 32;
  x *= 0xD6E8FEB86659FD93u;
  return x ^ (x >> 32);
}

inline std::size_t CallHash::operator()(const Call& c) const {
  std::uint64_t h = mix(static_cast<std::uint64_t>(c.function), static_cast<std::uint64_t>(c.bytes));
  for (const std::int32_t part : {c.comm, c.peer, c.tag, c.source, c.source_tag, c.unit, c.slot})
    h = mix(h, static_cast<std::uint64_t>(part));
  for (const std::int64_t part : c.list) h = mix(h, static_cast<std::uint64_t>(part));
  return static_cast<std::size_t>(h);
}

}  // namespace emu::skeleton
