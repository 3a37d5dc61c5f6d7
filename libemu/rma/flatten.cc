#include "rma/flatten.h"

#include <algorithm>
#include <utility>

#include "mpi/convert.h"

namespace emu::mpi {

namespace {

// --- constructors of a datatype

// Arguments of the constructor.
struct Contents {
  int combiner = MPI_COMBINER_NAMED;
  std::vector<int> integers;
  std::vector<std::int64_t> numbers;  // counts, lengths and displacements, in the constructor's order
  std::vector<MPI_Datatype> types;

  explicit Contents(MPI_Datatype type);
  ~Contents() {
    for (MPI_Datatype& type : types)
      if (!predefined(type)) PMPI_Type_free(&type);
  }
  Contents(const Contents&) = delete;

  static int combiner_of(MPI_Datatype type) {
    MPI_Count integers, addresses, counts, types;
    int combiner;
    PMPI_Type_get_envelope_c(type, &integers, &addresses, &counts, &types, &combiner);
    return combiner;
  }
  static bool predefined(MPI_Datatype type) { return leaf(combiner_of(type)); }
  static bool leaf(int combiner) {
    return combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_REAL ||
           combiner == MPI_COMBINER_F90_COMPLEX || combiner == MPI_COMBINER_F90_INTEGER;
  }
};

// A constructor with counts of type MPI_Count has no addresses.
Contents::Contents(MPI_Datatype type) {
  MPI_Count i, a, c, t;
  PMPI_Type_get_envelope_c(type, &i, &a, &c, &t, &combiner);
  if (leaf(combiner)) return;
  const auto size = [](MPI_Count n) { return static_cast<std::size_t>(n); };
  integers.resize(size(i) + 1);
  types.resize(size(t));
  std::vector<MPI_Aint> addresses(size(a) + 1);
  std::vector<MPI_Count> counts(size(c) + 1);
  PMPI_Type_get_contents_c(type, i, a, c, t, integers.data(), addresses.data(), counts.data(), types.data());
  integers.resize(size(i));
  if (combiner != MPI_COMBINER_SUBARRAY && combiner != MPI_COMBINER_DARRAY)
    numbers.assign(integers.begin(), integers.end());
  numbers.insert(numbers.end(), addresses.begin(), addresses.begin() + a);
  numbers.insert(numbers.end(), counts.begin(), counts.begin() + c);
}

MPI_Datatype common(MPI_Datatype type, int combiner) {
  int kind;
  switch (combiner) {
    case MPI_COMBINER_F90_REAL:
      kind = MPI_TYPECLASS_REAL;
      break;
    case MPI_COMBINER_F90_COMPLEX:
      kind = MPI_TYPECLASS_COMPLEX;
      break;
    case MPI_COMBINER_F90_INTEGER:
      kind = MPI_TYPECLASS_INTEGER;
      break;
    default:
      return type;
  }
  PMPI_Type_match_size(kind, static_cast<int>(packed_size(type)), &type);
  return type;
}

// --- flattening

// For unknown constructors: the packed data show their positions, in one pass for each byte of the offsets. The cost is
// proportional to the extent of the datatype.
std::vector<std::int64_t> offsets_of(MPI_Datatype type) {
  const MPI_Count size = packed_size(type);
  MPI_Count lower, extent;
  PMPI_Type_get_true_extent_c(type, &lower, &extent);
  std::vector<std::byte> image(static_cast<std::size_t>(extent)), packed(static_cast<std::size_t>(size));
  std::vector<std::int64_t> offsets(packed.size());
  for (int shift = 0; shift == 0 || (shift < 63 && extent >> shift > 0); shift += 8) {
    for (std::size_t i = 0; i < image.size(); ++i) image[i] = static_cast<std::byte>(i >> shift);
    pack(image.data() - lower, 1, type, packed.data(), size);
    for (std::size_t i = 0; i < packed.size(); ++i)
      offsets[i] |= static_cast<std::int64_t>(packed[i]) << shift;
  }
  for (std::int64_t& offset : offsets) offset += lower;
  return offsets;
}

class Flattener {
 public:
  explicit Flattener(MPI_Datatype element)
      : element_(element), extent_(extent_of(element)), size_(packed_size(element)) {}

