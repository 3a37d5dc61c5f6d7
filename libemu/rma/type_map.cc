#include "rma/type_map.h"

#include <algorithm>
#include <optional>

#include "mpi/convert.h"
#include "rma/flatten.h"

namespace emu::mpi {

namespace {

struct Ends {
  std::int64_t begin = 0, end = 0;
};

Ends ends_of(const std::vector<Run>& runs, MPI_Datatype element) {
  MPI_Count lower, extent;
  PMPI_Type_get_true_extent_c(element, &lower, &extent);
  const std::int64_t step = extent_of(element);
  Ends ends;
  bool first = true;
  for (const Run& run : runs) {
    const std::int64_t last = run.offset + (run.blocks - 1) * run.stride;
    const std::int64_t begin = std::min(run.offset, last) + lower;
    const std::int64_t end = std::max(run.offset, last) + lower + (run.count - 1) * step + extent;
    ends.begin = first ? begin : std::min(ends.begin, begin);
    ends.end = first ? end : std::max(ends.end, end);
    first = false;
  }
  return ends;
}

// One element of a derived datatype. The result must agree with MPICH's properties of the datatype.
TypeMap flattened(MPI_Datatype type, MPI_Datatype element) {
  TypeMap map{.element = element, .bytes = packed_size(type)};
  MPI_Count lower, extent;
  PMPI_Type_get_true_extent_c(type, &lower, &extent);
  map.runs = flatten(type, element).take();
  std::int64_t elements = 0;
  for (const Run& run : map.runs) elements += run.count * run.blocks;
  Ends ends = ends_of(map.runs, element);
  if (elements * packed_size(element) != map.bytes || ends.begin != lower || ends.end != lower + extent) {
    map.runs = flatten_by_packing(type, element).take();
    ends = ends_of(map.runs, element);
  }
  map.begin = ends.begin;
  map.end = ends.end;
  return map;
}

// The attribute of a derived datatype.
struct Flat {
  std::optional<TypeMap> bytes, elements;
};

int forget(MPI_Datatype, int, void* kept, void*) {
  delete static_cast<Flat*>(kept);
  return MPI_SUCCESS;
}

Flat& kept_flat(MPI_Datatype type) {
  static const int key = [] {
    int made = MPI_KEYVAL_INVALID;
    PMPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, &forget, &made, nullptr);
    return made;
  }();
  void* kept = nullptr;
  int found = 0;
  PMPI_Type_get_attr(type, key, &kept, &found);
  if (found) return *static_cast<Flat*>(kept);
  auto* const fresh = new Flat;
  PMPI_Type_set_attr(type, key, fresh);
  return *fresh;
}

const TypeMap& one_of(MPI_Datatype type, bool basic) {
  Flat& flat = kept_flat(type);
  std::optional<TypeMap>& map = basic ? flat.elements : flat.bytes;
  if (!map) map = flattened(type, basic ? basic_of(type) : MPI_BYTE);
  return *map;
}

}  // namespace

TypeMap type_map(MPI_Count count, MPI_Datatype type, bool basic) {
  TypeMap map;
  map.bytes = count * type_of(type).size;
  if (map.bytes == 0) return map;
  if (const MPI_Datatype known = predefined(type); known != MPI_DATATYPE_NULL) {
    map.element = known;
    map.runs.push_back({0, count, 0, 1});
    const Ends ends = ends_of(map.runs, map.element);
    map.begin = ends.begin;
    map.end = ends.end;
    return map;
  }
  const TypeMap& one = one_of(type, basic);
  if (count == 1) return one;
  Runs single(extent_of(one.element)), all(extent_of(one.element));
  for (const Run& run : one.runs) single.add(run);
  const std::int64_t extent = extent_of(type);
  all.repeat(single, count, extent, 0);
  map.element = one.element;
  map.runs = all.take();
  map.begin = one.begin + std::min<std::int64_t>(0, (count - 1) * extent);
  map.end = one.end + std::max<std::int64_t>(0, (count - 1) * extent);
  return map;
}

}  // namespace emu::mpi
