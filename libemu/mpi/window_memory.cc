// What operations do to memory, and how their origins describe it. The memory is its own process's: that alone touches it.

#include <mpi.h>

#include <algorithm>
#include <cstring>

#include "mpi/convert.h"
#include "mpi/windows.h"

namespace emu::mpi {

using What = WindowOperation::What;
using Run = WindowOperation::Run;

namespace {

// --- the predefined datatype that a derived one is made of

struct Contents {
  int combiner = MPI_COMBINER_NAMED;
  std::vector<MPI_Datatype> types;
  ~Contents() {
    for (MPI_Datatype& type : types)
      if (!named(type)) PMPI_Type_free(&type);
  }
  static bool named(MPI_Datatype type) {
    int integers, addresses, types, combiner;
    PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
    return combiner == MPI_COMBINER_NAMED;
  }
};

void read_contents(MPI_Datatype type, Contents& contents) {
  int integers, addresses, types;
  PMPI_Type_get_envelope(type, &integers, &addresses, &types, &contents.combiner);
  if (contents.combiner == MPI_COMBINER_NAMED) return;
  std::vector<int> i(static_cast<std::size_t>(integers) + 1);
  std::vector<MPI_Aint> a(static_cast<std::size_t>(addresses) + 1);
  contents.types.resize(static_cast<std::size_t>(types));
  PMPI_Type_get_contents(type, integers, addresses, types, i.data(), a.data(), contents.types.data());
}

// MPI_DATATYPE_NULL: of nothing. Throws Error if it is made of several.
MPI_Datatype basic_of(MPI_Datatype type) {
  Contents contents;
  read_contents(type, contents);
  if (contents.combiner == MPI_COMBINER_NAMED) return type;
  MPI_Datatype found = MPI_DATATYPE_NULL;
  for (const MPI_Datatype part : contents.types) {
    const MPI_Datatype basic = basic_of(part);
    if (found == MPI_DATATYPE_NULL) found = basic;
    if (basic != MPI_DATATYPE_NULL && basic != found)
      throw Error{MPI_ERR_TYPE, "an accumulate needs a datatype that is made of one predefined datatype"};
  }
  return found;
}

// --- where the bytes of a datatype stand

// MPICH does not tell. But it packs what says of itself where it stands: in one pass for each byte of the offsets.
std::vector<std::int64_t> offsets_of(const Type& type) {
  MPI_Aint lower, extent;
  PMPI_Type_get_true_extent(type.handle, &lower, &extent);
  std::vector<std::byte> image(static_cast<std::size_t>(extent)), packed(static_cast<std::size_t>(type.size));
  std::vector<std::int64_t> offsets(packed.size());
  for (int shift = 0; shift == 0 || extent >> shift > 0; shift += 8) {
    for (std::size_t i = 0; i < image.size(); ++i) image[i] = static_cast<std::byte>(i >> shift);
    pack(image.data() - lower, 1, type.handle, packed.data(), type.size);
    for (std::size_t i = 0; i < packed.size(); ++i)
      offsets[i] |= static_cast<std::int64_t>(packed[i]) << shift;
  }
  for (std::int64_t& offset : offsets) offset += lower;
  return offsets;
}

void add_run(TypeMap& map, std::int64_t offset, const Type& element) {
  if (!map.runs.empty() && map.runs.back().offset + map.runs.back().count * element.extent == offset)
    ++map.runs.back().count;
  else
    map.runs.push_back({offset, 1});
}

void find_ends(TypeMap& map) {
  MPI_Aint lower, extent, true_lower, true_extent;
  PMPI_Type_get_extent(map.element, &lower, &extent);
  PMPI_Type_get_true_extent(map.element, &true_lower, &true_extent);
  bool first = true;
  for (const Run& run : map.runs) {
    const std::int64_t begin = run.offset + true_lower;
    const std::int64_t end = begin + (run.count - 1) * extent + true_extent;
    map.begin = first ? begin : std::min(map.begin, begin);
    map.end = first ? end : std::max(map.end, end);
    first = false;
  }
}

// --- at the target

template <class T>
const T* taken(const std::byte*& from, std::size_t count) {
  const auto* const values = reinterpret_cast<const T*>(from);
  from += count * sizeof(T);
  return values;
}

void load(const std::byte* from, const Type& element, std::int64_t count, std::byte* packed) {
  if (element.contiguous)
    std::memcpy(packed, from, static_cast<std::size_t>(count * element.size));
  else
    pack(from, count, element.handle, packed, count * element.size);
}

void store(const std::byte* packed, const Type& element, std::int64_t count, std::byte* to) {
  if (element.contiguous)
    std::memcpy(to, packed, static_cast<std::size_t>(count * element.size));
  else
    unpack(packed, count * element.size, to, count, element.handle);
}

void combine(MPI_Op op, const std::byte* packed, const Type& element, std::int64_t count, std::byte* into) {
  if (op == MPI_NO_OP) return;
  if (op == MPI_REPLACE) return store(packed, element, count, into);
  int code;
  if (element.contiguous) {
    code = PMPI_Reduce_local_c(packed, into, count, element.handle, op);
  } else {
    std::vector<std::byte> copy(static_cast<std::size_t>(count * element.extent));
    unpack(packed, count * element.size, copy.data(), count, element.handle);
    code = PMPI_Reduce_local_c(copy.data(), into, count, element.handle, op);
  }
  if (code != MPI_SUCCESS)
    stop_job("rank " + std::to_string(process->number) +
                 ": another rank's accumulate has an operation that does not fit its datatype",
             1);
}

}  // namespace

TypeMap type_map(MPI_Count count, MPI_Datatype handle, bool basic) {
  const Type type = type_of(handle);
  TypeMap map;
  map.bytes = count * type.size;
  if (map.bytes == 0) return map;
  if (Contents::named(handle)) {
    map.element = handle;
    map.runs.push_back({0, count});
    find_ends(map);
    return map;
  }
  if (basic) map.element = basic_of(handle);
  const Type element = type_of(map.element);
  const std::vector<std::int64_t> offsets = offsets_of(type);
  for (MPI_Count i = 0; i < count; ++i)
    for (std::size_t at = 0; at < offsets.size(); at += static_cast<std::size_t>(element.size))
      add_run(map, offsets[at] + i * type.extent, element);
  find_ends(map);
  return map;
}

void Window::apply(std::span<const std::byte> operation, std::byte* answer) {
  const std::byte* at = operation.data();
  WindowOperation head;
  std::memcpy(&head, at, sizeof head);
  at += sizeof head;
  const Run* const runs = taken<Run>(at, head.runs);
  const std::byte* data = at;
  const Type element = type_of(head.element);
  for (std::uint64_t i = 0; i < head.runs; ++i) {
    std::byte* const target = this->at(head.displacement) + runs[i].offset;
    const std::int64_t count = runs[i].count, bytes = count * element.size;
    if (answer) load(target, element, count, answer);
    switch (head.what) {
      case What::put:
        store(data, element, count, target);
        break;
      case What::get:
        break;
      case What::accumulate:
        if (head.data > 0) combine(head.op, data, element, count, target);
        break;
      case What::swap:
        if (std::memcmp(target, data + element.size, static_cast<std::size_t>(element.size)) == 0)
          store(data, element, 1, target);
        break;
    }
    if (answer) answer += bytes;
    data += bytes;
  }
}

}  // namespace emu::mpi