  Runs flatten(MPI_Datatype type) const;
  Runs by_packing(MPI_Datatype type) const {
    Runs runs(extent_);
    const std::vector<std::int64_t> offsets = offsets_of(type);
    for (std::size_t at = 0; at < offsets.size(); at += static_cast<std::size_t>(size_))
      runs.add({offsets[at], 1, 0, 1});
    return runs;
  }

 private:
  Runs nothing() const { return Runs(extent_); }
  Runs predefined(MPI_Datatype type) const;
  Runs vector(const Contents& made, std::int64_t stride) const;
  Runs indexed(const Contents& made, std::int64_t unit) const;
  Runs indexed_blocks(const Contents& made, std::int64_t unit) const;
  Runs subarray(const Contents& made) const;
  Runs distributed(const Contents& made) const;

  const MPI_Datatype element_;
  const std::int64_t extent_, size_;
};

Runs Flattener::predefined(MPI_Datatype type) const {
  Runs runs = nothing();
  const MPI_Count size = packed_size(type);
  MPI_Count lower, extent;
  PMPI_Type_get_extent_c(type, &lower, &extent);
  if (size == 0) return runs;
  if (element_ != MPI_BYTE)
    runs.add({0, 1, 0, 1});
  else if (lower == 0 && extent == size)
    runs.add({0, size, 0, 1});
  else
    return by_packing(type);
  return runs;
}

Runs Flattener::vector(const Contents& made, std::int64_t stride) const {
  Runs block = nothing(), all = nothing();
  block.repeat(flatten(made.types[0]), made.numbers[1], extent_of(made.types[0]), 0);
  all.repeat(block, made.numbers[0], stride, 0);
  return all;
}

// Blocks of one datatype, or of a datatype for each block.
Runs Flattener::indexed(const Contents& made, std::int64_t unit) const {
  const auto n = static_cast<std::size_t>(made.numbers[0]);
  const bool one = made.combiner != MPI_COMBINER_STRUCT && made.combiner != MPI_COMBINER_STRUCT_INTEGER;
  Runs all = nothing(), part = nothing();
  for (std::size_t i = 0; i < n; ++i) {
    const MPI_Datatype type = made.types[one ? 0 : i];
    if (i == 0 || (!one && type != made.types[i - 1])) part = flatten(type);
    all.repeat(part, made.numbers[1 + i], extent_of(type), made.numbers[1 + n + i] * unit);
  }
  return all;
}

Runs Flattener::indexed_blocks(const Contents& made, std::int64_t unit) const {
  Runs block = nothing(), all = nothing();
  block.repeat(flatten(made.types[0]), made.numbers[1], extent_of(made.types[0]), 0);
  for (std::size_t i = 2; i < made.numbers.size(); ++i) all.repeat(block, 1, 0, made.numbers[i] * unit);
  return all;
}

// The dimensions, beginning with the one of adjacent elements.
std::vector<std::size_t> fastest_first(std::size_t dimensions, int order) {
  std::vector<std::size_t> all(dimensions);
  for (std::size_t d = 0; d < dimensions; ++d) all[d] = order == MPI_ORDER_FORTRAN ? d : dimensions - 1 - d;
  return all;
}

Runs Flattener::subarray(const Contents& made) const {
  const auto n = static_cast<std::size_t>(made.integers[0]);
  std::vector<std::int64_t> given = made.numbers;  // sizes, sizes of the part, its start
  if (given.empty()) given.assign(made.integers.begin() + 1, made.integers.end() - 1);
  Runs part = flatten(made.types[0]);
  std::int64_t unit = extent_of(made.types[0]);
  for (const std::size_t d : fastest_first(n, made.integers.back())) {
    Runs more = nothing();
    more.repeat(part, given[n + d], unit, given[2 * n + d] * unit);
    part = std::move(more);
    unit *= given[d];
  }
  return part;
}

// The indices of a process in one dimension, in which it has position `at` of `processes`.
struct Share {
  std::int64_t begin, block, stride, size;  // blocks from `begin` on, as far as indices exist
};

Share share_of(int distribution, std::int64_t argument, std::int64_t size, std::int64_t at,
               std::int64_t processes) {
  if (distribution == MPI_DISTRIBUTE_NONE) return {0, size, std::max<std::int64_t>(size, 1), size};
  if (distribution == MPI_DISTRIBUTE_CYCLIC) {
    const std::int64_t block = argument == MPI_DISTRIBUTE_DFLT_DARG ? 1 : argument;
    return {at * block, block, processes * block, size};
  }
  const std::int64_t block =
      argument == MPI_DISTRIBUTE_DFLT_DARG ? (size + processes - 1) / processes : argument;
  return {at * block, block, std::max<std::int64_t>(size, 1), std::min(size, (at + 1) * block)};
}

Runs Flattener::distributed(const Contents& made) const {
  const std::vector<int>& i = made.integers;
  const auto n = static_cast<std::size_t>(i[2]);
  const std::size_t behind = made.numbers.empty() ? 3 + n : 3;  // the array's sizes, MPI_Count or int
  std::vector<std::int64_t> at(n);
  std::int64_t rank = i[1], processes = i[0];
  for (std::size_t d = 0; d < n; ++d) {
    processes /= i[behind + 2 * n + d];
    at[d] = rank / processes;
    rank %= processes;
  }
  Runs part = flatten(made.types[0]);
  std::int64_t unit = extent_of(made.types[0]);
  for (const std::size_t d : fastest_first(n, i.back())) {
    const std::int64_t size = made.numbers.empty() ? i[3 + d] : made.numbers[d];
    const Share share = share_of(i[behind + d], i[behind + n + d], size, at[d], i[behind + 2 * n + d]);
    Runs more = nothing();
    for (std::int64_t begin = share.begin; begin < share.size; begin += share.stride)
      more.repeat(part, std::min(share.block, share.size - begin), unit, begin * unit);
    part = std::move(more);
    unit *= size;
  }
  return part;
}

Runs Flattener::flatten(MPI_Datatype type) const {
  const Contents made(type);
  if (Contents::leaf(made.combiner)) return predefined(type);
  const std::int64_t extent = made.types.empty() ? 0 : extent_of(made.types[0]);
  switch (made.combiner) {
    case MPI_COMBINER_CONTIGUOUS: {
      Runs all = nothing();
      all.repeat(flatten(made.types[0]), made.numbers[0], extent, 0);
      return all;
    }
    case MPI_COMBINER_VECTOR:
      return vector(made, made.numbers[2] * extent);
    case MPI_COMBINER_HVECTOR:
    case MPI_COMBINER_HVECTOR_INTEGER:
      return vector(made, made.numbers[2]);
    case MPI_COMBINER_INDEXED:
      return indexed(made, extent);
    case MPI_COMBINER_HINDEXED:
    case MPI_COMBINER_HINDEXED_INTEGER:
    case MPI_COMBINER_STRUCT:
    case MPI_COMBINER_STRUCT_INTEGER:
      return indexed(made, 1);
    case MPI_COMBINER_INDEXED_BLOCK:
      return indexed_blocks(made, extent);
    case MPI_COMBINER_HINDEXED_BLOCK:
      return indexed_blocks(made, 1);
    case MPI_COMBINER_SUBARRAY:
      return subarray(made);
    case MPI_COMBINER_DARRAY:
      return distributed(made);
    default:  // a duplicate, or one with other bounds
      return flatten(made.types[0]);
  }
}

}  // namespace

MPI_Count packed_size(MPI_Datatype type) {
  MPI_Count size = 0;
  PMPI_Type_size_c(type, &size);
  return size;
}

std::int64_t extent_of(MPI_Datatype type) {
  MPI_Count lower, extent;
  PMPI_Type_get_extent_c(type, &lower, &extent);
  return extent;
}

MPI_Datatype predefined(MPI_Datatype type) {
  const int combiner = Contents::combiner_of(type);
  return Contents::leaf(combiner) ? common(type, combiner) : MPI_DATATYPE_NULL;
}

MPI_Datatype basic_of(MPI_Datatype type) {
  const Contents contents(type);
  if (Contents::leaf(contents.combiner)) return common(type, contents.combiner);
  MPI_Datatype found = MPI_DATATYPE_NULL;
  for (const MPI_Datatype part : contents.types) {
    if (packed_size(part) == 0) continue;
    const MPI_Datatype basic = basic_of(part);
    if (found == MPI_DATATYPE_NULL) found = basic;
    if (basic != MPI_DATATYPE_NULL && basic != found)
      throw Error{MPI_ERR_TYPE, "an accumulate needs a datatype that is made of one predefined datatype"};
  }
  return found;
}

Runs flatten(MPI_Datatype type, MPI_Datatype element) { return Flattener(element).flatten(type); }

Runs flatten_by_packing(MPI_Datatype type, MPI_Datatype element) {
  return Flattener(element).by_packing(type);
}

}  // namespace emu::mpi
