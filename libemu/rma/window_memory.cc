// Effects of operations on memory, and their descriptions by origins. Only the process itself accesses its memory.

#include <mpi.h>

#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <vector>

#include "mpi/convert.h"
#include "process/log.h"
#include "rma/windows.h"

namespace emu::mpi {

using OpKind = WindowOperation::Kind;

namespace {

template <class T>
const T* taken(const std::byte*& from, std::size_t count) {
  const auto* const values = reinterpret_cast<const T*>(from);
  from += count * sizeof(T);
  return values;
}

// Copies between blocks at equal distances and packed blocks of `bytes` bytes, which may be a constant.
template <class Bytes>
void gather(const std::byte* from, const Run& run, Bytes bytes, std::byte* packed) {
  for (std::int64_t i = 0; i < run.blocks; ++i, from += run.stride, packed += bytes)
    std::memcpy(packed, from, static_cast<std::size_t>(bytes));
}

template <class Bytes>
void scatter(const std::byte* packed, const Run& run, Bytes bytes, std::byte* to) {
  for (std::int64_t i = 0; i < run.blocks; ++i, packed += bytes, to += run.stride)
    std::memcpy(to, packed, static_cast<std::size_t>(bytes));
}

// Calls f(bytes), with a constant for common short lengths.
template <class F>
void with_length(std::int64_t bytes, F f) {
  switch (bytes) {
    case 4:
      return f(std::integral_constant<std::int64_t, 4>());
    case 8:
      return f(std::integral_constant<std::int64_t, 8>());
    case 16:
      return f(std::integral_constant<std::int64_t, 16>());
    default:
      return f(bytes);
  }
}

void load(const std::byte* from, const Type& element, const Run& run, std::byte* packed) {
  const std::int64_t bytes = run.count * element.size;
  if (element.contiguous) return with_length(bytes, [&](auto length) { gather(from, run, length, packed); });
  for (std::int64_t i = 0; i < run.blocks; ++i)
    pack(from + i * run.stride, run.count, element.handle, packed + i * bytes, bytes);
}

void store(const std::byte* packed, const Type& element, const Run& run, std::byte* to) {
  const std::int64_t bytes = run.count * element.size;
  if (element.contiguous) return with_length(bytes, [&](auto length) { scatter(packed, run, length, to); });
  for (std::int64_t i = 0; i < run.blocks; ++i)
    unpack(packed + i * bytes, bytes, to + i * run.stride, run.count, element.handle);
}

void reduce(MPI_Op op, const std::byte* values, const Type& element, std::int64_t count, std::byte* into) {
  if (PMPI_Reduce_local_c(values, into, count, element.handle, op) == MPI_SUCCESS) return;
  stop_job(of_rank() + "another rank's accumulate has an operation that does not fit its datatype", 1);
}

// Combines all blocks in one call, if they do not overlap.
void combine(MPI_Op op, const std::byte* packed, const Type& element, const Run& run, std::byte* into) {
  if (op == MPI_NO_OP) return;
  if (op == MPI_REPLACE) return store(packed, element, run, into);
  const std::int64_t bytes = run.count * element.size;
  const auto room = [](std::int64_t n) { return std::vector<std::byte>(static_cast<std::size_t>(n)); };
  if (element.contiguous && run.blocks > 1 && std::abs(run.stride) >= bytes) {
    std::vector<std::byte> there = room(run.blocks * bytes);
    load(into, element, run, there.data());
    reduce(op, packed, element, run.blocks * run.count, there.data());
    return store(there.data(), element, run, into);
  }
  for (std::int64_t i = 0; i < run.blocks; ++i, packed += bytes, into += run.stride) {
    if (element.contiguous) {
      reduce(op, packed, element, run.count, into);
      continue;
    }
    std::vector<std::byte> values = room(run.count * element.extent);
    unpack(packed, bytes, values.data(), run.count, element.handle);
    reduce(op, values.data(), element, run.count, into);
  }
}

}  // namespace

void Window::apply(std::span<const std::byte> operation, std::byte* answer) {
  const std::byte* at = operation.data();
  WindowOperation head;
  std::memcpy(&head, at, sizeof head);
  at += sizeof head;
  const Run* const runs = taken<Run>(at, head.runs);
  const std::byte* data = at;
  const Type element = type_of(head.element);
  for (const Run& run : std::span(runs, head.runs)) {
    std::byte* const target = this->at(head.displacement) + run.offset;
    if (answer) load(target, element, run, answer);
    switch (head.kind) {
      case OpKind::put:
        store(data, element, run, target);
        break;
      case OpKind::get:
        break;
      case OpKind::accumulate:
        if (head.data > 0) combine(head.op, data, element, run, target);
        break;
      case OpKind::swap:
        if (std::memcmp(target, data + element.size, static_cast<std::size_t>(element.size)) == 0)
          store(data, element, run, target);
        break;
    }
    const std::int64_t bytes = run.blocks * run.count * element.size;
    if (answer) answer += bytes;
    data += bytes;
  }
}

}  // namespace emu::mpi
