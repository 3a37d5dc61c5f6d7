#include "rma/window_operations.h"

#include <mpi.h>

#include <array>
#include <cstring>
#include <vector>

#include "mpi/calls.h"
#include "mpi/convert.h"
#include "mpi/objects.h"
#include "rma/window_entry.h"

namespace emu::mpi {

using rank::Rank;
using OpKind = WindowOperation::Kind;

namespace {

void check_operation(const RmaOp& operation) {
  if (operation.kind != OpKind::accumulate) return;
  const MPI_Op op = operation.op;
  const bool predefined = op == MPI_SUM || op == MPI_PROD || op == MPI_MAX || op == MPI_MIN ||
                          op == MPI_LAND || op == MPI_BAND || op == MPI_LOR || op == MPI_BOR ||
                          op == MPI_LXOR || op == MPI_BXOR || op == MPI_MAXLOC || op == MPI_MINLOC ||
                          op == MPI_REPLACE || (op == MPI_NO_OP && operation.result);
  if (!predefined) throw Error{MPI_ERR_OP, "a one-sided operation needs a predefined operation"};
}

// As in MPICH, operations with a request are valid in any epoch, and lock epochs permit operations on any target.
void check_epoch(Window& window, int target) {
  using Access = Window::Access;
  switch (window.access) {
    case Access::none:
      wrong_synchronization("an operation before MPI_Win_fence, MPI_Win_start or a lock");
    case Access::fence:
      window.access = Access::fence_used;
      break;
    case Access::start:
      if (target != MPI_PROC_NULL && window.targets.find(window.comm.world[target]) < 0)
        wrong_synchronization("rank " + std::to_string(target) +
                              " is not in the group given to MPI_Win_start");
      break;
    default:
      break;
  }
}

void check_range(const Window& window, const Remote& target, const TypeMap& map) {
  if (window.flavor == MPI_WIN_FLAVOR_DYNAMIC) return;
  if (target.displacement < 0)
    throw Error{MPI_ERR_DISP, "negative displacement " + std::to_string(target.displacement)};
  const Window::Part& part = window.parts[static_cast<std::size_t>(target.rank)];
  const __int128 at = static_cast<__int128>(target.displacement) * part.unit;  // cannot overflow
  if (at + map.begin < 0 || at + map.end > part.size)
    throw Error{MPI_ERR_RMA_RANGE, std::to_string(map.end - map.begin) + " bytes at displacement " +
                                       std::to_string(target.displacement) + " of rank " +
                                       std::to_string(target.rank) + "'s window, which has " +
                                       std::to_string(part.size) + " bytes in units of " +
                                       std::to_string(part.unit)};
}

// The buffer of `local`. Throws Error if its size differs from the target's.
rank::Buffer checked(const Elements& local, const TypeMap& map) {
  const rank::Buffer buffer = buffer_of(local.address, local.count, local.type);
  if (buffer.bytes != map.bytes)
    throw Error{MPI_ERR_TRUNCATE, std::to_string(buffer.bytes) + " bytes at the origin, " +
                                      std::to_string(map.bytes) + " at the target"};
  return buffer;
}

rank::Windows::Store storing(rank::Buffer into) {
  keep_type(into);
  return [into](const std::byte* answer) {
    into.fill_from(answer, into.bytes);
    if (into.layout && into.layout->release) into.layout->release(into);
  };
}

// Header, runs and data, concatenated.
std::vector<std::byte> described(const RmaOp& operation, const Remote& target, const TypeMap& map) {
  std::vector<rank::Buffer> parts;
  if (operation.data) parts.push_back(checked(*operation.data, map));
  if (operation.compare) parts.push_back(checked(*operation.compare, map));
  WindowOperation head{.kind = operation.kind,
                       .op = operation.op,
                       .element = map.element,
                       .displacement = target.displacement,
                       .runs = map.runs.size(),
                       .data = static_cast<std::int64_t>(parts.size()) * map.bytes};
  const std::size_t runs = map.runs.size() * sizeof(Run);
  std::vector<std::byte> all(sizeof head + runs + static_cast<std::size_t>(head.data));
  std::byte* at = all.data();
  std::memcpy(at, &head, sizeof head);
  std::memcpy(at += sizeof head, map.runs.data(), runs);
  at += runs;
  for (const rank::Buffer& part : parts) {
    part.read_into(at);
    at += map.bytes;
  }
  return all;
}

// Null for MPI_PROC_NULL, and for operations on no data.
rank::Request* start(Rank& rank, Window& window, const RmaOp& operation, const Remote& target,
                     bool with_request) {
  check_target(window, target.rank);
  if (target.count < 0) throw Error{MPI_ERR_COUNT, "negative count " + std::to_string(target.count)};
  for (const auto& local : {operation.data, operation.result})
    if (local && local->count < 0)
      throw Error{MPI_ERR_COUNT, "negative count " + std::to_string(local->count)};
  type_of(target.type);
  check_operation(operation);
  check_epoch(window, target.rank);
  if (target.rank == MPI_PROC_NULL) return nullptr;
  const TypeMap map = type_map(target.count, target.type, operation.kind == OpKind::accumulate);
  if (map.bytes == 0) return nullptr;
  check_range(window, target, map);
  const std::vector<std::byte> text = described(operation, target, map);
  check_failed(rank.known_failed(window.comm.world[target.rank]));
  rank::Windows::Operation o{
      .window = window.name(), .to = window.comm.world[target.rank], .described = text};
  o.bytes = (operation.data ? map.bytes : 0) + (operation.compare ? map.bytes : 0);
  if (window.access == Window::Access::lock_all && !window.unchecked && !window.locks.contains(target.rank))
    o.locks = window.locks[target.rank] = true;
  if (!operation.result) {
    rank.windows().send(o);
    window.touched.insert(target.rank);
    return nullptr;
  }
  o.answers = map.bytes;
  auto store = storing(checked(*operation.result, map));
  window.touched.erase(target.rank);  // its result comes behind all earlier operations
  rank.drain_results();
  if (with_request) return rank.windows().request(o, std::move(store));
  rank.windows().ask(o, std::move(store));
  return nullptr;
}

void check_predefined(MPI_Datatype type) {
  int integers = 0, addresses = 0, types = 0, combiner = MPI_COMBINER_NAMED;
  if (type != MPI_DATATYPE_NULL) PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
  if (type == MPI_DATATYPE_NULL || combiner != MPI_COMBINER_NAMED)
    throw Error{MPI_ERR_TYPE, "needs a predefined datatype"};
}

void check_swapped(MPI_Datatype type) {
  constexpr std::array others = {
      MPI_FLOAT,     MPI_DOUBLE,           MPI_LONG_DOUBLE,      MPI_C_FLOAT_COMPLEX,
      MPI_REAL,      MPI_DOUBLE_PRECISION, MPI_C_DOUBLE_COMPLEX, MPI_COMPLEX,
      MPI_2INT,      MPI_FLOAT_INT,        MPI_DOUBLE_INT,       MPI_LONG_INT,
      MPI_SHORT_INT, MPI_LONG_DOUBLE_INT};
  bool integer = type != MPI_DATATYPE_NULL;
  for (const MPI_Datatype other : others) integer = integer && type != other;
  if (!integer) throw Error{MPI_ERR_TYPE, "compare and swap needs a type of integers, logicals or bytes"};
  check_predefined(type);
}

}  // namespace

RmaOp put(const Elements& data) { return {.kind = OpKind::put, .data = data}; }

RmaOp get(const Elements& into) { return {.kind = OpKind::get, .result = into}; }

RmaOp accumulate(const Elements& data, MPI_Op op) {
  return {.kind = OpKind::accumulate, .op = op, .data = data};
}

// With MPI_NO_OP the data are ignored.
RmaOp get_accumulate(const Elements& data, const Elements& result, MPI_Op op) {
  RmaOp operation{.kind = OpKind::accumulate, .op = op, .result = result};
  if (op != MPI_NO_OP) operation.data = data;
  return operation;
}

int operate(const Entry& entry, MPI_Win win, const RmaOp& operation, const Remote& target) {
  return run_on(entry, entry.call(), win,
                [&](Rank& rank, Window& window) { start(rank, window, operation, target, false); });
}

int operate(const Entry& entry, MPI_Win win, const RmaOp& operation, const Remote& target,
            MPI_Request* request) {
  return run_on(entry, entry.call(), win, [&](Rank& rank, Window& window) {
    rank::Request* const started = start(rank, window, operation, target, true);
    present(request) =
        objects->requests.add(started ? started : rank.windows().complete_request(), MPI_COMM_WORLD);
  });
}

}  // namespace emu::mpi

namespace emu::mpi::calls {

void fetch_and_op(Rank& rank, Window& window, const void* data, void* result, MPI_Datatype type, int target,
                  MPI_Aint displacement, MPI_Op op) {
  check_predefined(type);
  mpi::start(rank, window, get_accumulate({data, 1, type}, {result, 1, type}, op),
             {target, displacement, 1, type}, false);
}

void compare_and_swap(Rank& rank, Window& window, const void* data, const void* compare, void* result,
                      MPI_Datatype type, int target, MPI_Aint displacement) {
  check_swapped(type);
  mpi::start(rank, window,
             {.kind = OpKind::swap,
              .data = Elements{data, 1, type},
              .compare = Elements{compare, 1, type},
              .result = Elements{result, 1, type}},
             {target, displacement, 1, type}, false);
}

}  // namespace emu::mpi::calls
